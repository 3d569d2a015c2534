"""Adaptive pairs: batches of pairs that tell most about the ranking of the study's systems.

What is chosen, by which probabilities, and what was known then is stored (`PairBatch`). The choice
of the pair of systems is that of `concord.preferences.adaptive`; its question is drawn with equal
probabilities from those on which both systems have an answer and were not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, QuerySet
from numpy.typing import NDArray

from annotation.studies.errors import StudyError
from annotation.studies.models import ComparedCandidate, PairBatch, Study, StudyCandidate
from annotation.studies.services.units import single_candidates, store_units, unit_key
from concord.formats.preferences import Preference
from concord.preferences import choose_pairs
from concord.preferences.adaptive import knowledge
from concord.protocols import PairRules

Use = StudyCandidate.Use
# Of the winner and the loser for the first candidate of a pair.
POINTS = {"first": (1.0, 0.0), "second": (0.0, 1.0), "tie": (0.5, 0.5)}
WITHOUT_SYSTEM = (
    "Adaptive pairs are chosen by system, and these candidates have none: {keys}. Name the "
    "systems, or choose another design of pairs."
)
TWICE = (
    "Adaptive pairs need one answer of a system to a question. {system} has two or more to {key}."
)


@dataclass(frozen=True)
class Answers:
    """The candidates that can be compared. ids: int64 (questions, systems), 0 where a system has no
    answer to a question. questions: the number of each instance, by its id."""

    systems: list[str]
    questions: dict[int, int]
    ids: NDArray[np.int64]


@dataclass(frozen=True)
class PairPlan:
    """How many pairs are compared: of a batch, in all, and chosen so far."""

    batch: int
    budget: int
    chosen: int


def pair_plan(study: Study) -> PairPlan | None:
    """The plan of adaptive pairs; None for another design, and without a first batch."""
    rules = study.current.protocol.pairs
    if not study.pair_batches.exists():
        return None
    of_questions = _comparable(study).order_by().values("instance").annotate(answers=Count("pk"))
    answers = np.array(of_questions.values_list("answers", flat=True), dtype=np.int64)
    chosen = study.candidates.filter(use=Use.RATED, parts__isnull=False).distinct().count()
    return PairPlan(rules.batch, _budget(rules, answers), chosen)


def _budget(rules: PairRules, answers: NDArray[np.int64]) -> int:
    """How many pairs are compared in all; answers: how many systems answer each question."""
    pairs = int((answers * (answers - 1)).sum()) // 2
    return rules.budget(int(answers.sum()), pairs)


def is_over(study: Study) -> bool:
    """Whether no batch follows: pairs are not adaptive, or the last batch was chosen."""
    batches = study.pair_batches.order_by("-number").values_list("is_last", flat=True)
    return batches.first() is not False


def choose(study: Study, preferences: Sequence[Preference]) -> list[int]:
    """Choose and store the next batch by the choices so far; returns the ids of its units.

    Empty where the protocol's number of pairs is reached, or no pair is left. Call it in a
    transaction that locks the study or its stage. Raises StudyError for candidates without a
    system, and for two of one system to one question.
    """
    rules, answers = study.current.protocol.pairs, _answers(study)
    compared = _compared(study, answers)
    present = (answers.ids > 0).astype(np.int64)
    possible = present.T @ present
    np.fill_diagonal(possible, 0)
    used = np.zeros_like(possible)
    for _, first, second in compared.values():
        used[first, second] += 1
        used[second, first] += 1
    budget = _budget(rules, present.sum(axis=1))
    size = min(rules.batch, budget - len(compared))
    if size <= 0:
        return []
    wins, pending = _results(study, answers, compared, preferences)
    number = study.pair_batches.count() + 1
    rng = np.random.default_rng([study.seed, number, 2])
    ratings = study.current.protocol.rating_rules[0].ratings
    chosen = choose_pairs(wins, pending, possible - used, size, ratings, rng)
    taken = set(compared.values())
    parts, probabilities = [], []
    for one in chosen:
        both = np.flatnonzero(present[:, one.first] & present[:, one.second])
        free = [at for at in both.tolist() if (at, one.first, one.second) not in taken]
        question = free[int(rng.integers(len(free)))]
        taken.add((question, one.first, one.second))
        parts.append(
            (int(answers.ids[question, one.first]), int(answers.ids[question, one.second]))
        )
        probabilities.append((one.probability, 1 / len(free), one.information))
    units = _store(study, parts)
    strengths, covariance = knowledge(wins)
    deviations = np.sqrt(np.diag(covariance))
    PairBatch.objects.create(
        study=study,
        number=number,
        seed=study.seed,
        choices=len(preferences),
        strengths={
            name: [float(strengths[at]), float(deviations[at])]
            for at, name in enumerate(answers.systems)
        },
        pairs=[[unit, *row] for unit, row in zip(units, probabilities, strict=True)],
        is_last=len(compared) + len(units) >= budget,
    )
    return units


def _comparable(study: Study) -> QuerySet[StudyCandidate]:
    """The candidates that can be compared: each different answer once."""
    return single_candidates(study).filter(use=Use.COMPARED, same_as=None)


def _answers(study: Study) -> Answers:
    rows = list(
        _comparable(study).order_by("position").values_list("pk", "key", "instance_id", "system")
    )
    nameless = [key for _, key, _, system in rows if not system]
    if nameless:
        raise StudyError(WITHOUT_SYSTEM.format(keys=", ".join(nameless[:20])))
    systems = sorted({system for *_, system in rows})
    codes = {name: code for code, name in enumerate(systems)}
    questions: dict[int, int] = {}
    ids: dict[tuple[int, int], int] = {}
    for pk, key, instance, system in rows:
        place = questions.setdefault(instance, len(questions)), codes[system]
        if ids.setdefault(place, pk) != pk:
            raise StudyError(TWICE.format(system=system, key=key))
    table = np.zeros((len(questions), len(systems)), dtype=np.int64)
    for (question, code), pk in ids.items():
        table[question, code] = pk
    return Answers(systems, questions, table)


def _compared(study: Study, answers: Answers) -> dict[str, tuple[int, int, int]]:
    """By the key of each unit so far, its question and its two systems, in ascending order."""
    codes = {name: code for code, name in enumerate(answers.systems)}
    parts = ComparedCandidate.objects.filter(unit__study=study, unit__use=Use.RATED)
    ends: dict[str, list[int]] = {}
    questions: dict[str, int] = {}
    columns = ("unit__key", "candidate__instance_id", "candidate__system")
    for key, instance, system in parts.values_list(*columns):
        ends.setdefault(key, []).append(codes[system])
        questions[key] = answers.questions[instance]
    return {key: (questions[key], min(both), max(both)) for key, both in ends.items()}


def _results(
    study: Study,
    answers: Answers,
    compared: dict[str, tuple[int, int, int]],
    preferences: Sequence[Preference],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wins of each system against each other, ties counting half, and choices still to come."""
    codes = {name: code for code, name in enumerate(answers.systems)}
    wins, pending = np.zeros((2, len(codes), len(codes)))
    counts: Counter[str] = Counter()
    for row in preferences:
        first, second = codes[row.first], codes[row.second]
        won, lost = POINTS[row.choice]
        wins[first, second] += won
        wins[second, first] += lost
        counts[row.pair] += 1
    wanted = study.current.protocol.rating_rules[0].ratings
    for key, (_, first, second) in compared.items():
        missing = max(0, wanted - counts[key])
        pending[first, second] += missing
        pending[second, first] += missing
    return wins, pending


def _store(study: Study, parts: Sequence[tuple[int, ...]]) -> list[int]:
    """Store the units that compare these candidates; returns their ids."""
    pks = {pk for both in parts for pk in both}
    rows = StudyCandidate.objects.select_related("instance").in_bulk(pks)
    # The first of a pair is the one that was uploaded first, as in the other designs.
    compared = [sorted((rows[pk] for pk in both), key=lambda row: row.position) for both in parts]
    fields = [{"key": unit_key(both)} for both in compared]
    return [unit.pk for unit in store_units(study, compared, fields)]
