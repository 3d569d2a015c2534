"""Leaderboards: the stored statistics of metric runs, ranked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.runs.models import CriterionStatistics, MetricRun, visible_runs
from benchmarks.runs.services import releasing, scoring
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, frames, hidden
from concord.documents.board import (
    BoardDocument,
    BoardRow,
    CheckpointRow,
    RunRow,
    SubmissionRow,
    board_row,
)
from concord.documents.statistics import RunStatistics, StatisticsRow
from concord.inference import Estimate
from concord.meta import REVISION, clustered_mean
from concord.meta.board import GROUPINGS, row_order
from concord.metrics.signature import model_variant
from scorers import Metric, ModelError

NOT_SCORED = "not scored yet"


@dataclass(frozen=True)
class Board:
    """Rows by group and rank, as `leaderboard --format json` prints them."""

    judgment_set: JudgmentSet
    by: str | None
    rows: list[BoardRow]

    @property
    def document(self) -> BoardDocument:
        frame = frames.board_frame(self.judgment_set)
        return BoardDocument(
            judgment_set=self.judgment_set.name,
            version=self.judgment_set.version,
            content_hash=hidden.content_hash(self.judgment_set),
            illustrative=self.judgment_set.illustrative,
            criterion=criteria.chosen(self.judgment_set) or None,
            n=self.judgment_set.n_candidates,
            by=self.by,
            weighted=frame.weights is not None,
            unrated_draws=frame.unrated_draws,
            rows=self.rows,
        )


@dataclass(frozen=True)
class SystemMean:
    """A metric's mean over a system's candidates; corpus: its score of all of them together."""

    mean: Estimate
    corpus: float | None


@dataclass(frozen=True)
class SystemOnBoard:
    """A system with its mean by people, and by each metric run."""

    system: str
    n: int
    judged: int
    human: Estimate
    metrics: dict[int, SystemMean]


@dataclass(frozen=True)
class SystemBoard:
    """Each system's mean human score and its mean by every metric, best by people first."""

    metrics: list[RunRow]
    systems: list[SystemOnBoard]


def leaderboard(judgment_set: JudgmentSet, by: str | None = None) -> Board:
    """The board of all runs that the set's viewer may see, of the whole set or `by` a grouping, on
    the set's chosen criterion.

    Rows are sorted by group, then by Pearson's r, best first. A metric whose correlation is
    undefined, or that has not been scored yet, comes last with the reason. Raises ValueError if
    `by` is not one of GROUPINGS.
    """
    if by is not None and by not in GROUPINGS:
        raise ValueError(
            f"'{by}' is not a grouping of a board; groupings are {', '.join(GROUPINGS)}"
        )
    rows: list[BoardRow] = []
    for run in board_runs(judgment_set):
        metric = _run_row(run)
        if run.status != MetricRun.Status.COMPLETE:
            reason = run.reason or (run.status if not run.is_active else NOT_SCORED)
            rows.append(board_row(metric, _unscored(reason)))
            continue
        statistics = _statistics(judgment_set, run)
        rows += [
            releasing.release_row(judgment_set, by, board_row(metric, row))
            for row in statistics["rows"][by or ""]
        ]
    rows.sort(key=row_order)
    return Board(judgment_set, by, rows)


def system_board(judgment_set: JudgmentSet) -> SystemBoard:
    """Each system's human mean with its interval beside every metric's mean, best system first."""
    frame = frames.frame(judgment_set)
    runs = complete_board_runs(judgment_set)
    by_run = {run.pk: _system_means(judgment_set, run) for run in runs}
    is_withheld = releasing.is_withheld(judgment_set)
    systems = []
    for system, positions in frames.system_positions(judgment_set).items():
        judged = positions[np.isfinite(frame.gold[positions])]
        human = clustered_mean(frame.gold[judged], frame.clusters[judged])
        if is_withheld:
            human = Estimate(None, reason=releasing.WITHHELD)
        cells = {run.pk: by_run[run.pk][system] for run in runs}
        systems.append(SystemOnBoard(system, len(positions), len(judged), human, cells))
    systems.sort(key=_system_order)
    return SystemBoard([_run_row(run) for run in runs], systems)


def best_run(judgment_set: JudgmentSet) -> int | None:
    """The complete run that is first on the board; None without one."""
    rows = leaderboard(judgment_set).rows
    return next((row["run"] for row in rows if row["status"] == "complete"), None)


def board_runs(judgment_set: JudgmentSet) -> list[MetricRun]:
    """The runs that the set's viewer may see, in the order of their requests."""
    return list(visible_runs(judgment_set).exclude(status=MetricRun.Status.CANCELLED))


def complete_board_runs(judgment_set: JudgmentSet) -> list[MetricRun]:
    """The complete ones of `board_runs`."""
    return [run for run in board_runs(judgment_set) if run.status == MetricRun.Status.COMPLETE]


def _statistics(judgment_set: JudgmentSet, run: MetricRun) -> RunStatistics:
    """A complete run's statistics on the set's chosen criterion, or on the score.

    Where an older revision stored them, they are computed again.
    """
    statistics: RunStatistics | None = run.statistics
    if judgment_set.criterion is not None:
        row = run.criterion_statistics.filter(criterion=judgment_set.criterion).first()
        statistics = None if row is None else row.statistics
    if statistics is not None and statistics.get("revision") == REVISION:
        return statistics
    return _compute_statistics(judgment_set, run)


def _compute_statistics(judgment_set: JudgmentSet, run: MetricRun) -> RunStatistics:
    """Compute and store a complete run's statistics."""
    scores = run.score_array
    # Fetching the deferred scores fetches the run's set anew, without its criterion.
    run.judgment_set = judgment_set
    statistics = scoring.statistics_of(run, scores)
    if judgment_set.criterion is None:
        run.statistics = statistics
        run.save(update_fields=["statistics"])
    else:
        CriterionStatistics.objects.update_or_create(
            run=run, criterion=judgment_set.criterion, defaults={"statistics": statistics}
        )
    return statistics


def _system_means(judgment_set: JudgmentSet, run: MetricRun) -> dict[str, SystemMean]:
    """A metric's mean by system."""
    rows = _statistics(judgment_set, run)["systems"]
    return {
        row["system"]: SystemMean(Estimate.from_json(row["mean"]), row.get("corpus"))
        for row in rows
    }


def _run_row(run: MetricRun) -> RunRow:
    metric = metric_of(run)
    per_second = run.items_per_second
    if run.submission_id is not None and run.seconds:
        per_second = run.n_computed / run.seconds
    return {
        "metric": run.metric,
        "run": run.pk,
        "multi_ref": run.multi_ref,
        "signature": run.signature,
        "variant": model_variant(run.signature),
        "status": run.status,
        "higher_is_better": metric.higher_is_better,
        "items_per_second": per_second,
        "device": run.device,
        "submission": _submission(run),
        "checkpoint": _checkpoint(metric),
    }


def _checkpoint(metric: Metric) -> CheckpointRow | None:
    """A judge's checkpoint; None where it has none or it is missing."""
    try:
        description = metric.checkpoint_description
    except ModelError:
        return None
    if not description:
        return None
    return {"name": Path(metric.spec.options["checkpoint"]).name, "description": description}


def _submission(run: MetricRun) -> SubmissionRow | None:
    """The submission a metric comes from; None for the others."""
    submission = run.submission
    if submission is None:
        return None
    return {
        "pk": submission.pk,
        "kind": submission.kind,
        "authors": submission.authors,
        "link": submission.link,
        "is_public": submission.is_public,
    }


def _unscored(reason: str) -> StatisticsRow:
    return {
        "group": None,
        "n": 0,
        "pearson": {"value": None, "reason": reason},
        "spearman": {"value": None, "reason": reason},
        "kendall": {"value": None, "reason": reason},
        "pairs": {"n": 0, "accuracy": None, "value": None, "reason": reason},
    }


def _system_order(row: SystemOnBoard) -> tuple[bool, float, str]:
    value = row.human.value
    return (value is None, -(value or 0.0), row.system)
