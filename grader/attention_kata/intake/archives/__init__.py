"""Archives of strangers, read in place and within bounds."""
