"""Going out: calls to other people's servers, and metrics that are not of this house.

Nothing here knows of Django; what is allowed comes in as arguments.
"""
