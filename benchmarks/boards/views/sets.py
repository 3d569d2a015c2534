"""The overview of a judgment set."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.boards.forms import SetQuery
from benchmarks.boards.services import report
from benchmarks.boards.views import finding_rows
from benchmarks.exports.services import exports, labels
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, hidden, reports, versions
from benchmarks.sets.views.access import find_set, set_page
from benchmarks.sets.views.attachments import attachment
from concord import plots
from concord.documents.description import (
    ConstituentRow,
    HistogramRow,
    Histograms,
    SetCounts,
    SetStatistics,
)
from core.refusals import RefusedError

TRAINING = "train"
UNNAMED = "(no name)"
#: The one part of a set that names no parts.
WHOLE = "all candidates"


@dataclass(frozen=True)
class CountsLine:
    """A line of MOCHA's Table 2: `cells` count passages, instances and candidates, by split and in
    total."""

    row: ConstituentRow
    is_total: bool
    cells: list[list[int | None]]


@dataclass(frozen=True)
class CountsTable:
    """MOCHA's Table 2; `columns` is the number of columns of each count."""

    splits: list[str]
    columns: int
    rows: list[CountsLine]


@require_safe
def judgment_set(request: HttpRequest, ref: str) -> HttpResponse:
    viewed_set = find_set(ref, request.user)
    query = SetQuery.read(request.GET)
    statistics: SetStatistics = viewed_set.statistics
    histograms = _visible_histograms(statistics["histograms"], viewed_set)
    constituents = [row["constituent"] for row in statistics["constituents"]]
    if query["constituent"] and query["constituent"] not in constituents:
        raise RefusedError(
            f"{viewed_set} has no constituent “{query['constituent']}”.", "not-found"
        )
    split, by_constituent = _by_constituent(histograms)
    context = {
        "tab": "overview",
        "statistics": statistics,
        "phenomena": sorted(statistics["phenomena"].items()),
        "table": _table_2(statistics),
        "constituents": [name for name in constituents if name],
        "constituent": query["constituent"],
        "histogram_split": split,
        "by_constituent": by_constituent,
        "by_system": _by_system(histograms, query["constituent"]),
        "hidden_splits": hidden.viewer_splits(viewed_set),
        **finding_rows.context(request, viewed_set),
    }
    return set_page(
        request,
        "benchmarks/boards/judgment_set.html",
        viewed_set,
        context,
        fragment="benchmarks/boards/_findings.html",
    )


@require_safe
def set_files(request: HttpRequest, ref: str) -> HttpResponse:
    """Where the set comes from, its versions, and everything that can be downloaded."""
    viewed_set = find_set(ref, request.user)
    context = {
        "tab": "files",
        "statistics": viewed_set.statistics,
        "report": reports.report_lines(viewed_set.report),
        "files": reports.file_names(viewed_set.report),
        "versions": versions.versions_of(viewed_set.name, viewed_set.viewer),
        "content_hash": hidden.content_hash(viewed_set),
        "has_runs": viewed_set.runs.filter(status=MetricRun.Status.COMPLETE).exists(),
        # Answers that are judged on criteria only are not to be labelled.
        "unjudged": 0 if criteria.default(viewed_set) else labels.count_unjudged(viewed_set),
        "labelling_runs": labels.labelling_runs(viewed_set),
    }
    return set_page(request, "benchmarks/boards/set_files.html", viewed_set, context)


@require_safe
def report_html(request: HttpRequest, ref: str) -> HttpResponse:
    """The report as a file: its styles are inside it, which pages of the site may not have."""
    judgment_set = find_set(ref, request.user)
    page = report.report_html(judgment_set)
    exports.record_export(judgment_set, "report.html")
    response = HttpResponse(page, content_type="text/html; charset=utf-8")
    return attachment(response, judgment_set, "report.html")


def _visible_histograms(histograms: Histograms, viewed_set: JudgmentSet) -> Histograms:
    """The histograms without splits whose labels are hidden from the viewer."""
    masked = hidden.viewer_splits(viewed_set)
    if not masked:
        return histograms
    rows = [] if hidden.WHOLE in masked else histograms["rows"]
    return {**histograms, "rows": [row for row in rows if row["split"] not in masked]}


def _table_2(statistics: SetStatistics) -> CountsTable:
    """MOCHA's Table 2: counts by split for each constituent, and their total."""
    rows = statistics["constituents"]
    splits = sorted({split for row in rows for split in row["splits"]}, key=_split_order)
    named = [split for split in splits if split]
    lines = [CountsLine(row, False, _cells(row, named)) for row in rows]
    if len(rows) > 1:
        total = statistics["total"]
        lines.append(CountsLine(total, True, _cells(total, named)))
    return CountsTable(named, len(named) + 1, lines)


def _cells(row: ConstituentRow, splits: list[str]) -> list[list[int | None]]:
    counts: list[SetCounts | None] = [*map(row["splits"].get, splits), row["all"]]
    return [
        [one and one["passages"] for one in counts],
        [one and one["instances"] for one in counts],
        [one and one["candidates"] for one in counts],
    ]


def _split_order(split: str) -> tuple[int, str]:
    usual = ("train", "dev", "validation", "test")
    return (usual.index(split) if split in usual else len(usual), split)


def _by_constituent(histograms: Histograms) -> tuple[str, list[plots.HistogramPanel]]:
    """MOCHA's Figure 3: a panel for each constituent, on the training split or else all."""
    rows = histograms["rows"]
    split = TRAINING if any(row["split"] == TRAINING for row in rows) else ""
    selected = [row for row in rows if row["split"] == TRAINING] if split else rows
    return split, plots.histogram_panels(histograms["bins"], _sum_counts(selected, "constituent"))


def _by_system(histograms: Histograms, constituent: str) -> list[plots.HistogramPanel]:
    """MOCHA's Figure 4: a panel for each system, of one constituent or of all."""
    rows = [
        row
        for row in histograms["rows"]
        if row["system"] and constituent in ("", row["constituent"])
    ]
    return plots.histogram_panels(histograms["bins"], _sum_counts(rows, "system"))


def _sum_counts(
    rows: list[HistogramRow], label: Literal["constituent", "system"]
) -> dict[str, list[int]]:
    """Counts by bin, summed over the rows with the same label."""
    by_label: dict[str, list[list[int]]] = defaultdict(list)
    unnamed = UNNAMED if any(row[label] for row in rows) else WHOLE
    for row in rows:
        by_label[row[label] or unnamed].append(row["counts"])
    return {
        name: [sum(bin_) for bin_ in zip(*counts, strict=True)] for name, counts in by_label.items()
    }
