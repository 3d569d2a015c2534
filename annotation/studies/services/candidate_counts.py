"""Counts of a study's candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

from django.db.models import Count, Q

from annotation.studies.models import Study, StudyCandidate, StudyInstance


@dataclass(frozen=True)
class CandidateCounts:
    """Counts of a study's candidates.

    `dropped` has pairs of reason and count. `shared` counts exact duplicates, which share the
    ratings of another candidate.
    """

    rated: int
    shared: int
    dropped: list[tuple[str, int]]
    qualification: int
    gold: int
    pairs: int
    instances: int
    passages: int
    splits: list[tuple[str, int]]
    constituents: list[tuple[str, bool, int]]

    @property
    def has_candidates(self) -> bool:
        return bool(self.rated or self.qualification or self.gold or self.dropped)


def count_candidates(study: Study) -> CandidateCounts:
    """Count the study's candidates; five queries."""
    use = StudyCandidate.Use
    rows = study.candidates.order_by()
    uses = dict(rows.values_list("use").annotate(n=Count("pk")))
    dropped = rows.filter(use=use.DROPPED).values_list("drop_reason").annotate(n=Count("pk"))
    rated = rows.filter(use=use.RATED)
    totals = rated.aggregate(
        shared=Count("same_as"),
        pairs=Count("pair", distinct=True),
        instances=Count("instance", distinct=True),
        # An instance without a passage has a key of its own.
        passages=Count("instance__passage_key", distinct=True, filter=~Q(instance__passage="")),
    )
    no_pair = rated.filter(pair="").exists()
    labels = rated.values_list(
        "instance__split", "instance__constituent", "instance__span_based"
    ).annotate(n=Count("pk"))
    splits: Counter[str] = Counter()
    constituents: Counter[tuple[str, bool]] = Counter()
    for split, constituent, span_based, n in labels:
        splits[split] += n
        constituents[constituent, span_based] += n
    return CandidateCounts(
        rated=uses.get(use.RATED, 0),
        shared=totals["shared"],
        dropped=sorted(dropped, key=lambda row: -row[1]),
        qualification=uses.get(use.QUALIFICATION, 0),
        gold=uses.get(use.GOLD, 0),
        pairs=totals["pairs"] - no_pair,
        instances=totals["instances"],
        passages=totals["passages"],
        splits=sorted(splits.items()),
        constituents=[(name, span, n) for (name, span), n in sorted(constituents.items())],
    )


class InstanceTexts(TypedDict):
    """Whether any of some instances has a question, and a reference."""

    questions: bool
    references: bool


def texts_of(instances: Iterable[StudyInstance]) -> InstanceTexts:
    """The texts that instances have, so that a table shows no empty column."""
    shown = list(instances)
    return {
        "questions": any(one.question for one in shown),
        "references": any(one.references for one in shown),
    }
