"""The refusal that the services of studies share."""

from __future__ import annotations


class StudyError(ValueError):
    """What was asked of a study cannot be done now; the message says why and what to do."""
