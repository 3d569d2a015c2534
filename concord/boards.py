"""Leaderboards: how far each metric agrees with people."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord.frames import FrameError, clusters, complete, set_frame
from concord.meta import table
from concord.meta.board import GROUPINGS, row_order, run_statistics
from concord.meta.comparing import ComparisonOptions, compare_steps
from concord.meta.documents.board import Board, BoardRow, MetricRow, board_row
from concord.meta.documents.comparison import Comparison, ComparisonRow
from concord.meta.inference import Sample, completed
from concord.metrics import MultiRef
from concord.scoring import Device, Progress, score, scoring_rows


@dataclass(frozen=True)
class Leaderboard:
    """A board: `rows` in rank order within each group, as `leaderboard --format json` has them."""

    name: str
    n: int
    by: str | None
    rows: list[BoardRow]

    def to_json(self) -> Board:
        """The JSON of `manage.py leaderboard`, without what only a stored set has (null)."""
        return {
            "judgment_set": self.name,
            "version": None,
            "content_hash": None,
            "illustrative": False,
            "n": self.n,
            "by": self.by,
            "rows": self.rows,
        }

    def to_csv(self) -> str:
        """The CSV of `manage.py leaderboard --format csv`."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(table.COLUMNS)
        writer.writerows(table.rows(self.to_json()))
        return out.getvalue()

    @property
    def frame(self) -> pd.DataFrame:
        """One row a metric (and group): its figures, best first."""
        return pd.DataFrame(
            [
                ({"group": row["group"]} if self.by else {})
                | {"metric": row["metric"], "n": row["n"]}
                | {name: row[name]["value"] for name in table.COEFFICIENTS}
                | dict(zip(("low", "high"), row["pearson"].get("ci") or (None, None), strict=True))
                | {"signature": row["signature"]}
                for row in self.rows
            ]
        )

    def _repr_html_(self) -> str:
        shown = self.frame.drop(columns="signature")
        html: str = shown.style.format(precision=3, na_rep="").hide(axis="index").to_html()
        return html


def leaderboard(
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
    """Each metric's correlation with people on a judgment frame, whole or `by` a grouping.

    Computes `metrics`, or takes `scores`, a result of `concord.score` on the same rows. The
    figures are those of the site's board: Pearson with Fisher's z interval, Spearman, Kendall's
    tau-b, over the judged candidates; a metric with a missing score has no figure and says why.
    Raises FrameError, MetricError; ValueError for an unknown grouping.
    """
    if by is not None and by not in GROUPINGS:
        raise ValueError(f"a board is by {', '.join(GROUPINGS)}, not by {by!r}")
    judged = complete(frame)
    found = _scores(frame, metrics, scores, multi_ref, device, progress)
    arrays = set_frame(judged)
    rows: list[BoardRow] = []
    for metric, about in scoring_rows(found).items():
        statistics = run_statistics(
            arrays,
            found[metric].to_numpy(np.float64),
            higher_is_better=about["higher_is_better"],
        )
        named: MetricRow = {"metric": metric, **about}
        rows += [board_row(named, row) for row in statistics["rows"][by or ""]]
    return Leaderboard(name, len(judged), by, sorted(rows, key=row_order))


def compare(
    frame: pd.DataFrame,
    metrics: str | Sequence[str] = "",
    *,
    scores: pd.DataFrame | None = None,
    options: ComparisonOptions | None = None,
    multi_ref: MultiRef = "max",
    device: Device = "auto",
) -> Comparison:
    """Which differences between metrics to believe: intervals, ranks and tests of every pair.

    The result of `concord.meta.comparing.compare_steps`, each of its "metrics" with its name and
    signature. Raises FrameError, MetricError, SampleError.
    """
    judged = complete(frame)
    found = _scores(frame, metrics, scores, multi_ref, device, None)
    about = scoring_rows(found)
    sample = Sample.of(
        {
            name: found[name].to_numpy(np.float64) * (1 if one["higher_is_better"] else -1)
            for name, one in about.items()
        },
        judged["score"].to_numpy(np.float64),
        items=judged["instance"].to_numpy(dtype=np.str_),
        systems=judged["system"].to_numpy(dtype=np.str_),
        clusters=clusters(judged),
    )
    result = completed(compare_steps(sample, options or ComparisonOptions())).result
    named: list[ComparisonRow] = [
        {"metric": name, "multi_ref": one["multi_ref"], "signature": one["signature"], **row}
        for (name, one), row in zip(about.items(), result["metrics"], strict=True)
    ]
    return {**result, "metrics": named}


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
        raise FrameError("scores must come from concord.score on the same rows")
    return scores
