"""Reads behind the pages: sets without their arrays, one candidate's scores, ranks, pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from django.db.models import Count, F, FloatField, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from numpy.typing import NDArray

from benchmarks.errors.services import disagreements
from benchmarks.exports.services.exports import column_names
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services import scoring
from benchmarks.sets.models import Candidate, JudgmentSet, MinimalPair
from benchmarks.sets.services import frames, hidden
from benchmarks.sets.viewers import PUBLIC
from concord.formats import ImportReport
from concord.meta.board import GROUPINGS
from concord.meta.breakdowns import natural

COMPLETE = MetricRun.Status.COMPLETE


@dataclass(frozen=True)
class Standing:
    """A score of one candidate and the share of candidates below it (ties count half), in [0, 1].

    By a metric whose lower scores are better, "below" is "worse" all the same. No score, or
    nothing to compare it with: None.
    """

    run: MetricRun | None
    name: str
    score: float | None
    above: float | None
    higher_is_better: bool = True


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate with its score and the shares of candidates below it, by metric and people."""

    candidate: Candidate
    score: float
    by_metric: float
    by_people: float

    @property
    def difference(self) -> float:
        """Positive where the metric ranks the candidate higher than people do."""
        return self.by_metric - self.by_people


@dataclass(frozen=True)
class Verdict:
    """What a metric says of a minimal pair: "right", "tie", "wrong", or "none" without scores."""

    pair: MinimalPair
    score1: float | None
    score2: float | None
    verdict: str
    lead: float = 0.0
    """How much higher the better candidate's score is; negative where the metric is wrong."""


def best_metrics(judgment_sets: Iterable[JudgmentSet]) -> dict[int, MetricRun]:
    """Each set's complete public run with the highest Pearson correlation, as `run.best`."""
    whole = KeyTransform("", KeyTransform("rows", "statistics"))
    value = KeyTextTransform("value", KeyTransform("pearson", KeyTransform(0, whole)))
    every = list(judgment_sets)
    masked = hidden.sets_with_any(every)
    shown = [one for one in every if one.name not in masked or not hidden.withheld(one)]
    runs = MetricRun.objects.filter(judgment_set__in=shown, status=COMPLETE)
    best = (
        runs.visible_to(PUBLIC)
        .annotate(best=Cast(value, FloatField()))
        .filter(best__isnull=False)
        .order_by("judgment_set_id", "-best", "pk")
        .distinct("judgment_set_id")
        .only("metric", "multi_ref", "judgment_set_id")
    )
    return {run.judgment_set_id: run for run in best}


def complete_runs(judgment_set: JudgmentSet) -> list[MetricRun]:
    """Visible complete runs without their statistics, each with its `name` for people."""
    runs = visible_runs(judgment_set).filter(status=COMPLETE).defer("statistics")
    return with_names(list(runs.order_by("metric", "multi_ref", "pk")))


def with_names(runs: list[MetricRun]) -> list[MetricRun]:
    """The runs, each with `name`: the metric, and how references are combined if not by max."""
    for run, name in zip(runs, column_names(runs), strict=True):
        run.name = name  # type: ignore[attr-defined]
    return runs


def group_names(judgment_set: JudgmentSet) -> dict[str, list[str]]:
    """By grouping, the names that occur among the set's candidates, in order."""
    labels = frames.frame(judgment_set).labels
    return {
        grouping: sorted(set(labels[grouping].tolist()) - {""}, key=natural)
        for grouping in GROUPINGS
    }


def active_runs_before(run: MetricRun) -> int:
    """How many runs, of any set, were asked for before this one and are not done."""
    active = MetricRun.objects.filter(status__in=MetricRun.ACTIVE)
    return active.filter(created_at__lt=run.created_at).exclude(pk=run.pk).count()


def oldest_wait(judgment_set: JudgmentSet, *, at: datetime) -> float | None:
    """Seconds since the oldest queued run of the set was asked for; None when none is queued."""
    queued = judgment_set.runs.filter(status=MetricRun.Status.QUEUED).order_by("created_at")
    asked = queued.values_list("created_at", flat=True).first()
    return None if asked is None else (at - asked).total_seconds()


def file_names(report: dict[str, Any]) -> list[str]:
    """The names of the files an import read, without the folders they lay in."""
    return [Path(file).name for file in report.get("files", [])]


def report_lines(report: dict[str, Any]) -> list[str]:
    """An import's report in sentences; of the pairs' import too, where there was one."""
    known = ImportReport.__dataclass_fields__
    lines: list[str] = []
    if "files" in report and "format" in report:
        shown = {name: value for name, value in report.items() if name in known}
        lines += ImportReport(**shown | {"files": file_names(report)}).lines()
    if report.get("study"):
        lines += _study_lines(report["study"])
    if report.get("added_to"):
        lines.append(f"Added to {report['added_to']}, whose rows are all kept.")
    return lines + (report_lines(report["pairs"]) if report.get("pairs") else [])


def _study_lines(study: dict[str, Any]) -> list[str]:
    """How a set that was frozen from a study came about, in sentences."""
    alpha = study["alpha"]["after"]["alpha"]
    lines = [
        f"Frozen from the study {study['slug']}, protocol version {study['protocol_version']}, "
        f"seed {study['seed']}; ratings of: {', '.join(study['stages'])}.",
        f"Gold score: {study['aggregation']} of {study['ratings_kept']:,} ratings by "
        f"{study['raters']:,} raters; {study['ratings_left_out']:,} left out by a ledger of "
        f"{len(study['ledger'])} steps; {study['settled']:,} settled by hand.",
        "Its ratings are those that the ledger keeps.",
    ]
    if alpha is not None:
        lines.append(f"Ordinal alpha of the ratings kept: {alpha:.3f}.")
    if study["alpha"]["said"]:
        lines.append(study["alpha"]["said"])
    lines += [f"Left out: {n:,}, {reason}." for reason, n in study["left_out"].items()]
    if study["pairs_turned"]:
        lines.append(
            f"Minimal pairs left out, the better answer not rated higher: "
            f"{len(study['pairs_turned']):,}."
        )
    return lines


def standings(judgment_set: JudgmentSet, candidate: Candidate) -> tuple[Standing, list[Standing]]:
    """Where a candidate stands by people, and by each metric that is complete.

    Nothing is known of one whose labels are hidden from the set's viewer.
    """
    if hidden.of(judgment_set).candidates[candidate.position]:
        return Standing(None, "people", None, None), []
    gold = frames.frame(judgment_set).gold
    people = Standing(None, "people", candidate.gold, _share_below(gold, candidate.position))
    # The scores of all metrics in one query: they are deferred by default.
    runs = visible_runs(judgment_set).filter(status=COMPLETE).defer(None)
    runs = runs.defer("known_scores", "statistics")
    found = []
    for run in with_names(list(runs.order_by("metric", "multi_ref", "pk"))):
        scores = run.score_array[: judgment_set.n_candidates]
        up = scoring.metric_of(run).higher_is_better
        above = _share_below(scores if up else -scores, candidate.position)
        score = _number(scores[candidate.position])
        found.append(Standing(run, run.name, score, above, up))  # type: ignore[attr-defined]
    return people, found


def rank_disagreements(
    run: MetricRun, count: int, *, direction: str = "both", **labels: str
) -> list[RankedCandidate]:
    """The `count` judged candidates with the largest difference in rank, largest first.

    `direction` is "over" (ranked higher by the metric than by people), "under" or "both";
    `labels` restricts the candidates, and the ranks are those among them.
    """
    positions, gold, scores = disagreements.points(run, **labels)
    known = np.isfinite(scores)
    positions, gold, scores = positions[known], gold[known], scores[known]
    turned = scores if scoring.metric_of(run).higher_is_better else -scores
    by_metric, by_people = disagreements.shares_below(turned), disagreements.shares_below(gold)
    difference = by_metric - by_people
    size = {"over": difference, "under": -difference, "both": np.abs(difference)}[direction]
    order = np.argsort(-size, kind="stable")[:count]
    order = order[size[order] > 0]
    rows = run.judgment_set.candidates.filter(position__in=positions[order].tolist())
    candidates = {candidate.position: candidate for candidate in rows.with_instance()}
    return [
        RankedCandidate(
            candidates[int(positions[at])],
            float(scores[at]),
            float(by_metric[at]),
            float(by_people[at]),
        )
        for at in order
    ]


def neighbours(
    judgment_set: JudgmentSet, candidate: Candidate
) -> tuple[Candidate | None, Candidate | None]:
    """The candidates before and after this one in the set, where there are such."""
    around = (candidate.position - 1, candidate.position + 1)
    rows = judgment_set.candidates.filter(position__in=around)
    rows = rows.only("key", "position", "judgment_set")
    found = {row.position: row for row in rows}
    return found.get(around[0]), found.get(around[1])


def keys_at(judgment_set: JudgmentSet, positions: list[int]) -> dict[int, str]:
    """The candidates' keys by position."""
    rows = judgment_set.candidates.filter(position__in=positions)
    return dict(rows.values_list("position", "key"))


def phenomena(judgment_set: JudgmentSet) -> list[tuple[str, int]]:
    """Each phenomenon of the pairs that are shown, with their number, in order."""
    counted = _shown_pairs(judgment_set).order_by("phenomenon").values_list("phenomenon")
    return list(counted.annotate(count=Count("pk")))


def verdicts(
    judgment_set: JudgmentSet, run: MetricRun | None, *, phenomenon: str | None = None
) -> list[Verdict]:
    """The pairs whose labels the set's viewer may see, or those of one phenomenon, in order, with
    what the run's metric says."""
    pairs = _shown_pairs(judgment_set).select_related("instance")
    pairs = pairs.order_by(F("phenomenon"), "position")
    if phenomenon is not None:
        pairs = pairs.filter(phenomenon=phenomenon)
    if run is None:
        return [Verdict(pair, None, None, "none") for pair in pairs]
    members = run.score_array[judgment_set.n_candidates :]
    up = scoring.metric_of(run).higher_is_better
    return [
        _verdict(pair, members[2 * pair.position], members[2 * pair.position + 1], up)
        for pair in pairs
    ]


def _shown_pairs(judgment_set: JudgmentSet) -> QuerySet[MinimalPair]:
    masked = np.flatnonzero(hidden.of(judgment_set).pairs)
    pairs: QuerySet[MinimalPair] = judgment_set.pairs.all()
    return pairs.exclude(position__in=masked.tolist()) if len(masked) else pairs


def _verdict(pair: MinimalPair, first: float, second: float, up: bool) -> Verdict:
    score1, score2 = _number(first), _number(second)
    if score1 is None or score2 is None:
        return Verdict(pair, score1, score2, "none")
    if score1 == score2:
        return Verdict(pair, score1, score2, "tie")
    lead = score1 - score2 if up else score2 - score1
    return Verdict(pair, score1, score2, "right" if lead > 0 else "wrong", lead)


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _share_below(values: NDArray[np.float64], position: int) -> float | None:
    """The share of the finite values below the one at `position`, equal others counting half."""
    known = values[np.isfinite(values)]
    own = values[position]
    if not np.isfinite(own) or len(known) < 2:
        return None
    below, equal = np.count_nonzero(known < own), np.count_nonzero(known == own)
    return float((below + 0.5 * (equal - 1)) / (len(known) - 1))
