"""What is expected: the answer key, its file, and the scripts that a worker is asked to run.  No torch."""
