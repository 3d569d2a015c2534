"""Back up the database to one file, and restore it into an empty database.

The keys for signing, encryption and pseudonyms are not in the database and not in a backup; `keys`
writes them to a separate file.
"""
