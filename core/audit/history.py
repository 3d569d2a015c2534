"""Pages and downloads of the audit log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Unpack

from django import forms
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, StreamingHttpResponse

from concord.tables.cells import csv_blocks
from core import audit
from core.audit.models import AuditEvent, AuditEventQuerySet

PAGE_SIZE = 50


# The columns of a downloaded file, each with its field.
COLUMNS = {
    "number": "pk",
    "at": "at",
    "actor_kind": "actor_kind",
    "actor": "actor_name",
    "account": "actor_id",
    "token": "token_id",
    "action": "action",
    "target_kind": "target_kind",
    "target": "target_id",
    "target_name": "target_name",
    "study": "study_id",
    "judgment_set": "judgment_set",
    "before": "before",
    "after": "after",
}
CONTENT_TYPES = {"csv": "text/csv", "jsonl": "application/jsonl"}


class FilterForm(forms.Form):
    """Filters of the audit log."""

    actor = forms.CharField(label="Actor", required=False, max_length=300)
    action = forms.CharField(label="Action", required=False, max_length=60)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


@dataclass(frozen=True)
class History:
    """A page of events, latest first.

    older: the next page has the events with numbers below this; None on the last page.
    query: the filters as a query string.
    """

    events: list[AuditEvent]
    older: int | None
    form: FilterForm
    actors: list[str]
    actions: list[str]
    query: str


def history(events: AuditEventQuerySet, request: HttpRequest) -> History:
    """The page of `events` that the request's query selects. Invalid filters are ignored."""
    form = FilterForm(request.GET)
    filters, before = _read_filters(form)
    rows = events.matching(**filters).page_before(before, PAGE_SIZE)
    query = request.GET.copy()
    query.pop("before", None)
    return History(
        events=rows[:PAGE_SIZE],
        older=rows[PAGE_SIZE - 1].pk if len(rows) > PAGE_SIZE else None,
        form=form,
        actors=_distinct(events, "actor_name"),
        actions=_distinct(events, "action"),
        query=query.urlencode(),
    )


def download(
    events: AuditEventQuerySet,
    request: HttpRequest,
    extension: str,
    name: str,
    **scope: Unpack[audit.AuditScope],
) -> StreamingHttpResponse:
    """The filtered events, oldest first, as a CSV or JSON Lines file. The download is recorded.

    scope: `study` or `judgment_set` for `audit.record`.
    """
    filters, _ = _read_filters(FilterForm(request.GET))
    audit.record(None, "audit.exported", ("audit", name), after={"as": extension}, **scope)
    rows = events.matching(**filters).order_by("pk")
    lines = csv_lines(rows) if extension == "csv" else json_lines(rows)
    response = StreamingHttpResponse(
        lines, content_type=f"{CONTENT_TYPES[extension]}; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}-audit.{extension}"'
    return response


def json_lines(events: AuditEventQuerySet) -> Iterator[str]:
    """One JSON object per event, with the keys `COLUMNS`."""
    return (_as_json(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in _rows(events))


def csv_lines(events: AuditEventQuerySet) -> Iterator[str]:
    """A header and one CSV row per event. Cells that look like formulas are escaped."""
    rows = _rows(events)
    return csv_blocks(
        tuple(COLUMNS),
        (
            [_as_json(value) if isinstance(value, dict | list) else value for value in row]
            for row in rows
        ),
    )


def _rows(events: AuditEventQuerySet) -> Iterator[list[object]]:
    """The values of `COLUMNS` of each event."""
    for number, at, *others in events.values_list(*COLUMNS.values()).iterator(chunk_size=2000):
        yield [number, at.isoformat(), *others]


def _as_json(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def _read_filters(
    form: FilterForm,
) -> tuple[dict[str, Any], int | None]:  # the arguments of `matching`
    form.is_valid()  # invalid values are missing from cleaned_data; the page shows the errors
    filters = {name: value for name, value in form.cleaned_data.items() if value}
    before: int | None = filters.pop("before", None)
    return filters, before


def _distinct(events: AuditEventQuerySet, field: str) -> list[str]:
    rows = events.exclude(**{field: ""}).order_by(field).values_list(field, flat=True)
    return list(rows.distinct())
