"""Metrics that are not of this house.

Nothing here knows of Django; what is allowed comes in as arguments.
"""
