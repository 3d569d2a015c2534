"""Prolific by its REST API."""
