"""A class, kept: the database, grading in batches, due dates, similarity.

Imported by reports, exports, nbgrader's room and the command line.
"""
