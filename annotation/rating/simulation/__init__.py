"""Simulated raters on the rating pages, over HTTP."""
