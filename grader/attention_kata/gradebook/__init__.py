"""A class, kept: the database, grading it in batches, due dates, similarity."""
