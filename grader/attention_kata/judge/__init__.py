"""Expected and observed, where the two meet: comparing, explaining, scoring.  Imported by whatever keeps or tells
grades."""
