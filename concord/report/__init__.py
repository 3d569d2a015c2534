"""A report of files of judgments as one HTML page that needs no script and no other file."""
