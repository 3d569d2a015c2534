"""Platforms for human ratings, each served and rated as its own documents say."""
