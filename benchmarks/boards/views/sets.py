"""The list of judgment sets, and one set: what it holds and where it came from."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.boards.forms import SetQuery
from benchmarks.boards.services import best_metrics
from benchmarks.exports.services import labels
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, hidden, reports, versions
from benchmarks.sets.views.access import find_set, set_page
from concord import plots
from core.pages.errors import MissingError

TRAINING = "train"
NAMELESS = "(no name)"


@require_safe
def judgment_sets(request: HttpRequest) -> HttpResponse:
    found = list(access.sets_for(request.user).latest_versions())
    best = best_metrics.best_metrics(found)
    rows = [{"set": one, "best": best.get(one.pk)} for one in found]
    return render(request, "benchmarks/boards/judgment_sets.html", {"rows": rows})


@require_safe
def judgment_set(request: HttpRequest, ref: str) -> HttpResponse:
    found = find_set(ref, request.user)
    query = SetQuery.read(request.GET)
    histograms = _shown(found.statistics["histograms"], found)
    constituents = [row["constituent"] for row in found.statistics["constituents"]]
    if query["constituent"] and query["constituent"] not in constituents:
        raise MissingError(f"{found} has no constituent “{query['constituent']}”.")
    split, by_constituent = _by_constituent(histograms)
    context = {
        "tab": "overview",
        "statistics": found.statistics,
        "phenomena": sorted(found.statistics["phenomena"].items()),
        "table": _table_2(found.statistics),
        "report": reports.report_lines(found.report),
        "files": reports.file_names(found.report),
        "versions": versions.versions_of(found.name, found.viewer),
        "constituents": [name for name in constituents if name],
        "constituent": query["constituent"],
        "histogram_split": split,
        "by_constituent": by_constituent,
        "by_system": _by_system(histograms, query["constituent"]),
        "content_hash": hidden.content_hash(found),
        "best": best_metrics.best_metrics([found]).get(found.pk),
        "downloads": True,
        "unjudged": labels.unjudged(found),
        "labelling_runs": labels.labelling_runs(found),
    }
    return set_page(request, "benchmarks/boards/judgment_set.html", found, context)


def _shown(histograms: dict[str, Any], found: JudgmentSet) -> dict[str, Any]:
    """The histograms without splits whose labels are hidden from the viewer."""
    masked = set() if found.viewer.hidden_labels else hidden.splits_of(found)
    if not masked:
        return histograms
    open_ = [] if hidden.WHOLE in masked else histograms["rows"]
    return histograms | {"rows": [row for row in open_ if row["split"] not in masked]}


def _table_2(statistics: dict[str, Any]) -> dict[str, Any]:
    """MOCHA's Table 2: a row a constituent with counts by split, and the total under them."""
    rows = [*statistics["constituents"]]
    splits = sorted({split for row in rows for split in row["splits"]}, key=_split_order)
    named = [split for split in splits if split]
    if len(rows) > 1:
        rows.append({**statistics["total"], "is_total": True})
    counts = [
        {
            "row": row,
            "cells": [
                [row["splits"].get(split, {}).get(what) for split in named] + [row["all"][what]]
                for what in ("passages", "instances", "candidates")
            ],
        }
        for row in rows
    ]
    return {"splits": named, "columns": len(named) + 1, "rows": counts}


def _split_order(split: str) -> tuple[int, str]:
    known = ("train", "dev", "validation", "test")
    return (known.index(split) if split in known else len(known), split)


def _by_constituent(histograms: dict[str, Any]) -> tuple[str, list[plots.Panel]]:
    """Figure 3: a panel a constituent on the training split; on all where there is none."""
    rows = histograms["rows"]
    split = TRAINING if any(row["split"] == TRAINING for row in rows) else ""
    chosen = [row for row in rows if row["split"] == TRAINING] if split else rows
    return split, plots.panels(histograms["bins"], _summed(chosen, "constituent"))


def _by_system(histograms: dict[str, Any], constituent: str) -> list[plots.Panel]:
    """Figure 4: a panel a system, over one constituent or over all."""
    rows = [
        row
        for row in histograms["rows"]
        if row["system"] and constituent in ("", row["constituent"])
    ]
    return plots.panels(histograms["bins"], _summed(rows, "system"))


def _summed(rows: list[dict[str, Any]], label: str) -> dict[str, list[int]]:
    """Counts by bin, summed over the rows with the same label."""
    found: dict[str, list[list[int]]] = defaultdict(list)
    for row in rows:
        found[row[label] or NAMELESS].append(row["counts"])
    return {
        name: [sum(bin_) for bin_ in zip(*counts, strict=True)] for name, counts in found.items()
    }
