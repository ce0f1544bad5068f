"""What was observed: submissions run in confined workers, and their replies are read, field by field."""
