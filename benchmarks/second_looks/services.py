"""Second looks: the disagreements to choose from, the request, and what the new ratings say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from numpy.typing import NDArray

from annotation.quality.services.gold import study_gold
from annotation.stages.services.second_looks import request_second_look
from annotation.studies.models import Stage, Study
from annotation.studies.services import access as studies
from benchmarks.analyses.kinds.judge.computation import judged_sample
from benchmarks.runs.models import MetricRun
from benchmarks.second_looks.models import SecondLook, SecondLookItem
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import reports
from concord.judges import SecondLookFinding as Comparison
from concord.judges import second_look
from core import audit
from core.accounts.roles import Role, SiteUser

MAX_CANDIDATES = 500
SHOWN_KEYS = 20


class SecondLookRefusedError(ValueError):
    """There can be no second look; the message says why."""


@dataclass(frozen=True)
class JudgeDisagreement:
    """A candidate on which the judge is far from people. grade: the judge's, on people's scale: its
    own score where it has that scale, else one that is fitted on other passages."""

    candidate: Candidate
    grade: float
    gold: float


@dataclass(frozen=True)
class LookedAgain:
    """An item with the mean of its new ratings, None without any."""

    item: SecondLookItem
    again: float | None
    ratings: int


@dataclass(frozen=True)
class Findings:
    """rows: the farthest disagreement first. comparison: of those with new ratings."""

    rows: list[LookedAgain]
    comparison: Comparison


def disagreements(
    judgment_set: JudgmentSet,
    run: MetricRun,
    count: int,
    among: NDArray[np.bool_] | None = None,
) -> list[JudgeDisagreement]:
    """The `count` candidates with the largest distance between the judge and people.

    among: which of the candidates count, (n_candidates,); None: all. Raises AnalysisRefusedError
    where too few candidates have both.
    """
    grades = _grades(judgment_set, run)
    if among is not None:
        grades = {position: both for position, both in grades.items() if among[position]}
    positions = sorted(grades, key=lambda position: -abs(np.subtract(*grades[position])))[:count]
    rows = judgment_set.candidates.filter(position__in=positions).with_instance()
    by_position = {candidate.position: candidate for candidate in rows}
    return [JudgeDisagreement(by_position[position], *grades[position]) for position in positions]


def study_of(judgment_set: JudgmentSet, user: SiteUser) -> Study:
    """The study that the set was frozen from, of which the user is an editor.

    Raises SecondLookRefusedError for another set, StudyMissingError and RoleNeededError.
    """
    origin = reports.study_report(judgment_set)
    if origin is None:
        raise SecondLookRefusedError(
            f"{judgment_set} was not frozen from a study, whose raters could be asked again."
        )
    return studies.study_for(user, origin["slug"], Role.EDITOR)


def request(
    judgment_set: JudgmentSet,
    run: MetricRun,
    keys: Collection[str],
    ratings: int,
    *,
    by: User,
    at: datetime,
) -> SecondLook:
    """Ask other raters about the candidates with these keys: a stage of the set's study.

    Raises SecondLookRefusedError, StudyError, and what `study_of` and `disagreements` raise.
    """
    study = study_of(judgment_set, by)
    _check_first_ratings(judgment_set)
    _check_is_first(run)
    if not 1 <= len(set(keys)) <= MAX_CANDIDATES:
        raise SecondLookRefusedError(f"Choose 1 to {MAX_CANDIDATES} candidates.")
    candidates = _candidates(judgment_set, keys)
    grades = _grades(judgment_set, run)
    if missing := [one.key for one in candidates if one.position not in grades]:
        names = ", ".join(missing[:SHOWN_KEYS])
        raise SecondLookRefusedError(f"The judge or people gave no score to: {names}.")
    with transaction.atomic():
        stage = request_second_look(study, set(keys), ratings, by=by, at=at)
        _check_is_first(run)  # again, now that the study is locked
        look = SecondLook.objects.create(
            run=run,
            stage=stage,
            ratings=ratings,
            signature=run.signature,
            made_by=by,
            created_at=at,
        )
        SecondLookItem.objects.bulk_create(
            SecondLookItem(look=look, candidate=one, grade=grade, gold=gold)
            for one in candidates
            for grade, gold in [grades[one.position]]
        )
        about = {"judge": run.metric, "candidates": len(candidates), "study": study.slug}
        audit.record(by, "judge.second look", look, after=about, judgment_set=judgment_set)
    return look


def _check_first_ratings(judgment_set: JudgmentSet) -> None:
    """Raise SecondLookRefusedError if the set's gold scores include ratings of second looks: new
    ratings would be compared with themselves."""
    origin = reports.study_report(judgment_set)
    if origin is not None and Stage.Kind.SECOND_LOOK in origin["stages"]:
        raise SecondLookRefusedError(
            f"The gold scores of {judgment_set} include the ratings of a second look. Freeze a set "
            f"without the stage {Stage.Kind.SECOND_LOOK} to compare them."
        )


def _check_is_first(run: MetricRun) -> None:
    if SecondLook.objects.filter(run=run).exists():
        raise SecondLookRefusedError(f"{run.metric} has a second look already.")


def findings_for(look: SecondLook, user: SiteUser) -> Findings | None:
    """The `findings`, for members of the study: they include ratings of single candidates.

    Raises StudyMissingError and RoleNeededError.
    """
    studies.study_for(user, look.stage.study.slug, Role.VIEWER)
    return findings(look)


def findings(look: SecondLook) -> Findings | None:
    """What the new ratings say; None until the stage is closed, so that nobody acts on some of
    them."""
    if look.stage.status != Stage.Status.CLOSED:
        return None
    study = look.stage.study
    gold = study_gold(study, "mean", [Stage.Kind.SECOND_LOOK])
    items = list(look.items.select_related("candidate__instance"))
    keys = [item.candidate.key for item in items]
    by_key = {row.key: gold.of(row) for row in study.candidates.filter(key__in=keys)}
    rows = []
    for item in items:
        again = by_key.get(item.candidate.key)
        # An adjudicated value is no new rating.
        values = [] if again is None else [rating.value for rating in again.ratings]
        rows.append(LookedAgain(item, float(np.mean(values)) if values else None, len(values)))
    rows.sort(key=lambda row: -abs(row.item.grade - row.item.gold))
    rated = [row for row in rows if row.again is not None]
    return Findings(
        rows,
        second_look(
            np.array([row.item.grade for row in rated], dtype=np.float64),
            np.array([row.item.gold for row in rated], dtype=np.float64),
            np.array([row.again for row in rated], dtype=np.float64),
            _passages(rated),
        ),
    )


def reviewed_positions(run: MetricRun) -> set[int]:
    """The positions of the candidates of the run's second look. Their readers have seen
    what people say of them."""
    rows = SecondLookItem.objects.filter(look__run=run)
    return set(rows.values_list("candidate__position", flat=True))


def _grades(judgment_set: JudgmentSet, run: MetricRun) -> dict[int, tuple[float, float]]:
    """(judge's grade, people's score) by position."""
    sample = judged_sample(judgment_set, run)
    pairs = zip(sample.labels.values.tolist(), sample.gold.tolist(), strict=True)
    return dict(zip(sample.positions.tolist(), pairs, strict=True))


def _candidates(judgment_set: JudgmentSet, keys: Collection[str]) -> list[Candidate]:
    candidates = list(judgment_set.candidates.filter(key__in=keys).order_by("position"))
    if unknown := sorted(set(keys) - {one.key for one in candidates}):
        names = ", ".join(unknown[:SHOWN_KEYS])
        raise SecondLookRefusedError(f"{judgment_set} has no candidates with these keys: {names}.")
    return candidates


def _passages(rows: list[LookedAgain]) -> np.ndarray:
    keys = [row.item.candidate.instance.passage_key for row in rows]
    return np.unique(np.array(keys, dtype=np.str_), return_inverse=True)[1].reshape(-1)
