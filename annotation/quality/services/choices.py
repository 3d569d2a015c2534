"""Choices between candidates: the ranking of systems, and the pairs with their choices.

A choice of the best and the worst of a set is the pairs that it implies. Only ratings that the
ledger keeps are used.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from annotation.quality.services.ledgers import ledger_state, removed_ratings
from annotation.quality.services.rating_data import cached, gold_stages, usable_ratings
from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate
from concord.formats.best_worst import implied_choices
from concord.formats.concord_writer import pair_rows
from concord.formats.instances import pair_key
from concord.formats.preferences import Preference, preferences_of
from concord.formats.records import Choice, ChoiceRecord, InstanceRecord, PairRecord
from concord.preferences import Ranking, rank_systems
from concord.protocols import Protocol

CHOICES: dict[int, Choice] = {0: "tie", 1: 1, 2: 2}
# Of a unit: the numbers of two of its candidates, from 1.
Members = tuple[int, int]


def judged_pairs(study: Study, stages: Iterable[str] | None = None) -> list[PairRecord]:
    """The pairs with kept choices of `stages`, by default those that count for the gold score."""
    stages = gold_stages(study) if stages is None else stages
    protocol = study.current.protocol
    worst_names = _worst_names(study)
    instances: dict[int, InstanceRecord] = {}
    units: dict[int, tuple[StudyCandidate, list[StudyCandidate]]] = {}
    choices: dict[int, dict[Members, list[ChoiceRecord]]] = defaultdict(dict)
    for rating in _kept_choices(study, stages):
        unit = rating.candidate
        _, parts = units.setdefault(unit.pk, (unit, [part.candidate for part in unit.parts.all()]))
        worst = rating.answers.get(worst_names.get(rating.assignment.protocol_version_id, ""))
        for first, second, choice in _choices_of(rating.value or 0, worst, len(parts)):
            is_first = rating.shown.index(first) < rating.shown.index(second)
            record = ChoiceRecord(
                rating.worker.name, choice, 1 if is_first else 2, simulated=rating.simulated
            )
            choices[unit.pk].setdefault((first, second), []).append(record)
    pairs = []
    for pk, (unit, parts) in units.items():
        instance = instances.setdefault(unit.instance_id, InstanceRecord.from_row(unit.instance))
        for (first, second), records in sorted(choices[pk].items()):
            both = parts[first - 1], parts[second - 1]
            pairs.append(_pair(protocol, unit, instance, both, records))
    return pairs


def preferences(study: Study) -> list[Preference]:
    """The kept choices between candidates of systems with names."""
    return list(preferences_of(judged_pairs(study)))


def ranking(study: Study) -> Ranking | None:
    """Systems by win probability, with side effect and alpha; None without choices. Cached."""
    if not study.current.protocol.compares:
        return None

    def compute() -> tuple[Ranking | None]:
        rows = preferences(study)
        has_ties = study.current.protocol.low == 0
        rng = np.random.default_rng(study.seed % 2**32)
        return (rank_systems(rows, ties=has_ties, rng=rng) if rows else None,)

    return cached(study, ("ranking", ledger_state(study)), compute)[0]


def choice_lines(study: Study) -> Iterator[str]:
    """One pair a line with its kept choices, in the format concord-pairs.

    Raises LedgerError at once.
    """
    rows = pair_rows(judged_pairs(study))
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _worst_names(study: Study) -> dict[int, str]:
    """By version of the protocol, the name of the criterion that asks for the worst of a set."""
    return {
        version.pk: criterion.name
        for version in study.protocol_versions.all()
        for criterion in version.protocol.criteria
        if criterion.kind == "worst"
    }


def _choices_of(value: int, worst: int | None, size: int) -> list[tuple[int, int, Choice]]:
    """The choices that a rating implies; `worst` is None for a pair."""
    return [(1, 2, CHOICES[value])] if worst is None else implied_choices(size, value, worst)


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
