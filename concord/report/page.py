"""The page of a report."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from string import Template

import pandas as pd

from concord import boards
from concord.documents.board import BoardRow
from concord.estimation import SampleReplay
from concord.formats import ReadOptions, read_pairs
from concord.formats.report import ImportReport
from concord.frames import complete_frame
from concord.reliability import Level
from concord.report.contents import (
    GroupAlphas,
    JudgedCounts,
    MetricsOnPairs,
    ReportSection,
    agree,
    compare_metrics,
    comparison_section,
    findings_list,
    replay_metric,
    score_pairs,
    section,
    system_means,
)
from concord.scoring import metric_descriptions, score
from concord.tables import ResultTable, text
from concord.tables.html import Html, html_table, paragraph, to_html

PACKAGE = "concord-judgments"


@dataclass(frozen=True, kw_only=True)
class ReportInputs:
    """What a report is made of. frame: `read_judgments` of `paths`. metrics: names of metrics to
    compute, "" for none. scores: of a file, `scores_path`. pairs: a file of minimal pairs."""

    frame: pd.DataFrame
    paths: Sequence[Path]
    title: str
    level: Level | None = None
    metrics: str = ""
    scores: pd.DataFrame | None = None
    scores_path: Path | None = None
    pairs: Path | None = None
    pairs_format: str = "concord"


@dataclass(frozen=True, kw_only=True)
class ReportContents:
    """What a report shows; a text in the place of a result says why there is none.

    frame: complete. files: the name and SHA-256 of each. scores: of the metrics, of which
    those without a signature are of `scores_source`. criterion: on which people judged, if any is
    named.
    """

    frame: pd.DataFrame
    title: str
    files: Sequence[tuple[str, str]]
    alphas: GroupAlphas | str
    compared: boards.ComparedMetrics | str
    pairs: MetricsOnPairs | str
    replayed: SampleReplay | str
    scores: pd.DataFrame | None = None
    scores_source: str = ""
    criterion: str = ""


def make_report(inputs: ReportInputs) -> str:
    """The report as HTML. Raises FrameError, MetricError, FormatError, EstimationError."""
    frame = complete_frame(inputs.frame)
    scores = _all_scores(frame, inputs)
    paths = [*inputs.paths, *filter(None, (inputs.scores_path, inputs.pairs))]
    return render_report(
        ReportContents(
            frame=frame,
            title=inputs.title,
            files=[(path.name, _sha256(path)) for path in paths],
            alphas=agree(frame, inputs.level),
            compared=compare_metrics(frame, scores),
            pairs=_pairs(inputs),
            replayed=replay_metric(frame, scores),
            scores=scores,
            scores_source=inputs.scores_path.name if inputs.scores_path else "",
            criterion=_criterion(frame),
        )
    )


def render_report(contents: ReportContents) -> str:
    """The report as HTML. Raises FrameError and EstimationError."""
    frame, compared, scores = contents.frame, contents.compared, contents.scores
    board: boards.Leaderboard | str = "no metric was named, and no file of scores"
    if scores is not None:
        board = boards.leaderboard(frame, scores=scores, name=contents.title)
        rows: list[BoardRow] = [{**row, "items_per_second": None} for row in board.rows]
        board = replace(board, rows=rows)
    sections = [
        section("What was judged", JudgedCounts(frame)),
        section("Agreement of the raters", contents.alphas, "people"),
        section("Systems by people's ratings", system_means(frame), "people"),
        section("Metrics against people", board, "metric"),
        comparison_section("Comparison of the metrics", compared),
        section("Minimal pairs", contents.pairs, "metric"),
        section("Fewer ratings", contents.replayed),
        _method_section(contents),
        _citation_section(),
    ]
    found = findings_list(contents.alphas, compared, contents.criterion)
    return _page(contents, found, sections)


def _pairs(inputs: ReportInputs) -> MetricsOnPairs | str:
    if inputs.pairs is None:
        return "no file of pairs was named"
    if not inputs.metrics:
        return "no metric was named"
    file = read_pairs([inputs.pairs], inputs.pairs_format, ReadOptions())
    return score_pairs(file.pairs, inputs.metrics)


def _criterion(frame: pd.DataFrame) -> str:
    """The criterion that was read of a file, if one of several was chosen."""
    report: ImportReport | None = frame.attrs.get("report")
    return "" if report is None else report.criterion


def _all_scores(frame: pd.DataFrame, inputs: ReportInputs) -> pd.DataFrame | None:
    return boards.all_scores(
        score(frame, inputs.metrics) if inputs.metrics else None,
        None if inputs.scores is None else boards.stored_scores(frame, inputs.scores),
    )


def _method_section(contents: ReportContents) -> ReportSection:
    lead = (
        "All intervals are of 95%. Answers about one passage are dependent, so resamples and "
        "standard errors go by passage. The figures are those of the commands concord agreement, "
        "leaderboard, estimate and replay; seeds are their defaults."
    )
    files = [(name, _code(sha)) for name, sha in contents.files]
    tables = [ResultTable("", [text("file", "0"), text("SHA-256", "1")], files)]
    if contents.scores is not None:
        source = f"scores of {contents.scores_source}"
        rows = [(name, _code(row["signature"] or source))
                for name, row in metric_descriptions(contents.scores).items()]  # fmt: skip
        tables.append(ResultTable("", [text("metric", "0"), text("signature", "1")], rows))
    body = "".join([paragraph(lead), *map(html_table, tables)])
    return ReportSection("Method and signatures", Html(body))


def _code(value: str) -> Html:
    return Html(f"<code>{to_html(value)}</code>")


def _citation_section() -> ReportSection:
    entry = (
        "@software{concord,\n  author = {{The authors of Concord}},\n"
        "  title = {Concord: human judgments of generated answers, and automatic metrics "
        f"benchmarked against them}},\n  version = {{{_version()}}}\n}}"
    )
    advice = (
        "Cite the data, the papers of the metrics and statistics that you use, and the software. "
        "State the metrics' signatures and the files' SHA-256: they fix what was computed."
    )
    return ReportSection("How to cite", Html(f"{paragraph(advice)}<pre>{to_html(entry)}</pre>"))


def _page(contents: ReportContents, findings: Html, sections: Sequence[ReportSection]) -> str:
    shown = [(f"part-{at}", one) for at, one in enumerate(sections, 1) if not one.left_out]
    missing = [f"{one.title.lower()} ({one.left_out})" for one in sections if one.left_out]
    lead = f"{', '.join(name for name, _ in contents.files)}. Made by Concord {_version()}."
    if missing:
        lead += f" Not in this report: {'; '.join(missing)}."
    links = (f'<li><a href="#{key}">{to_html(one.title)}</a></li>' for key, one in shown)
    bodies = (
        f'<section aria-labelledby="{key}"><h2 id="{key}">{to_html(one.title)}</h2>\n{one.body}\n'
        "</section>"
        for key, one in shown
    )
    template = (files(__package__) / "page.html").read_text(encoding="utf-8")
    return Template(template).substitute(
        title=to_html(contents.title),
        version=to_html(_version()),
        lead=paragraph(lead, "quiet"),
        findings=findings,
        links="".join(links),
        sections="\n".join(bodies),
    )


def _sha256(path: Path) -> str:
    """The hash of a file; of a folder, that of its files' names and hashes."""
    if path.is_dir():
        parts = sorted(str(one.relative_to(path)) for one in path.rglob("*") if one.is_file())
        lines = "".join(f"{_sha256(path / name)}  {name}\n" for name in parts)
        return hashlib.sha256(lines.encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "(not installed)"
