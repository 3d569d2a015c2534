"""The sections of a report: results of the functions that the commands print, as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord import boards, raters
from concord.documents.findings import GroupAlphaRow
from concord.documents.statistics import PairsRow, PhenomenonRow
from concord.estimation import (
    EstimationError,
    SampleReplay,
    default_sizes,
    replay_steps,
    to_sample,
)
from concord.findings import agreement_findings, group_alpha, metrics_finding
from concord.formats.instances import passage_key
from concord.formats.records import PairRecord, scale_text
from concord.frames import FrameError, cluster_codes
from concord.meta.inference import SampleError, run_steps
from concord.meta.json_values import triangle_entry
from concord.meta.pairs import pairs_by_phenomenon
from concord.plots import matrix_plot
from concord.reliability import Level, RatingsError
from concord.report.html import matrix
from concord.sampling import estimate_sampled
from concord.scoring import metric_descriptions, score
from concord.sentences import counted, decimal
from concord.tables import ResultColumn, ResultTable, count, figure, point, text
from concord.tables.html import Html, html_table, paragraph, to_html
from concord.tables.result import Result

REPLAY_DRAWS = 100
MIN_REPLAY_PASSAGES = 20


@dataclass(frozen=True)
class ReportSection:
    """A section, or the reason why it is left out."""

    title: str
    body: str = ""
    left_out: str = ""


def section(title: str, result: Result | str, marks: str = "") -> ReportSection:
    """The tables and sentences of a result; a text says why there is none. marks: the class of the
    first table's dots with intervals (`html_table`)."""
    if isinstance(result, str):
        return ReportSection(title, left_out=result)
    first, *others = result.tables()
    parts = [html_table(first, marks=marks), *map(html_table, others)]
    return ReportSection(title, Html("".join([*parts, notes(result.sentences())])))


def notes(lines: Iterable[str]) -> Html:
    """Sentences in small print."""
    ended = (line if line.endswith(".") else f"{line}." for line in lines)
    return Html("".join(paragraph(line, "quiet") for line in ended))


@dataclass(frozen=True, eq=False)
class JudgedCounts(Result):
    """How much was judged, by constituent."""

    frame: pd.DataFrame

    def tables(self) -> Iterable[ResultTable]:
        frame = self.frame
        named = frame.assign(cluster=cluster_codes(frame), rated=frame["score"].notna())
        parts = [(name, part) for name, part in named.groupby("constituent") if name]
        parts = [*parts, ("all", named)] if len(parts) != 1 else [(parts[0][0], named)]
        rows = [
            {
                "constituent": str(name),
                "passages": part["cluster"].nunique(),
                "questions": part["instance"].nunique(),
                "systems": part["system"].nunique(),
                "candidates": len(part),
                "judged": part["rated"].sum(),
                "ratings": sum(map(len, part["ratings"])),
            }
            for name, part in parts
        ]
        first, *others = rows[0]
        yield ResultTable("", [text(first), *map(count, others)], rows)

    def sentences(self) -> Iterable[str]:
        if scale := self.frame.attrs.get("scale"):
            yield f"Scores are on the scale {scale_text(scale)}."
        ratings = [one for row in self.frame["ratings"] for one in row]
        if ratings:
            people = {(one.get("group") or "", one["worker"]) for one in ratings}
            raters = counted(len(people), "rater")
            yield f"The {counted(len(ratings), 'rating')} are of {raters}."
        if simulated := sum(bool(one.get("simulated")) for one in ratings):
            yield f"{simulated:,} of them are simulated."


@dataclass(frozen=True)
class GroupAlphas(Result):
    """Krippendorff's alpha of each group of raters."""

    rows: Sequence[GroupAlphaRow]

    def tables(self) -> Iterable[ResultTable]:
        columns = [
            text("raters", lambda row: row["group"] or "all"),
            figure("alpha", lambda row: (row["alpha"], row["ci"])),
            count("candidates", "units"),
            count("ratings"),
        ]
        yield ResultTable("", columns, self.rows)

    def sentences(self) -> Iterable[str]:
        levels = ", ".join(dict.fromkeys(row["level"] for row in self.rows))
        yield f"Krippendorff's alpha ({levels}); intervals by the bootstrap over passages."
        for row in self.rows:
            if reason := row.get("reason"):
                yield f"{row['group'] or 'all'}: {reason}"


def agree(frame: pd.DataFrame, level: Level | None) -> GroupAlphas | str:
    """Krippendorff's alpha of each group of raters, or why there is none."""
    groups = sorted({one.get("group") or "" for row in frame["ratings"] for one in row})
    if not groups:
        return "there are no single ratings"
    try:
        return GroupAlphas(
            [
                group_alpha(name, raters.agreement(frame, level=level, raters=name).to_json())
                for name in groups
            ]
        )
    except (FrameError, RatingsError) as error:
        return str(error)


def findings_list(
    alphas: GroupAlphas | str, compared: boards.ComparedMetrics | str, criterion: str
) -> Html:
    """What the file shows, in the sentences of a set's first page; empty without any."""
    rows = [] if isinstance(alphas, str) else agreement_findings(alphas.rows, criterion=criterion)
    if not isinstance(compared, str):
        rows.append(metrics_finding(compared["metrics"], alpha=compared["alpha"]))
    items = "".join(f"<li>{to_html(row['text'])}</li>" for row in rows)
    return Html(f"<ul>{items}</ul>" if items else "")


def system_means(frame: pd.DataFrame) -> Result | str:
    """The mean rating of each system over new passages, or why there is none."""
    if frame["system"].nunique() < 2:
        return "the file names no two systems"
    try:
        return estimate_sampled(frame, None, target="new")
    except EstimationError as error:
        return str(error)


def compare_metrics(
    frame: pd.DataFrame, scores: pd.DataFrame | None
) -> boards.ComparedMetrics | str:
    """The comparison of two metrics or more, or why there is none."""
    if scores is None or scores.shape[1] < 2:
        return "there are no two metrics"
    try:
        return boards.compare(frame, scores=scores)
    except (SampleError, EstimationError) as error:
        return str(error)


def comparison_section(title: str, compared: boards.ComparedMetrics | str) -> ReportSection:
    """The metrics with their ranks, and every pair of them."""
    shown = section(title, compared)
    if isinstance(compared, str):
        return shown
    if len(compared.best_first) < 2:
        return ReportSection(title, left_out="there are no two metrics with a figure")
    note = (
        "+: the row agrees significantly better with people than the column, "
        f"\N{MINUS SIGN}: worse; {counted(compared['pairs'], 'pair')}. Metrics of an empty cell "
        "are not shown to differ."
    )
    return ReportSection(title, Html(f"{shown.body}{_pair_matrix(compared)}{notes([note])}"))


def _pair_matrix(compared: boards.ComparedMetrics) -> Html:
    """Which metric of each pair is significantly better."""
    metrics, p_values = compared["metrics"], compared["tests"][compared["adjusted_by"]]
    order = [metrics.index(row) for row in compared.best_first]

    def cell(one: int, other: int) -> tuple[str, str, str] | None:
        p = triangle_entry(p_values, one, other)
        if one == other:
            return None
        names = f"{metrics[one]['metric']} and {metrics[other]['metric']}"
        if p is None or p >= compared["alpha"]:
            return "same", "", f"{names}: no significant difference, p = {decimal(p)}"
        is_better = metrics[one]["value"] > metrics[other]["value"]
        kind, mark = ("better", "+") if is_better else ("worse", "\N{MINUS SIGN}")
        return kind, mark, f"{names}: p = {decimal(p)}"

    plot = matrix_plot(
        [metrics[at]["metric"] for at in order],
        [[cell(one, other) for other in order] for one in order],
    )
    return matrix(plot, "Every pair of metrics")


@dataclass(frozen=True)
class MetricsOnPairs(Result):
    """How often each metric scores the better answer of a minimal pair higher."""

    by_metric: dict[str, PairsRow]

    def tables(self) -> Iterable[ResultTable]:
        order = sorted(self.by_metric.items(), key=lambda item: -(item[1]["accuracy"] or 0.0))
        rows = [{"metric": name, "ci": None, **row} for name, row in order]
        accuracy = figure("accuracy", lambda row: (row["accuracy"], row["ci"]))
        yield ResultTable("", [text("metric"), count("pairs", "n"), accuracy], rows)

        def of(part: dict[str, PhenomenonRow]) -> Callable[[str], object]:
            return lambda name: (part[name]["accuracy"], None)

        parts = {name: row["by_phenomenon"] for name, row in order if "by_phenomenon" in row}
        if parts and (phenomena := next(iter(parts.values()))):
            columns: list[ResultColumn] = [
                text("phenomenon", lambda name: name),
                count("pairs", lambda name: phenomena[name]["n"]),
                *(point(metric, of(part), digits=2) for metric, part in parts.items()),
            ]
            yield ResultTable("", columns, list(phenomena))

    def sentences(self) -> Iterable[str]:
        yield (
            "How often the better answer scores higher; a tie counts half. Intervals are clustered "
            "by passage."
        )


def score_pairs(pairs: Sequence[PairRecord], metrics: str) -> MetricsOnPairs:
    """The accuracy of each metric on minimal pairs."""
    rows = [
        {"candidate": candidate, "references": pair.instance.references}
        | {name: getattr(pair.instance, name) for name in ("question", "passage", "short_answer")}
        for pair in pairs
        for candidate in (pair.candidate1, pair.candidate2)
    ]
    scores = score(pd.DataFrame(rows), metrics)
    phenomena = np.array([pair.phenomenon for pair in pairs], dtype=np.str_)
    keys = [passage_key(one.passage) or one.key for one in (pair.instance for pair in pairs)]
    clusters = np.unique(np.array(keys, dtype=np.str_), return_inverse=True)[1].reshape(-1)
    accuracies = {}
    for name, description in metric_descriptions(scores).items():
        sign = 1 if description["higher_is_better"] else -1
        values = sign * scores[name].to_numpy(np.float64)
        accuracies[name] = pairs_by_phenomenon(values[::2], values[1::2], phenomena, clusters)
    return MetricsOnPairs(accuracies)


def replay_metric(frame: pd.DataFrame, scores: pd.DataFrame | None) -> SampleReplay | str:
    """Replays with the metric that agrees best with people, or why there are none."""
    if scores is None:
        return "no metric has scores of all candidates"
    metric = boards.leaderboard(frame, scores=scores).rows[0]["metric"]
    try:
        sample = to_sample(frame, scores.reset_index(drop=True), [metric])
        passages = len(np.unique(sample.passages))
        if passages < MIN_REPLAY_PASSAGES:
            return f"{counted(passages, 'passage')}; {MIN_REPLAY_PASSAGES} are needed"
        rng = np.random.default_rng(0)
        steps = replay_steps(sample, default_sizes(passages), draws=REPLAY_DRAWS, rng=rng)
        return SampleReplay(
            metrics=[metric],
            method="auto",
            draws=REPLAY_DRAWS,
            seed=0,
            passages=passages,
            systems=list(sample.names),
            rows=run_steps(steps),
        )
    except EstimationError as error:
        return str(error)
