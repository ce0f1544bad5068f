"""The author's tools: finding a course, drawing its key, proving it.  Only `draw` and `proof` import torch."""
