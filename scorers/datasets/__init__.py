"""Readers of the sets that metrics are trained and evaluated on, in their published formats."""
