"""Administrators' pages of the site: its state, its jobs, its settings."""
