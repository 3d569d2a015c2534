"""A metric's coefficients with the intervals of the board."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.boards.services import boards
from benchmarks.sets.models import JudgmentSet
from concord.documents.board import Ranking
from concord.documents.figures import FigureRow
from concord.meta.intervals import with_interval


@dataclass(frozen=True)
class RunCoefficient:
    """A coefficient of a run; `method` is that of its interval."""

    ranking: Ranking
    figure: FigureRow
    method: str

    @property
    def name(self) -> str:
        return self.ranking.capitalize()


def coefficients(judgment_set: JudgmentSet, run: int) -> list[RunCoefficient]:
    """The run's coefficients with the same intervals as on the board sorted by each of them."""
    row = boards.board_row(judgment_set, run)
    found: list[RunCoefficient] = []
    for ranking in boards.COEFFICIENTS:
        rank_row = boards.rank_rows(judgment_set, ranking).get(run)
        figure, method = with_interval(
            row[ranking], rank_row, weighted=judgment_set.has_unequal_sampling
        )
        found.append(RunCoefficient(ranking, figure, method))
    return found
