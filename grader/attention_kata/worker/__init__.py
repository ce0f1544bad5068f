"""What runs a submission's code: loads it, carries out scripts, reports observations.

Nothing of the answer key's expected values is ever here, and nothing else of this package is imported.  Imported by
the sandbox, for the names and forms of what is exchanged.
"""
