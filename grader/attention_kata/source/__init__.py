"""A submission's source, read and never run: what its names stand for, and which functions it may not call."""
