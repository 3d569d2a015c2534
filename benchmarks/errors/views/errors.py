"""Pages of the largest disagreements, their tags, and rank pairs."""

from __future__ import annotations

import csv
import io

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import leaderboards
from benchmarks.errors.forms import COUNTS, ErrorsQuery, RankPairsQueryForm
from benchmarks.errors.services import errors, rank_pairs, tags
from benchmarks.errors.views import new_study
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import listing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import reports
from benchmarks.sets.views.access import find_set, own_query, set_page
from benchmarks.sets.views.attachments import attachment
from concord.formats.cells import Cell, escape_formula
from concord.meta.inference import SampleError
from core.accounts.views.shared import person
from core.pages.errors import MissingError
from core.pages.queries import FormValues, row_number

RANK_PAIR_COLUMNS = ("metric", "multi_ref", "n", "accuracy", "low", "high", "won", "tied", "lost")


@require_safe
def disagreements(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = ErrorsQuery.read(own_query(request, "errors"))
    runs = listing.complete_runs(judgment_set)
    run, other = _selected_runs(judgment_set, query, runs)
    labels = ErrorsQuery.labels_of(query)
    context: dict[str, object] = {
        "tab": "errors",
        "query": query,
        "runs": runs,
        "run": run,
        "other": other,
        "counts": COUNTS,
        "choices": reports.group_names(judgment_set),
        "page_query": _page_query(query, run, other),
    }
    if run is not None:
        conflicts = errors.conflicts(
            run,
            other,
            query["count"],
            direction=query["show"],
            compare=query["compare"],
            **labels,
        )
        context |= {
            "conflicts": conflicts,
            "question_types": errors.question_types(conflicts),
            "reasons": tags.Reason.choices,
            "new_study": new_study.form_context(request, judgment_set),
            **_tallies(judgment_set),
        }
    return set_page(request, "benchmarks/errors/errors.html", judgment_set, context)


@require_POST
@login_required
def tag(request: HttpRequest, ref: str) -> HttpResponse:
    """Store a reason for a disagreement, or delete one's own."""
    judgment_set = find_set(ref, request.user)
    query = ErrorsQuery.read(request.POST)
    run, other = _selected_runs(judgment_set, query, [])
    if run is None:
        raise MissingError("The tag has no metric: send `run`.")
    key = request.POST.get("candidate", "")
    candidate = judgment_set.candidates.filter(key=key).first()
    if candidate is None:
        raise MissingError(f"{judgment_set} has no candidate {key[:80]!r}.")
    if untag := request.POST.get("untag", ""):
        if not tags.delete_tag(row_number(untag) or 0, user=person(request)):
            messages.error(request, "This tag does not exist, or it is not yours.")
    else:
        reason, note = request.POST.get("reason", ""), request.POST.get("note", "")
        try:
            tags.add_tag(
                candidate, run, other, reason=reason, note=note, user=person(request), at=now()
            )
        except tags.TagRefusedError as error:
            messages.error(request, str(error))
    page_query = urlencode(_page_query(query, run, other))
    return redirect(f"{reverse('errors', args=[ref])}?{page_query}#c-{candidate.position}")


@require_safe
def pairs_far_apart(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = RankPairsQueryForm.read(request.GET)
    context: dict[str, object] = {"tab": "pairs", "query": query}
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
    query = RankPairsQueryForm.read(request.GET)
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
            columns = [str(judgment_set), table["threshold"], *cells]
            writer.writerow([escape_formula(cell) for cell in columns])
        response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    else:
        raise MissingError(f"Rank pairs are available as csv or json, not as {extension}.")
    return attachment(response, judgment_set, f"rank-pairs.{extension}")


def _tallies(judgment_set: JudgmentSet) -> dict[str, object]:
    """The table of reasons: a row for each reason that was given, a column for each tally."""
    tallies = tags.tallies(judgment_set)
    shares = [one.shares for one in tallies]
    rows = [
        {"reason": label, "cells": [column[i] for column in shares]}
        for i, label in enumerate(tags.Reason.labels)
        if any(column[i][0] for column in shares)
    ]
    return {"tallies": tallies, "tally_rows": rows}


def _page_query(query: FormValues, run: MetricRun | None, other: MetricRun | None) -> FormValues:
    """The query parameters that the page's forms repeat, so that they return to the same page."""
    options = {name: query[name] for name in ("show", "count", "compare")} | ErrorsQuery.labels_of(
        query
    )
    sides = {"run": run, "other": other}
    return {name: side.pk for name, side in sides.items() if side is not None} | options


def _selected_runs(
    judgment_set: JudgmentSet, query: FormValues, runs: list[MetricRun]
) -> tuple[MetricRun | None, MetricRun | None]:
    """The run of the query or else the best on the board, and the other run of the query if it has
    one."""
    pk = query["run"] or (leaderboards.best_run(judgment_set) if runs else None)
    run = find_complete_run(judgment_set, pk) if pk else None
    other = find_complete_run(judgment_set, query["other"]) if query["other"] else None
    return run, None if other is not None and run is not None and other.pk == run.pk else other
