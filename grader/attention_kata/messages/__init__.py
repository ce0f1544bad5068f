"""What is said to people, as data until it is shown: templates and slots, audiences and languages.

Imported by whatever says something, and by whatever shows it.
"""
