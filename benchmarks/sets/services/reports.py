"""What is said of a set: how it was imported, and which groups its candidates have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.sets.documents import SetReport, StudyReport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.formats import ImportReport
from concord.meta.board import GROUPINGS
from concord.meta.breakdowns import natural_key


def group_names(judgment_set: JudgmentSet) -> dict[str, list[str]]:
    """By grouping, the names that occur among the set's candidates, in order."""
    labels = frames.frame(judgment_set).labels
    return {
        grouping: sorted(set(labels[grouping].tolist()) - {""}, key=natural_key)
        for grouping in GROUPINGS
    }


def study_of(judgment_set: JudgmentSet) -> StudyReport | None:
    """The study's part of a set's report; None for a set that came otherwise."""
    report: SetReport = judgment_set.report
    return report.get("study")


def file_names(report: SetReport) -> list[str]:
    """The names of the files an import read, without the folders they lay in."""
    return [Path(file).name for file in report.get("files", [])]


def report_lines(report: SetReport) -> list[str]:
    """An import's report in sentences; of the pairs' import too, where there was one."""
    known = ImportReport.__dataclass_fields__
    lines: list[str] = []
    if "files" in report and "format" in report:
        shown: dict[str, Any] = {name: value for name, value in report.items() if name in known}
        lines += ImportReport(**shown | {"files": file_names(report)}).lines()
    if report.get("study"):
        lines += _study_lines(report["study"])
    if report.get("added_to"):
        lines.append(f"Added to {report['added_to']}, whose rows are all kept.")
    return lines + (report_lines(report["pairs"]) if report.get("pairs") else [])


def _study_lines(study: StudyReport) -> list[str]:
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
