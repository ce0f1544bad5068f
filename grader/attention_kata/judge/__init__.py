"""Expected and observed, where the two meet: comparing, explaining, scoring."""
