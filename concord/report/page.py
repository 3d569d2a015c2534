"""The page of a report."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from string import Template

import pandas as pd

from concord import boards
from concord.formats import ReadOptions, read_pairs
from concord.frames import complete_frame
from concord.reliability import Level
from concord.report.contents import (
    ReportSection,
    agreement_section,
    board_section,
    compare_metrics,
    comparison_section,
    fewer_section,
    judged_section,
    pairs_section,
    score_pairs,
    systems_section,
)
from concord.report.html import Html, paragraph, table, text
from concord.scoring import metric_descriptions, score

PACKAGE = "concord-judgments"


@dataclass(frozen=True, kw_only=True)
class ReportInputs:
    """What a report is made of. frame: `read_judgments` of `paths`. metrics: names of metrics to
    compute, "" for none. scores: of a file, `scores_path`. pairs: a file of minimal pairs."""

    frame: pd.DataFrame
    paths: Sequence[Path]
    title: str
    level: Level = "ordinal"
    metrics: str = ""
    scores: pd.DataFrame | None = None
    scores_path: Path | None = None
    pairs: Path | None = None
    pairs_format: str = "concord"


def make_report(inputs: ReportInputs) -> str:
    """The report as HTML. Raises FrameError, MetricError, FormatError, EstimationError."""
    frame = complete_frame(inputs.frame)
    scores = _all_scores(frame, inputs)
    compared = compare_metrics(frame, scores)
    accuracies = "no file of pairs was named" if inputs.pairs is None else "no metric was named"
    of_pairs = (
        score_pairs(
            read_pairs([inputs.pairs], inputs.pairs_format, ReadOptions()).pairs, inputs.metrics
        )
        if inputs.pairs is not None and inputs.metrics
        else accuracies
    )
    best = "" if scores is None else boards.leaderboard(frame, scores=scores).rows[0]["metric"]
    sections = [
        judged_section(frame),
        agreement_section(frame, inputs.level),
        systems_section(frame),
        board_section(frame, scores, None if isinstance(compared, str) else compared),
        comparison_section(compared),
        pairs_section(of_pairs),
        fewer_section(frame, scores, best),
        _method_section(scores, inputs),
        _citation_section(inputs.title),
    ]
    return _page(inputs, sections)


def _all_scores(frame: pd.DataFrame, inputs: ReportInputs) -> pd.DataFrame | None:
    """The scores of computed metrics and of the file, side by side; None without any."""
    parts = [score(frame, inputs.metrics)] if inputs.metrics else []
    if inputs.scores is not None:
        parts.append(boards.stored_scores(frame, inputs.scores))
    if not parts:
        return None
    scores = pd.concat(parts, axis=1)
    if len(set(scores.columns)) < scores.shape[1]:
        raise ValueError("a metric is named, and the file of scores has it too; name it once")
    scores.attrs["metrics"] = {
        name: row for part in parts for name, row in metric_descriptions(part).items()
    }
    return scores


def _method_section(scores: pd.DataFrame | None, inputs: ReportInputs) -> ReportSection:
    paths = [*inputs.paths, *filter(None, (inputs.scores_path, inputs.pairs))]
    rows = [[path.name, Html(f"<code>{_sha256(path)}</code>")] for path in paths]
    parts = [
        paragraph(
            "All intervals are of 95%. Answers about one passage are dependent, so resamples and "
            "standard errors go by passage. The figures are those of the commands concord "
            "agreement, leaderboard, estimate and replay; seeds are their defaults."
        ),
        table(["file", "SHA-256"], rows, names=2),
    ]
    if scores is not None:
        source = inputs.scores_path.name if inputs.scores_path else ""
        signatures = [
            [name, Html(f"<code>{text(row['signature'] or f'scores of {source}')}</code>")]
            for name, row in metric_descriptions(scores).items()
        ]
        parts.append(table(["metric", "signature"], signatures, names=2))
    return ReportSection("Method and signatures", Html("".join(parts)))


def _citation_section(title: str) -> ReportSection:
    entry = (
        "@software{concord,\n  author = {{The authors of Concord}},\n"
        "  title = {Concord: human judgments of generated answers, and automatic metrics "
        f"benchmarked against them}},\n  version = {{{_version()}}}\n}}"
    )
    advice = (
        "Cite the data, the papers of the metrics and statistics that you use, and the software. "
        "State the metrics' signatures and the files' SHA-256: they fix what was computed."
    )
    return ReportSection("How to cite", Html(f"{paragraph(advice)}<pre>{text(entry)}</pre>"))


def _page(inputs: ReportInputs, sections: Sequence[ReportSection]) -> str:
    shown = [(f"part-{at}", one) for at, one in enumerate(sections, 1) if not one.left_out]
    missing = [f"{one.title.lower()} ({one.left_out})" for one in sections if one.left_out]
    lead = f"{', '.join(path.name for path in inputs.paths)}. Made by Concord {_version()}."
    if missing:
        lead += f" Not in this report: {'; '.join(missing)}."
    links = (f'<li><a href="#{key}">{text(one.title)}</a></li>' for key, one in shown)
    bodies = (
        f'<section aria-labelledby="{key}"><h2 id="{key}">{text(one.title)}</h2>\n{one.body}\n'
        "</section>"
        for key, one in shown
    )
    template = (files(__package__) / "page.html").read_text(encoding="utf-8")
    return Template(template).substitute(
        title=text(inputs.title),
        version=text(_version()),
        lead=paragraph(lead, "quiet"),
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
