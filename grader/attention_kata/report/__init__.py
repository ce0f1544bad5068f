"""Reports for people: the class in one HTML page for its instructor, and what each student may read.  Imported by the
command line."""
