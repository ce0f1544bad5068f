"""Notebooks as modules of Python: what their cells define."""
