"""Platforms for human ratings, each served and used as its documentation says."""
