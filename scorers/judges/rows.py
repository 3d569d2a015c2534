"""What a judge reads: one candidate against one reference."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A candidate and a reference, with the question and the passage (either may be empty)."""

    passage: str
    question: str
    reference: str
    candidate: str
