"""Choices between two candidates: the ranking of systems, and a file of the choices.

Only ratings that the ledger keeps, of stages that count for the gold score, are used. In the
ranking, an adjudicated pair counts once, with the value that a person set; agreement, the effect of
the side and the file have the raters' own choices.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from annotation.quality.services.gold import adjudicated_values
from annotation.quality.services.ledgers import ledger_state, removed_ratings
from annotation.quality.services.rating_data import cached, gold_stages, usable_ratings
from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate
from concord.formats.preferences import Preference, Preferred
from concord.preferences import Ranking, choices_agreement, rank_systems, side_bias

CHOICES: dict[int, Preferred] = {0: "tie", 1: "first", 2: "second"}


def preferences(study: Study) -> list[Preference]:
    """The kept choices of raters between candidates of two systems; two queries."""
    rows = [
        Preference(
            question=rating.candidate.instance.key,
            pair=rating.candidate.key,
            first=parts[0].system,
            second=parts[1].system,
            choice=CHOICES[rating.value or 0],
            worker=rating.worker.name,
            first_shown=rating.shown[0],
        )
        for rating, parts in _kept_choices(study)
    ]
    return [row for row in rows if row.first and row.second and row.first != row.second]


def decisions(study: Study, rows: list[Preference]) -> list[Preference]:
    """The choices, with one of nobody in place of those on each adjudicated pair."""
    values = adjudicated_values(study)
    keys = dict(study.candidates.filter(pk__in=values).values_list("key", "pk"))
    replaced: set[str] = set()
    result = []
    for row in rows:
        pk = keys.get(row.pair)
        if pk is None:
            result.append(row)
        elif row.pair not in replaced:
            replaced.add(row.pair)
            choice = CHOICES[int(values[pk])]
            result.append(replace(row, choice=choice, worker="", first_shown=None))
    return result


def ranking(study: Study) -> Ranking | None:
    """Systems by win probability, with side effect and alpha; None without choices. Cached."""
    if study.current.protocol.unit != "pair":
        return None

    def compute() -> tuple[Ranking | None]:
        rows = preferences(study)
        has_ties = study.current.protocol.low == 0
        rng = np.random.default_rng(study.seed % 2**32)
        if not rows:
            return (None,)
        ranked = rank_systems(decisions(study, rows), ties=has_ties, rng=rng)
        ranked = replace(
            ranked,
            choices=len(rows),
            alpha=choices_agreement(rows, ties=has_ties),
            first_wins=side_bias(rows, ties=has_ties),
        )
        return (ranked,)

    adjudicated = repr(sorted(adjudicated_values(study).items()))
    return cached(study, ("ranking", ledger_state(study), adjudicated), compute)[0]


def ranking_document(study: Study, ranked: Ranking) -> dict[str, Any]:
    """The ranking as JSON, with whether its pairs were chosen by earlier choices."""
    is_adaptive = study.current.protocol.pairs.design == "adaptive"
    return {**ranked.to_json(), "is_adaptive": is_adaptive}


def choice_lines(study: Study) -> Iterator[str]:
    """One pair a line with its kept choices, in the format concord-pairs.

    Raises LedgerError at once.
    """
    ratings: dict[int, list[dict[str, Any]]] = {}
    units: dict[int, tuple[StudyCandidate, list[StudyCandidate]]] = {}
    for rating, parts in _kept_choices(study):
        units.setdefault(rating.candidate_id, (rating.candidate, parts))
        ratings.setdefault(rating.candidate_id, []).append(
            {
                "worker": rating.worker.name,
                "choice": rating.value or "tie",
                "first_shown": rating.shown[0],
            }
        )
    return (_line(*units[pk], chosen) for pk, chosen in ratings.items())


def _line(unit: StudyCandidate, parts: list[StudyCandidate], ratings: list[dict[str, Any]]) -> str:
    instance = unit.instance
    row = {
        "id": unit.key,
        "instance": instance.key,
        "passage": instance.passage,
        "question": instance.question,
        "references": instance.references,
        "candidate1": parts[0].text,
        "system1": parts[0].system,
        "candidate2": parts[1].text,
        "system2": parts[1].system,
        "ratings": ratings,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _kept_choices(study: Study) -> list[tuple[Rating, list[StudyCandidate]]]:
    """The kept ratings of pairs, each with the compared candidates in order."""
    rows = (
        usable_ratings(study, gold_stages(study))
        .exclude(pk__in=removed_ratings(study))
        .exclude(shown=[])
        .select_related("worker", "candidate__instance")
        .prefetch_related("candidate__parts__candidate")
        .order_by("candidate__position", "pk")
    )
    return [(row, [part.candidate for part in row.candidate.parts.all()]) for row in rows]
