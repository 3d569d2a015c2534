"""The largest disagreements, tagged with reasons; pairs that people rate far apart."""

from __future__ import annotations

import csv
import io
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from benchmarks.errors.forms import COUNTS, ErrorsQuery, RankPairsQuery
from benchmarks.errors.services import errors, rank_pairs, tags
from benchmarks.errors.views import new_study
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import listing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import reports
from benchmarks.sets.views.access import find_set, require_sign_in, set_page
from benchmarks.sets.views.attachments import attachment
from concord.formats.cells import Cell, escape_formula
from concord.meta.inference import SampleError
from core.pages.errors import MissingError

RANK_PAIR_COLUMNS = ("metric", "multi_ref", "n", "accuracy", "low", "high", "won", "tied", "lost")


@require_safe
def disagreements(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = ErrorsQuery.read(request.GET)
    runs = listing.complete_runs(judgment_set)
    run, other = _compared(judgment_set, query, runs)
    labels = ErrorsQuery.labels(query)
    context: dict[str, Any] = {
        "tab": "errors",
        "query": query,
        "runs": runs,
        "run": run,
        "other": other,
        "counts": COUNTS,
        "choices": reports.group_names(judgment_set),
        "kept": _kept(query, run, other),
    }
    if run is not None:
        found = errors.conflicts(
            run,
            other,
            query["count"],
            direction=query["show"],
            compare=query["compare"],
            **labels,
        )
        context |= {
            "conflicts": found,
            "question_types": errors.question_types(found),
            "reasons": tags.Reason.choices,
            "new_study": new_study.offer(request, judgment_set),
            **_tallies(judgment_set),
        }
    return set_page(request, "benchmarks/errors/errors.html", judgment_set, context)


@require_POST
@require_sign_in
def tag(request: HttpRequest, ref: str) -> HttpResponse:
    """Keep a reason for a disagreement, or take one's own back."""
    judgment_set = find_set(ref, request.user)
    query = ErrorsQuery.read(request.POST)
    run, other = _compared(judgment_set, query, [])
    if run is None:
        raise MissingError("A tag is for a metric: none is named.")
    key = request.POST.get("candidate", "")
    candidate = judgment_set.candidates.filter(key=key).first()
    if candidate is None:
        raise MissingError(f"{judgment_set} has no candidate {key[:80]!r}.")
    if untag := request.POST.get("untag", ""):
        number = int(untag) if untag.isascii() and untag.isdigit() else 0
        if not tags.untag(number, user=request.user):
            messages.error(request, "That tag is not there, or not yours.")
    else:
        reason, note = request.POST.get("reason", ""), request.POST.get("note", "")
        try:
            tags.tag(candidate, run, other, reason=reason, note=note, user=request.user, at=now())
        except tags.TagRefusedError as error:
            messages.error(request, str(error))
    back = urlencode(_kept(query, run, other))
    return redirect(f"{reverse('errors', args=[ref])}?{back}#c-{candidate.position}")


@require_safe
def pairs_far_apart(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = RankPairsQuery.read(request.GET)
    context: dict[str, Any] = {"tab": "pairs", "query": query}
    run = find_complete_run(judgment_set, query["run"]) if query["run"] else None
    try:
        context["table"] = rank_pairs.table(judgment_set, query["threshold"])
        if run is not None:
            context |= {
                "run": run,
                "lost": rank_pairs.lost(judgment_set, run, query["threshold"]),
            }
    except SampleError as error:
        context["refused"] = str(error)
    return set_page(request, "benchmarks/errors/rank_pairs.html", judgment_set, context)


@require_safe
def rank_pairs_file(request: HttpRequest, ref: str, extension: str) -> HttpResponse:
    """The table of rank pairs as csv or json."""
    judgment_set = find_set(ref, request.user)
    query = RankPairsQuery.read(request.GET)
    try:
        table = rank_pairs.table(judgment_set, query["threshold"])
    except SampleError as error:
        raise MissingError(str(error)) from error
    response: HttpResponse
    if extension == "json":
        response = JsonResponse({"judgment_set": str(judgment_set), **table})
    elif extension == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("judgment_set", "threshold", *RANK_PAIR_COLUMNS, "signature"))
        for row in table["rows"]:
            figure = row["figure"]
            low, high = figure.get("ci") or (None, None)
            cells: list[Cell] = [
                row["metric"],
                row["multi_ref"],
                table["n"],
                figure["value"],
                low,
                high,
            ]
            cells += [row["won"], row["tied"], row["lost"], row["signature"]]
            row_of = [str(judgment_set), table["threshold"], *cells]
            writer.writerow([escape_formula(cell) for cell in row_of])
        response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    else:
        raise MissingError(f"Rank pairs are there as csv or json, not as {extension}.")
    return attachment(response, judgment_set, f"rank-pairs.{extension}")


def _tallies(judgment_set: JudgmentSet) -> dict[str, Any]:
    """A row a reason that anybody gave, a column for every two that were compared."""
    found = tags.tallies(judgment_set)
    shares = [one.shares for one in found]
    rows = [
        {"reason": label, "cells": [column[at] for column in shares]}
        for at, label in enumerate(tags.Reason.labels)
        if any(column[at][0] for column in shares)
    ]
    return {"tallies": found, "tally_rows": rows}


def _kept(query: dict[str, Any], run: MetricRun | None, other: MetricRun | None) -> dict[str, Any]:
    """What of the query a form on the page carries along, so that it comes back to this page."""
    kept = {name: query[name] for name in ("show", "count", "compare")} | ErrorsQuery.labels(query)
    sides = {"run": run, "other": other}
    return {name: side.pk for name, side in sides.items() if side is not None} | kept


def _compared(
    judgment_set: JudgmentSet, query: dict[str, Any], runs: list[MetricRun]
) -> tuple[MetricRun | None, MetricRun | None]:
    """The run asked for, or the first there is, and the other, if one is named."""
    named = query["run"] or (runs[0].pk if runs else None)
    run = find_complete_run(judgment_set, named) if named else None
    other = find_complete_run(judgment_set, query["other"]) if query["other"] else None
    return run, None if other is not None and run is not None and other.pk == run.pk else other
