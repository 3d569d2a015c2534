"""Choices between candidates: the ranking of systems, and the pairs with their choices.

A choice of the best and the worst of a set is the pairs that it implies. Only ratings that the
ledger keeps are used. In the ranking and in a frozen set, an adjudicated pair or set counts once,
with what a person set; agreement, the effect of the side and the file have the raters' own choices.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from annotation.quality.services.gold import adjudicated_values
from annotation.quality.services.ledgers import ledger_state, removed_ratings
from annotation.quality.services.rating_data import cached, gold_stages, usable_ratings
from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate
from concord.formats.best_worst import implied_choices
from concord.formats.choices import AS_TIE, BOTH_BAD, ChoiceAnswer, as_choice
from concord.formats.concord_writer import pair_rows
from concord.formats.instances import pair_key
from concord.formats.preferences import Preference, counted_preferences, preferences_of
from concord.formats.records import ChoiceRecord, InstanceRecord, PairRecord
from concord.preferences import Ranking, rank_systems
from concord.protocols import Protocol

CHOICES: dict[int, ChoiceAnswer] = {-1: BOTH_BAD, 0: "tie", 1: 1, 2: 2}
# The worker of a choice that a person set.
ADJUDICATED = "adjudicated"
# Of a unit: the numbers of two of its candidates, from 1.
Members = tuple[int, int]
ChoicesOfUnit = dict[Members, list[ChoiceRecord]]
# What a person set of a unit: the main answer, and of a set the worst; None where nothing.
Decision = tuple[float | None, float | None]


class _Chosen(NamedTuple):
    """A rating with its main answer; `worst` is None for a pair."""

    rating: Rating
    best: int
    worst: int | None


def judged_pairs(
    study: Study, stages: Iterable[str] | None = None, *, decided: bool = False
) -> list[PairRecord]:
    """The pairs with kept choices of `stages`, by default those that count for the gold score.

    decided: an adjudicated pair or set has the choice that a person set, by the worker
    "adjudicated", in place of the raters'.
    """
    stages = gold_stages(study) if stages is None else stages
    protocol = study.current.protocol
    decisions = _adjudicated_answers(study) if decided else {}
    worst_names = _worst_names(study)
    by_unit: dict[int, list[_Chosen]] = defaultdict(list)
    for rating in _kept_choices(study, stages):
        worst = rating.answers.get(worst_names.get(rating.assignment.protocol_version_id, ""))
        by_unit[rating.candidate_id].append(_Chosen(rating, rating.value or 0, worst))
    instances: dict[int, InstanceRecord] = {}
    pairs = []
    for pk, rows in by_unit.items():
        unit = rows[0].rating.candidate
        parts = [part.candidate for part in unit.parts.all()]
        instance = instances.setdefault(unit.instance_id, InstanceRecord.from_row(unit.instance))
        choices = _of_decision(rows, decisions.get(pk), len(parts)) or _of_raters(rows, len(parts))
        for (first, second), records in sorted(choices.items()):
            both = parts[first - 1], parts[second - 1]
            pairs.append(_pair(protocol, unit, instance, both, records))
    return pairs


def preferences(study: Study, *, decided: bool = False) -> list[Preference]:
    """The kept choices between candidates of systems with names; `decided` as `judged_pairs`."""
    return list(preferences_of(judged_pairs(study, decided=decided)))


def ranking(study: Study, both_bad: str = AS_TIE) -> Ranking | None:
    """Systems by win probability, with side effect and alpha; None without choices. Cached.

    both_bad: what a choice that both candidates are bad counts (`counted_preferences`).
    The scores of a set's candidates are left out: the cache would grow with the study.
    """
    if not study.current.protocol.compares:
        return None
    adjudicated = _adjudicated_answers(study)

    def compute() -> tuple[Ranking | None]:
        rows = counted_preferences(preferences(study), both_bad)
        if not rows:
            return (None,)
        decisions = None
        if adjudicated:
            decisions = counted_preferences(preferences(study, decided=True), both_bad)
        has_ties = study.current.protocol.has_ties
        rng = np.random.default_rng(study.seed % 2**32)
        ranked = rank_systems(rows, ties=has_ties, rng=rng, decisions=decisions)
        if ranked.best_worst is not None:
            report = replace(ranked.best_worst, candidates={})
            ranked = replace(ranked, best_worst=report)
        return (ranked,)

    key = ("ranking of systems", ledger_state(study), repr(adjudicated), both_bad)
    return cached(study, key, compute)[0]


def ranking_document(study: Study, ranked: Ranking) -> dict[str, object]:
    """The ranking as JSON, without the score of every candidate of a set."""
    document = ranked.to_json()
    if "best_worst" in document:
        del document["best_worst"]["candidates"]
    return document


def choice_lines(study: Study) -> Iterator[str]:
    """One pair a line with its kept choices, in the format concord-pairs.

    Raises LedgerError at once.
    """
    rows = pair_rows(judged_pairs(study))
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _adjudicated_answers(study: Study) -> dict[int, Decision]:
    """By unit, what a person set."""
    best = adjudicated_values(study)
    worst: dict[int, float] = {}
    for criterion in study.current.protocol.criteria:
        if criterion.kind == "worst":
            worst = adjudicated_values(study, criterion.name)
    return {pk: (best.get(pk), worst.get(pk)) for pk in sorted({*best, *worst})}


def _of_decision(
    rows: Sequence[_Chosen], decision: Decision | None, size: int
) -> ChoicesOfUnit | None:
    """The choice that a person set; None where there is none.

    Of a set, best and worst are needed, and different: where a person set one of them, the other is
    the raters', if they all gave the same.
    """
    if decision is None:
        return None
    best = _decided(decision[0], {row.best for row in rows})
    worst = _decided(decision[1], {row.worst for row in rows})
    is_set = rows[0].worst is not None
    if best is None or best == worst or (is_set and worst is None):
        return None
    return {
        (first, second): [
            ChoiceRecord(ADJUDICATED, as_choice(choice), is_both_bad=choice == BOTH_BAD)
        ]
        for first, second, choice in _choices_of(best, worst, size)
    }


def _decided(value: float | None, of_raters: set[int | None]) -> int | None:
    if value is not None:
        return int(value)
    return next(iter(of_raters)) if len(of_raters) == 1 else None


def _of_raters(rows: Sequence[_Chosen], size: int) -> ChoicesOfUnit:
    choices: ChoicesOfUnit = defaultdict(list)
    for rating, best, worst in rows:
        for first, second, choice in _choices_of(best, worst, size):
            is_first = rating.shown.index(first) < rating.shown.index(second)
            record = ChoiceRecord(
                rating.worker.name,
                as_choice(choice),
                1 if is_first else 2,
                simulated=rating.simulated,
                is_both_bad=choice == BOTH_BAD,
            )
            choices[first, second].append(record)
    return choices


def _worst_names(study: Study) -> dict[int, str]:
    """By version of the protocol, the name of the criterion that asks for the worst of a set."""
    return {
        version.pk: criterion.name
        for version in study.protocol_versions.all()
        for criterion in version.protocol.criteria
        if criterion.kind == "worst"
    }


def _choices_of(value: int, worst: int | None, size: int) -> list[tuple[int, int, ChoiceAnswer]]:
    """The choices that a rating implies; `worst` is None for a pair."""
    if worst is None:
        return [(1, 2, CHOICES[value])]
    return [*implied_choices(size, value, worst)]


def _pair(
    protocol: Protocol,
    unit: StudyCandidate,
    instance: InstanceRecord,
    both: tuple[StudyCandidate, StudyCandidate],
    choices: list[ChoiceRecord],
) -> PairRecord:
    first, second = both
    set_key = unit.key if protocol.unit == "set" else ""
    key = pair_key(instance, first.text, second.text, set_key) if set_key else unit.key
    return PairRecord(
        key,
        instance,
        first.text,
        None,
        second.text,
        None,
        systems=(first.system, second.system),
        candidate_keys=(first.key, second.key),
        choices=tuple(choices),
        set_key=set_key,
    )


def _kept_choices(study: Study, stages: Iterable[str]) -> Iterable[Rating]:
    """The kept ratings of compared candidates, with these in order."""
    rows = (
        usable_ratings(study, stages)
        .exclude(pk__in=removed_ratings(study))
        .exclude(shown=[])
        .select_related("worker", "assignment", "candidate__instance")
        .prefetch_related("candidate__parts__candidate")
    )
    return rows.order_by("candidate__position", "pk")
