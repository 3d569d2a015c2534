"""Bounds of a judgment set's texts, on pages and in the API."""

from __future__ import annotations

from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from concord.bounds import REQUIRED, Text
from core.column_bounds import max_length

SET_NAME = Text(
    max_length(JudgmentSet, "name"),
    REQUIRED,
    pattern=rf"^{NAME_PATTERN}\Z",
    pattern_help="Use lower-case letters, digits, periods, hyphens and underscores; begin with a "
    "letter or digit.",
)
SET_TITLE = Text(max_length(JudgmentSet, "title"))
# The name of a split, a criterion or another group.
GROUP_NAME = Text(500, REQUIRED, exact=True)
