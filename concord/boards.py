"""Leaderboards: how well each metric agrees with people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from concord.documents.board import (
    COEFFICIENTS,
    BoardDocument,
    BoardRow,
    MetricRow,
    ScoringRow,
    board_row,
)
from concord.documents.comparison import ComparisonRow, UnnamedComparison
from concord.estimation.report import to_scores
from concord.estimation.sample import EstimationError
from concord.formats import SamplingRecord
from concord.formats.errors import choices_of
from concord.frames import (
    FrameError,
    cluster_codes,
    complete_frame,
    has_unequal_sampling,
    to_set_arrays,
)
from concord.meta.board import GROUPINGS, SetArrays, row_order, run_statistics
from concord.meta.comparing import (
    ComparisonOptions,
    compare_steps,
    interval_method,
    separating_test,
)
from concord.meta.inference import ScoredSample, run_steps
from concord.metrics import MultiRef
from concord.metrics.signature import model_variant, variant_suffix
from concord.sampling.stored import candidate_weights, count_unrated
from concord.scoring import Device, Progress, is_higher_better, metric_descriptions, score
from concord.tables import ResultTable, count, figure, text
from concord.tables.result import PlottedResult


@dataclass(frozen=True, kw_only=True)
class Leaderboard(BoardDocument):
    """A leaderboard of a frame; `rows` are best first in each group."""

    def to_json(self) -> dict[str, Any]:
        """The JSON of `manage.py leaderboard`, without criterion and ranks."""
        fields = super().to_json()
        return {name: fields[name] for name in fields if name not in ("criterion", "standings")}

    @property
    def frame(self) -> pd.DataFrame:
        """A row per metric (and group) with its figures, best first."""
        return pd.DataFrame(
            [
                ({"group": row["group"]} if self.by else {})
                | {"metric": row["metric"], "n": row["n"]}
                | {name: row[name]["value"] for name in COEFFICIENTS}
                | dict(zip(("low", "high"), row["pearson"].get("ci") or (None, None), strict=True))
                | {"signature": row["signature"]}
                for row in self.rows
            ]
        )


def leaderboard(  # noqa: PLR0913 - public, its arguments are optional
    frame: pd.DataFrame,
    metrics: str | Sequence[str] = "",
    *,
    scores: pd.DataFrame | None = None,
    by: str | None = None,
    multi_ref: MultiRef = "max",
    device: Device = "auto",
    name: str = "",
    progress: Progress | None = None,
) -> Leaderboard:
    """Correlate metrics with people on a judgment frame, overall or `by` a grouping.

    Computes `metrics`, or uses `scores`, a result of `concord.score` on the same rows. The
    figures are Pearson's r, Spearman's rho and Kendall's tau-b over the judged candidates, with
    intervals and p-values by the jackknife over passages (`concord.meta.correlation`). A metric
    with a missing score has a reason instead of a figure. Where candidates were drawn with unequal
    probabilities, figures are weighted: they estimate those of all candidates, drawn or not.
    Raises FrameError, MetricError, ValueError for an unknown grouping, and EstimationError for a
    design that is not complete.
    """
    if by is not None and by not in GROUPINGS:
        raise ValueError(f"unknown grouping {by!r}; choose one of {', '.join(GROUPINGS)}")
    judged = complete_frame(frame)
    arrays = _weighted(to_set_arrays(judged), judged)
    score_frame = _scores(frame, metrics, scores, multi_ref, device, progress)
    rows: list[BoardRow] = []
    for metric, description in metric_descriptions(score_frame).items():
        statistics = run_statistics(
            arrays,
            score_frame[metric].to_numpy(np.float64),
            higher_is_better=description["higher_is_better"],
            groupings=(by,) if by else (),
        )
        metric_row: MetricRow = {"metric": metric, **description}
        rows += [board_row(metric_row, row) for row in statistics["rows"][by or ""]]
    return Leaderboard(
        judgment_set=name,
        version=None,
        content_hash=None,
        illustrative=False,
        n=len(judged),
        by=by,
        weighted=arrays.weights is not None,
        unrated_draws=arrays.unrated_draws,
        rows=sorted(rows, key=row_order),
    )


def compare(
    frame: pd.DataFrame,
    metrics: str | Sequence[str] = "",
    *,
    scores: pd.DataFrame | None = None,
    options: ComparisonOptions | None = None,
    multi_ref: MultiRef = "max",
    device: Device = "auto",
) -> ComparedMetrics:
    """Compare metrics: intervals, ranks and significance tests of every pair.

    Returns the result of `concord.meta.comparing.compare_steps`, with the name and signature of
    each metric; with weights where candidates were drawn with unequal probabilities. Raises
    FrameError, MetricError, SampleError, and EstimationError for a design that is not complete.
    """
    judged = complete_frame(frame)
    arrays = _weighted(to_set_arrays(judged), judged)
    score_frame = _scores(frame, metrics, scores, multi_ref, device, None)
    descriptions = metric_descriptions(score_frame)
    sample = _sample(judged, arrays, score_frame)
    options = options or ComparisonOptions()
    weights = None if arrays.weights is None else arrays.weights[arrays.judged]
    result = run_steps(compare_steps(sample, options, weights))
    rows: list[ComparisonRow] = [
        {
            "metric": name,
            "multi_ref": description["multi_ref"],
            "signature": description["signature"],
            **row,
        }
        for (name, description), row in zip(descriptions.items(), result["metrics"], strict=True)
    ]
    return ComparedMetrics({**result, "metrics": rows})


class ComparedMetrics(dict[str, Any], PlottedResult):
    """A `Comparison`, which is still a dict, with its table and plot."""

    def tables(self) -> Iterable[ResultTable]:
        columns = [
            count("rank"),
            text("metric", lambda row: row["metric"] + variant_suffix(row["signature"])),
            figure("r", lambda row: row),
        ]
        return [
            ResultTable(
                "correlation with people", columns, self.best_first, plot="correlation with people"
            )
        ]

    def sentences(self) -> Iterable[str]:
        yield from (f"{row['metric']}: {row['reason']}" for row in self["metrics"]
                    if row["value"] is None)  # fmt: skip
        comparison = cast(UnnamedComparison, self)
        yield (
            f"n = {self['n']:,}; rank: 1 + the number of significantly better metrics ("
            f"{separating_test(comparison)}, {self['adjusted_by']}, {self['alpha']}); intervals: "
            f"{interval_method(comparison)}."
        )

    @property
    def best_first(self) -> list[ComparisonRow]:
        """The metrics that have a figure."""
        rows: list[ComparisonRow] = [row for row in self["metrics"] if row["value"] is not None]
        return sorted(rows, key=lambda row: -(row["value"] or 0.0))


def _sample(judged: pd.DataFrame, arrays: SetArrays, scores: pd.DataFrame) -> ScoredSample:
    return ScoredSample.from_scores(
        {
            name: scores[name].to_numpy(np.float64) * (1 if row["higher_is_better"] else -1)
            for name, row in metric_descriptions(scores).items()
        },
        arrays.gold,
        items=judged["instance"].to_numpy(dtype=np.str_),
        systems=judged["system"].to_numpy(dtype=np.str_),
        clusters=cluster_codes(judged),
    )


def _weighted(arrays: SetArrays, frame: pd.DataFrame) -> SetArrays:
    """The arrays with design weights where candidates were drawn with unequal probabilities."""
    if not has_unequal_sampling(frame):
        return arrays
    records = [None if row is None else SamplingRecord(**row) for row in frame["sampling"]]
    weights = candidate_weights(records, arrays.gold, arrays.clusters)
    return replace(
        arrays,
        gold=np.where(weights > 0, arrays.gold, np.nan),
        weights=weights,
        unrated_draws=count_unrated(records, arrays.gold),
    )


def all_scores(computed: pd.DataFrame | None, stored: pd.DataFrame | None) -> pd.DataFrame | None:
    """Results of `score` and of `stored_scores` side by side; None without either.

    Raises ValueError for a metric that both have.
    """
    parts = [one for one in (computed, stored) if one is not None]
    if not parts:
        return None
    scores = pd.concat(parts, axis=1)
    if len(set(scores.columns)) < scores.shape[1]:
        raise ValueError("a metric is named, and the file of scores has it too; name it once")
    scores.attrs["metrics"] = {
        name: row for part in parts for name, row in metric_descriptions(part).items()
    }
    return scores


def stored_scores(
    frame: pd.DataFrame,
    scores: pd.DataFrame,
    metrics: Sequence[str] | None = None,
    *,
    lower_is_better: Collection[str] = (),
    signatures: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Scores of a file (`read_scores`), or some columns of it, in the form of a result of `score`.

    A table whose index is a RangeIndex has the frame's order, and NaN where a score is missing.
    Lower is better for the columns `lower_is_better` and for metrics of the library that say so,
    such as ter. Signatures are unknown ("") but for those given. Raises EstimationError for an
    unknown metric, and where a candidate has no score.
    """
    judged = complete_frame(frame)
    values, names = to_scores(judged, scores, metrics)
    result = pd.DataFrame(values, columns=list(names), index=frame.index)
    if unknown := [name for name in lower_is_better if name not in names]:
        message = f"there are no scores of '{unknown[0]}'; {choices_of(names, 'metrics')}"
        raise EstimationError(message)
    descriptions: dict[str, ScoringRow] = {
        name: {
            "multi_ref": "max",
            "signature": (signatures or {}).get(name, ""),
            "variant": model_variant((signatures or {}).get(name, "")),
            "higher_is_better": name not in lower_is_better and is_higher_better(name),
            "items_per_second": None,
            "device": "",
        }
        for name in names
    }
    result.attrs["metrics"] = descriptions
    return result


def _scores(
    frame: pd.DataFrame,
    metrics: str | Sequence[str],
    scores: pd.DataFrame | None,
    multi_ref: MultiRef,
    device: Device,
    progress: Progress | None,
) -> pd.DataFrame:
    if scores is None:
        return score(frame, metrics, multi_ref=multi_ref, device=device, progress=progress)
    if len(scores) != len(frame) or "metrics" not in scores.attrs:
        raise FrameError("scores must be a result of concord.score on the same rows")
    return scores
