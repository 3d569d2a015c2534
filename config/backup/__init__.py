"""Backups of the database in one file, and restoring them into an empty one.

The keys that sign, seal identities and make pseudonyms are not in the database, and so in no
backup: `keys` writes them to a file of their own.
"""
