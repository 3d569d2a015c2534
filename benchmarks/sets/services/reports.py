"""Reports on a set: its import in sentences, its origin and its groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.documents.set_reports import CHOICES, SetReport, StudyReport
from concord.formats import ImportReport
from concord.meta.board import GROUPINGS
from concord.meta.breakdowns import natural_key
from concord.sentences import counted


def group_names(judgment_set: JudgmentSet) -> dict[str, list[str]]:
    """By grouping, the labels of the set's candidates in natural order."""
    labels = frames.frame(judgment_set).labels
    return {
        grouping: sorted(set(labels[grouping].tolist()) - {""}, key=natural_key)
        for grouping in GROUPINGS
    }


def study_report(judgment_set: JudgmentSet) -> StudyReport | None:
    """The report of the study that the set was frozen from; None for another set."""
    report: SetReport = judgment_set.report
    return report.get("study")


def file_names(report: SetReport) -> list[str]:
    """The names of the imported files, without their folders."""
    return [Path(file).name for file in report.get("files", [])]


def report_lines(report: SetReport, *, with_headings: bool = False) -> list[str]:
    """The report of an import in sentences, with that of its pairs. with_headings: for those who
    import the file; the headings of its columns may name raters."""
    fields = ImportReport.__dataclass_fields__
    lines: list[str] = []
    if "files" in report and "format" in report:
        # The report's fields, of several types.
        values: dict[str, Any] = {name: value for name, value in report.items() if name in fields}
        read = ImportReport(**values | {"files": file_names(report)})
        lines += (read if with_headings else read.without_headings()).lines()
    if report.get("study"):
        lines += _study_lines(report["study"])
    for slug, row in report.get("pair_studies", {}).items():
        study = row["study"]
        lines.append(
            f"Minimal pairs added from the study {slug}: {len(row['keys']):,}, with "
            f"{counted(study['ratings_kept'], 'rating')} by {counted(study['raters'], 'rater')}."
        )
    if report.get("added_to"):
        lines.append(f"Added to {report['added_to']}, which is included completely.")
    pairs = report.get("pairs")
    return lines + (report_lines(pairs, with_headings=with_headings) if pairs else [])


def gold_line(study: StudyReport) -> str:
    """What people's ratings were made into, and how many there are."""
    raters, kept = f"by {counted(study['raters'], 'rater')}", study["ratings_kept"]
    if study["aggregation"] == CHOICES:
        return f"{counted(kept, 'choice')} between candidates {raters}, no gold scores"
    return f"Gold score: {study['aggregation']} of {counted(kept, 'rating')} {raters}"


def _study_lines(study: StudyReport) -> list[str]:
    """The report of a set that was frozen from a study, in sentences."""
    alpha = study["alpha"]["after"]
    steps = len(study["ledger"])
    lines = [
        f"Frozen from the study {study['slug']}, protocol version {study['protocol_version']}, "
        f"seed {study['seed']}; ratings of: {', '.join(study['stages'])}.",
        f"{gold_line(study)}; {study['ratings_left_out']:,} removed by a ledger of "
        f"{counted(steps, 'step')}; {study['settled']:,} adjudicated.",
        "The set has the ratings that the ledger keeps.",
    ]
    if alpha["alpha"] is not None:
        lines.append(f"{alpha['level'].capitalize()} alpha of these ratings: {alpha['alpha']:.3f}.")
    if study["alpha"]["said"]:
        lines.append(study["alpha"]["said"])
    lines += [f"Left out: {n:,}, {reason}." for reason, n in study["left_out"].items()]
    if study["pairs_turned"]:
        lines.append(
            "Minimal pairs left out because the better answer is not rated higher: "
            f"{len(study['pairs_turned']):,}."
        )
    return lines
