"""Disagreements of metrics with people, and changed versions."""
