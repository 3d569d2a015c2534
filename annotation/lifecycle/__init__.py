"""Copying, archiving and deleting studies."""
