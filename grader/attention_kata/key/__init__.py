"""What is expected: the answer key, its file, and the scripts that a worker is asked to run; no torch.  Imported by
whoever grades or draws, and by the sandbox for scripts and inputs alone."""
