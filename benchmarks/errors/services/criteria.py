"""What people said of a candidate on each criterion."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from benchmarks.sets.models import Candidate, CriterionRating
from concord.documents.description import WordsRow
from concord.formats.records import WordScale


@dataclass(frozen=True)
class CriterionJudgment:
    """The gold score of one candidate on a criterion, None without one, and its ratings."""

    name: str
    scale: tuple[float, float] | None
    score: float | None
    ratings: list[CriterionRating]

    @property
    def words(self) -> WordsRow | None:
        """The words of the scale, where ratings are words."""
        return self.scale.to_json() if isinstance(self.scale, WordScale) else None


def people_on_criteria(candidate: Candidate) -> list[CriterionJudgment]:
    """The candidate's judgments by criterion, in the set's order; only criteria that have one."""
    judgment_set = candidate.judgment_set
    if not judgment_set.statistics.get("criteria"):
        return []
    ratings: dict[int, list[CriterionRating]] = defaultdict(list)
    for rating in candidate.criterion_ratings.all():
        ratings[rating.criterion_id].append(rating)
    judgments = []
    for criterion in judgment_set.criteria.defer(None):
        gold = criterion.gold_array[candidate.position]
        score = None if np.isnan(gold) else float(gold)
        own = ratings[criterion.pk]
        if score is not None or own:
            judgments.append(CriterionJudgment(criterion.name, criterion.scale, score, own))
    return judgments
