"""The author's tools: finding a course, drawing its key, proving it.  Imported by the command line and the notebook;
only `draw` and what builds on it import torch."""
