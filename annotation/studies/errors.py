"""The error shared by the services of studies."""

from __future__ import annotations


class StudyError(ValueError):
    """The action is not possible now. The message says why and what to do."""
