"""The sections of a report, by the functions of the commands that print the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord import boards, raters
from concord.documents.comparison import Comparison
from concord.documents.figures import FigureRow
from concord.documents.findings import GroupAlphaRow
from concord.documents.statistics import PairsRow
from concord.estimation import (
    EstimationError,
    ReplayRow,
    default_sizes,
    replay_steps,
    to_sample,
)
from concord.findings import agreement_findings, group_alpha, metrics_finding
from concord.formats.instances import passage_key
from concord.formats.records import PairRecord, scale_text
from concord.frames import FrameError, cluster_codes
from concord.meta.comparing import separating_test
from concord.meta.inference import SampleError, run_steps
from concord.meta.json_values import triangle_entry
from concord.meta.pairs import pairs_by_phenomenon
from concord.plots import IntervalScale, matrix_plot
from concord.reliability import Level, RatingsError
from concord.report.html import (
    Html,
    interval_mark,
    matrix,
    paragraph,
    scale_head,
    table,
    text,
)
from concord.sampling import estimate_sampled
from concord.scoring import metric_descriptions, score
from concord.sentences import counted, decimal, interval_text

REPLAY_DRAWS = 100
MIN_REPLAY_PASSAGES = 20


@dataclass(frozen=True)
class ReportSection:
    """A section, or the reason why it is left out."""

    title: str
    body: str = ""
    left_out: str = ""


def judged_section(frame: pd.DataFrame) -> ReportSection:
    """How much was judged, by constituent."""
    named = frame.assign(cluster=cluster_codes(frame), rated=frame["score"].notna())
    rows = [(name, part) for name, part in named.groupby("constituent") if name]
    rows = [*rows, ("all", named)] if len(rows) != 1 else [(rows[0][0], named)]
    people = {
        (rating.get("group") or "", rating["worker"])
        for ratings in frame["ratings"]
        for rating in ratings
    }
    single = sum(map(len, frame["ratings"]))
    headers = ["constituent", "passages", "questions", "systems", "candidates", "judged", "ratings"]
    body = table(
        headers,
        [
            [
                str(name),
                f"{part['cluster'].nunique():,}",
                f"{part['instance'].nunique():,}",
                f"{part['system'].nunique():,}",
                f"{len(part):,}",
                f"{part['rated'].sum():,}",
                f"{sum(map(len, part['ratings'])):,}",
            ]
            for name, part in rows
        ],
    )
    scale = frame.attrs.get("scale")
    lines = [f"Scores are on the scale {scale_text(scale)}."] if scale else []
    if single:
        simulated = sum(bool(one.get("simulated")) for row in frame["ratings"] for one in row)
        lines.append(f"The {counted(single, 'rating')} are of {counted(len(people), 'rater')}.")
        lines += [f"{simulated:,} of them are simulated."] if simulated else []
    return ReportSection("What was judged", Html(body + paragraph(" ".join(lines))))


def agree(frame: pd.DataFrame, level: Level | None) -> list[GroupAlphaRow] | str:
    """Krippendorff's alpha of each group of raters, or why there is none."""
    groups = sorted({one.get("group") or "" for row in frame["ratings"] for one in row})
    if not groups:
        return "there are no single ratings"
    try:
        return [
            group_alpha(name, raters.agreement(frame, level=level, raters=name).to_json())
            for name in groups
        ]
    except (FrameError, RatingsError) as error:
        return str(error)


def findings_list(
    alphas: Sequence[GroupAlphaRow] | str, compared: Comparison | str, criterion: str
) -> Html:
    """What the file shows, in the sentences of a set's first page; empty without any."""
    rows = [] if isinstance(alphas, str) else agreement_findings(alphas, criterion=criterion)
    if not isinstance(compared, str):
        rows.append(metrics_finding(compared["metrics"], alpha=compared["alpha"]))
    items = "".join(f"<li>{text(row['text'])}</li>" for row in rows)
    return Html(f"<ul>{items}</ul>" if items else "")


def agreement_section(alphas: Sequence[GroupAlphaRow] | str) -> ReportSection:
    """Krippendorff's alpha of each group of raters."""
    title = "Agreement of the raters"
    if isinstance(alphas, str):
        return ReportSection(title, left_out=alphas)
    scale = _scale([(row["alpha"], row["ci"]) for row in alphas])
    rows = [
        [
            row["group"] or "all",
            decimal(row["alpha"]),
            interval_text(row["ci"]),
            interval_mark(scale, row["alpha"], row["ci"], "people"),
            f"{row['units']:,}",
            f"{row['ratings']:,}",
        ]
        for row in alphas
    ]
    headers = ["raters", "alpha", "95% interval", scale_head(scale), "candidates", "ratings"]
    notes = [
        f"{row['group'] or 'all'}: {reason}" for row in alphas if (reason := row.get("reason", ""))
    ]
    levels = ", ".join(dict.fromkeys(row["level"] for row in alphas))
    note = f"Krippendorff's alpha ({levels}); intervals by the bootstrap over passages."
    return ReportSection(title, Html(table(headers, rows) + _notes(note, *notes)))


def systems_section(frame: pd.DataFrame) -> ReportSection:
    """The mean rating of each system, over new passages."""
    title = "Systems by people's ratings"
    if frame["system"].nunique() < 2:
        return ReportSection(title, left_out="the file names no two systems")
    try:
        report = estimate_sampled(frame, None, target="new")
    except EstimationError as error:
        return ReportSection(title, left_out=str(error))
    scale = IntervalScale.from_intervals(
        [row.ci or (row.mean, row.mean) for row in report.systems if row.mean is not None],
        zero=False,
    )
    order = sorted(
        zip(report.systems, report.ranks, strict=True),
        key=lambda pair: -(pair[0].mean if pair[0].mean is not None else float("-inf")),
    )
    rows = [
        [
            row.system,
            "" if rank.rank is None else str(rank.rank),
            decimal(row.mean),
            interval_text(row.ci),
            interval_mark(scale, row.mean, row.ci, "people"),
            f"{row.rated:,}",
        ]
        for row, rank in order
    ]
    headers = ["system", "rank", "mean", "95% interval", scale_head(scale), "judged"]
    note = (
        "Means over new passages of this kind; standard errors are clustered by passage. The "
        "rank is 1 + the number of systems that are significantly better (paired by passage, "
        "Holm's correction)."
    )
    reasons = [f"{row.system}: {row.reason}" for row, _ in order if row.reason]
    return ReportSection(title, Html(table(headers, rows) + _notes(note, *reasons)))


def board_section(
    frame: pd.DataFrame, scores: pd.DataFrame | None, compared: Comparison | None
) -> ReportSection:
    """Each metric's correlation with people."""
    title = "Metrics against people"
    if scores is None:
        return ReportSection(title, left_out="no metric was named, and no file of scores")
    board = boards.leaderboard(frame, scores=scores)
    ranks = {row["metric"]: row["rank"] for row in compared["metrics"]} if compared else {}
    shown = [(row, row["pearson"]) for row in board.rows]
    scale = _scale([(figure["value"], figure.get("ci")) for _, figure in shown])
    rows = [
        [
            row["metric"],
            str(ranks.get(row["metric"]) or ""),
            f"{row['n']:,}",
            decimal(figure["value"]),
            interval_text(figure.get("ci")),
            interval_mark(scale, figure["value"], figure.get("ci"), "metric"),
            decimal(row["spearman"]["value"]),
            decimal(row["kendall"]["value"]),
        ]
        for row, figure in shown
    ]
    headers = ["metric", "rank", "n", "Pearson", "95% interval", scale_head(scale)]
    note = "Intervals are by the jackknife over passages."
    if compared:
        note += (
            " The rank is 1 + the number of metrics that agree significantly better with people; "
            "the next section shows which pairs differ."
        )
    reasons = [f"{row['metric']}: {reason}" for row, one in shown if (reason := _why(one))]
    body = table([*headers, "Spearman", "Kendall"], rows)
    return ReportSection(title, Html(body + _notes(note, *reasons)))


def compare_metrics(frame: pd.DataFrame, scores: pd.DataFrame | None) -> Comparison | str:
    """The comparison of two metrics or more, or why there is none."""
    if scores is None or scores.shape[1] < 2:
        return "there are no two metrics"
    try:
        return boards.compare(frame, scores=scores)
    except (SampleError, EstimationError) as error:
        return str(error)


def comparison_section(compared: Comparison | str) -> ReportSection:
    """Every pair of metrics."""
    title = "Comparison of the metrics"
    if isinstance(compared, str):
        return ReportSection(title, left_out=compared)
    metrics = compared["metrics"]
    order = sorted(
        (at for at, row in enumerate(metrics) if row["value"] is not None),
        key=lambda at: -(metrics[at]["value"] or 0.0),
    )
    if len(order) < 2:
        return ReportSection(title, left_out="there are no two metrics with a figure")
    p_values = compared["tests"][compared["adjusted_by"]]

    def cell(one: int, other: int) -> tuple[str, str, str] | None:
        p = triangle_entry(p_values, one, other)
        if one == other:
            return None
        names = f"{metrics[one]['metric']} and {metrics[other]['metric']}"
        if p is None or p >= compared["alpha"]:
            return "same", "", f"{names}: no significant difference, p = {decimal(p)}"
        is_better = (metrics[one]["value"] or 0.0) > (metrics[other]["value"] or 0.0)
        kind, mark = ("better", "+") if is_better else ("worse", "\N{MINUS SIGN}")
        return kind, mark, f"{names}: p = {decimal(p)}"

    plot = matrix_plot(
        [metrics[at]["metric"] for at in order],
        [[cell(one, other) for other in order] for one in order],
    )
    note = (
        "+: the row agrees significantly better with people than the column, "
        f"\N{MINUS SIGN}: worse. Pearson's r, by {separating_test(compared)}; "
        f"{counted(compared['pairs'], 'pair')}, adjusted by {compared['adjusted_by'].title()}. "
        "Metrics of an empty cell are not shown to differ."
    )
    return ReportSection(title, Html(matrix(plot, "Every pair of metrics") + _notes(note)))


def score_pairs(pairs: Sequence[PairRecord], metrics: str) -> dict[str, PairsRow]:
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
    return accuracies


def pairs_section(accuracies: dict[str, PairsRow] | str) -> ReportSection:
    """How often each metric scores the better answer higher."""
    title = "Minimal pairs"
    if isinstance(accuracies, str):
        return ReportSection(title, left_out=accuracies)
    order = sorted(accuracies.items(), key=lambda item: -(item[1]["accuracy"] or 0.0))
    parts = {name: row["by_phenomenon"] for name, row in order if "by_phenomenon" in row}
    phenomena = next(iter(parts.values()), {})
    cells = [
        [one, f"{row['n']:,}", *(decimal(part[one]["accuracy"], 2) for part in parts.values())]
        for one, row in phenomena.items()
    ]
    scale = _scale([(row["accuracy"], row.get("ci")) for _, row in order])
    rows = [
        [
            name,
            f"{row['n']:,}",
            decimal(row["accuracy"]),
            interval_text(row.get("ci")),
            interval_mark(scale, row["accuracy"], row.get("ci"), "metric"),
        ]
        for name, row in order
    ]
    headers = ["metric", "pairs", "accuracy", "95% interval", scale_head(scale)]
    note = (
        "How often the better answer scores higher; a tie counts half. Intervals are clustered by "
        "passage."
    )
    by_phenomenon = table(["phenomenon", "pairs", *parts], cells) if cells else ""
    return ReportSection(title, Html(table(headers, rows) + by_phenomenon + _notes(note)))


@dataclass(frozen=True)
class Replayed:
    """Collections of fewer ratings with the scores of a metric. passages: of the whole set."""

    metric: str
    passages: int
    draws: int
    rows: Sequence[ReplayRow]


def replay_metric(frame: pd.DataFrame, scores: pd.DataFrame | None) -> Replayed | str:
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
        return Replayed(metric, passages, REPLAY_DRAWS, run_steps(steps))
    except EstimationError as error:
        return str(error)


def fewer_section(replayed: Replayed | str) -> ReportSection:
    """How few rated passages would have been enough with a metric."""
    title = "Fewer ratings"
    if isinstance(replayed, str):
        return ReportSection(title, left_out=replayed)
    passages = replayed.passages
    headers = ["passages rated", "coverage", "width", "width without the metric"]
    cells = [
        [
            f"{row.passages:,} of {passages:,}",
            "" if row.coverage is None else f"{row.coverage:.1%}",
            decimal(row.width, 2),
            decimal(row.plain_width, 2),
            decimal(row.saving, 2),
        ]
        for row in replayed.rows
    ]
    note = (
        f"{replayed.draws} samples of each size, as if only so many passages were rated, and "
        f"{replayed.metric} scored the rest: how often 95% intervals of the systems' means hold "
        "the mean of the whole set, how wide they are, and as how many ratings one counts."
    )
    return ReportSection(
        title, Html(table([*headers, "one rating counts as"], cells) + _notes(note))
    )


def _scale(figures: Sequence[tuple[float | None, Sequence[float] | None]]) -> IntervalScale:
    """The scale of all figures and their intervals."""
    return IntervalScale.from_intervals(
        [ends or (value, value) for value, ends in figures if value is not None]
    )


def _why(figure: FigureRow) -> str:
    return figure.get("no_interval", "") or figure.get("reason", "")


def _notes(*lines: str) -> Html:
    ended = (line if line.endswith(".") else f"{line}." for line in lines)
    return Html("".join(paragraph(line, "quiet") for line in ended))
