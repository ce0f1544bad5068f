"""`python -m attention_kata` is the program `kata`."""

from .cli import main

main()
