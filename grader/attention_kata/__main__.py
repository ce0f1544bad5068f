"""`python -m attention_kata` is the program `kata`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder: a learner's numpy.py there is not the library

from .program import main

main()
