"""A class, kept: the database, grading in batches, due dates, similarity.  Imported by reports, exports, nbgrader and the
command line."""
