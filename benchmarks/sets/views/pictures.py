"""Plots as files for papers: SVG with its own style, or PNG rendered from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.attachments import attachment, csv_file
from concord.plots.png import png
from concord.tables.cells import csv_text


def picture(
    request: HttpRequest,
    judgment_set: JudgmentSet,
    template: str,
    context: dict[str, object],
    name: str,
    extension: str,
) -> HttpResponse:
    """The plot that `template` draws, as `svg` or `png`; Http404 for another extension."""
    svg = render_to_string(template, context, request)
    if extension == "svg":
        response = HttpResponse(svg, content_type="image/svg+xml")
    elif extension == "png":
        response = HttpResponse(png(svg), content_type="image/png")
    else:
        raise Http404(f"Plots are available as svg and png, not as {extension}.")
    return attachment(response, judgment_set, f"{name}.{extension}")


def points_file(
    judgment_set: JudgmentSet, rows: Sequence[Mapping[str, object]], name: str
) -> HttpResponse:
    """The points of a plot as CSV, a column for each key; Http404 without points."""
    if not rows:
        raise Http404("The plot has no points.")
    text = csv_text(list(rows[0]), (list(row.values()) for row in rows))
    return csv_file(judgment_set, text, f"{name}.csv")
