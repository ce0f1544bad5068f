"""What was observed: submissions run in confined workers, whose replies are read field by field.  Imported by the judge
and by whoever starts workers; it knows nothing that is expected."""
