"""A submission's source, read and never run: what its names stand for, which functions it may not call.  Imported by
the judge."""
