"""Learn the Transformer's attention by writing it, with a grader that names the misconception."""

__version__ = "0.1.0"
