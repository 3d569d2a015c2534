"""What people enter to look at a judge's disagreements again, on the page and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.stages.services.second_looks import RATINGS
from benchmarks.second_looks.services import MAX_CANDIDATES
from concord.bounds import REQUIRED, Text, described, items


@dataclass(frozen=True, slots=True)
class NewSecondLook:
    """The candidates to rate again, and how often."""

    candidates: tuple[str, ...] = field(
        metadata=items(
            MAX_CANDIDATES,
            min_items=1,
            each=Text(1000, REQUIRED, exact=True),
            help="Keys of the candidates.",
        )
    )
    ratings: int = field(default=3, metadata=described(RATINGS, "New ratings of each candidate"))
