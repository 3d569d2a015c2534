"""Pairs for preference training from a set's choices, minimal pairs or scores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from benchmarks.exports.services import exports
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from concord.documents.description import SetStatistics
from concord.formats.preference_writer import pairs_of_scores, preference_rows
from concord.formats.records import CandidateRecord, PairRecord
from core.refusals import RefusedError

# What people preferred by: their choices, minimal pairs, or the gold scores of two candidates.
Source = Literal["choices", "pairs", "scores"]
SOURCES: tuple[Source, ...] = ("choices", "pairs", "scores")
LABELS: dict[Source, str] = {
    "choices": "choices of people",
    "pairs": "minimal pairs",
    "scores": "scores of two answers",
}


def available(judgment_set: JudgmentSet) -> list[Source]:
    """The sources of which the set has anything, as far as its stored counts say."""
    statistics: SetStatistics = judgment_set.statistics
    has = {
        "choices": bool(statistics.get("judged_pairs")),
        "pairs": bool(judgment_set.n_pairs),
        "scores": bool(statistics["judged"] or statistics.get("criteria")),
    }
    return [source for source in SOURCES if has[source]]


def preference_lines(
    judgment_set: JudgmentSet, source: Source, min_gap: float = 0.0
) -> Iterator[str]:
    """JSON Lines of prompt, chosen and rejected, without what is hidden from the set's viewer.

    min_gap: of two scores, on the set's chosen criterion if any. Raises RefusedError where
    the set has no preference of this source.
    """
    rows = preference_rows(_pairs(judgment_set, source, min_gap))
    first = next(rows, None)
    if first is None:
        others = ", ".join(one for one in SOURCES if one != source)
        raise RefusedError(
            f"{judgment_set} has no preferences by {source}. Other sources: {others}.",
            "not-there-yet",
        )
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in _with_first(first, rows))


def _with_first(
    first: dict[str, object], rows: Iterator[dict[str, object]]
) -> Iterator[dict[str, object]]:
    yield first
    yield from rows


def _pairs(judgment_set: JudgmentSet, source: Source, min_gap: float) -> Iterable[PairRecord]:
    if source == "scores":
        candidates = sorted(
            _on_criterion(judgment_set, exports.visible_candidates(judgment_set)),
            key=lambda one: one.instance.key,
        )
        return pairs_of_scores(candidates, min_gap)
    is_judged = source == "choices"
    return (one for one in exports.visible_pairs(judgment_set) if bool(one.choices) == is_judged)


def _on_criterion(
    judgment_set: JudgmentSet, candidates: Iterable[CandidateRecord]
) -> Iterator[CandidateRecord]:
    """The candidates with their score on the chosen criterion."""
    name = criteria.chosen(judgment_set)
    for candidate in candidates:
        if name:
            scores = [one.score for one in candidate.criteria if one.name == name]
            candidate = replace(candidate, score=scores[0] if scores else None)
        yield candidate
