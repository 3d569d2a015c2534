"""The book read: a page of it, filtered, and all that the filter fits as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

from django import forms
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, StreamingHttpResponse

from concord.formats.cells import escape_formula
from core import audit
from core.audit.models import AuditEvent, AuditEventQuerySet

PAGE_SIZE = 50


class EventRow(TypedDict):
    """An event as a file has it; `before` and `after` are JSON of any kind."""

    number: int
    at: str
    actor_kind: str
    actor: str
    account: int | None
    token: int | None
    action: str
    target_kind: str
    target: str
    target_name: str
    study: int | None
    judgment_set: str
    before: Any
    after: Any


COLUMNS = tuple(EventRow.__annotations__)
CONTENT_TYPES = {"csv": "text/csv", "jsonl": "application/jsonl"}


class FilterForm(forms.Form):
    """Whose deeds, which, and from when to when."""

    actor = forms.CharField(label="Who", required=False, max_length=300)
    action = forms.CharField(label="What", required=False, max_length=60)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


@dataclass(frozen=True)
class History:
    """A page of events, latest first. `older` is the number before which the next page begins;
    `query` is the filter as an address has it."""

    events: list[AuditEvent]
    older: int | None
    form: FilterForm
    actors: list[str]
    actions: list[str]
    query: str


def history(events: AuditEventQuerySet, request: HttpRequest) -> History:
    """The page of `events` that the request asks for; a filter that is no date is left out."""
    form = FilterForm(request.GET)
    chosen, before = _filter(form)
    rows = events.matching(**chosen).page_before(before, PAGE_SIZE)
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
    events: AuditEventQuerySet, request: HttpRequest, extension: str, name: str, **scope: Any
) -> StreamingHttpResponse:
    """All that the filter fits, oldest first, as CSV or JSON Lines; that it was taken is written
    in the book. `scope` is the study or judgment set that it is of."""
    chosen, _ = _filter(FilterForm(request.GET))
    audit.record(None, "audit.exported", ("audit", name), after={"as": extension}, **scope)
    rows = events.matching(**chosen).order_by("pk")
    lines = csv_lines(rows) if extension == "csv" else json_lines(rows)
    response = StreamingHttpResponse(
        lines, content_type=f"{CONTENT_TYPES[extension]}; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}-audit.{extension}"'
    return response


def json_lines(events: AuditEventQuerySet) -> Iterator[str]:
    """One event a line, as `COLUMNS` names its parts."""
    for event in events.iterator(chunk_size=2000):
        yield json.dumps(_parts(event), cls=DjangoJSONEncoder, ensure_ascii=False) + "\n"


def csv_lines(events: AuditEventQuerySet) -> Iterator[str]:
    """The same as CSV, what changed as JSON; no cell is taken for a formula."""
    yield _csv_line(list(COLUMNS))
    for event in events.iterator(chunk_size=2000):
        parts = _parts(event)
        parts["before"], parts["after"] = _text(parts["before"]), _text(parts["after"])
        yield _csv_line(list(parts.values()))


def _text(changed: Any) -> str | None:
    if changed is None:
        return None
    return json.dumps(changed, cls=DjangoJSONEncoder, ensure_ascii=False)


def _parts(event: AuditEvent) -> EventRow:
    """In the order of COLUMNS."""
    return {
        "number": event.pk,
        "at": event.at.isoformat(),
        "actor_kind": event.actor_kind,
        "actor": event.actor_name,
        "account": event.actor_id,
        "token": event.token_id,
        "action": event.action,
        "target_kind": event.target_kind,
        "target": event.target_id,
        "target_name": event.target_name,
        "study": event.study_id,
        "judgment_set": event.judgment_set,
        "before": event.before,
        "after": event.after,
    }


def _filter(form: FilterForm) -> tuple[dict[str, Any], int | None]:
    form.is_valid()  # what is no date, or no number, filters nothing; the form says so
    given = {name: value for name, value in form.cleaned_data.items() if value}
    before: int | None = given.pop("before", None)
    return given, before


def _distinct(events: AuditEventQuerySet, field: str) -> list[str]:
    rows = events.exclude(**{field: ""}).order_by(field).values_list(field, flat=True)
    return list(rows.distinct())


def _csv_line(values: list[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([escape_formula(value) for value in values])
    return out.getvalue()
