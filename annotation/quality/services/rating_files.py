"""A study's submitted ratings as CSV or JSON Lines, for its editors."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.quality.services.ledgers import removed_ratings
from annotation.quality.services.rating_data import gold_stages, usable_ratings
from annotation.rating.models import Assignment, Participation, Rating
from annotation.studies.models import Study
from concord.tables.cells import escape_formula

CONTENT_TYPES = {"csv": "text/csv", "jsonl": "application/jsonl"}
CHUNK = 2000
Status = Assignment.Status
# The columns of a rating, and their values.
Row = dict[str, Any]

# The columns and what they mean.
COLUMNS = {
    "rating": "number of the rating in the database",
    "candidate": "key of the candidate",
    "instance": "key of the instance",
    "system": "system of the candidate",
    "constituent": "constituent of the instance",
    "split": "split of the instance",
    "use": "rated, gold (hidden check) or qualification (test item)",
    "expected": "correct rating of a hidden check or test item; otherwise empty",
    "expected_answers": "correct answers to its further criteria by name; in CSV as JSON, empty "
    "without any",
    "stage": "qualification, trial or full",
    "hit": "number of the HIT in the stage",
    "protocol": "version of the protocol",
    "worker": "name of the worker on the study's pages",
    "simulated": "whether the worker is simulated",
    "excluded": "whether the worker is excluded now",
    "value": "value on the scale; empty if the worker could not judge",
    "shown": "order in which compared candidates were shown, 1 for the first of the key; or empty",
    "answers": "answers to the further criteria by name; in CSV as JSON, empty without any",
    "comment": "comment of the worker",
    "seconds": "seconds from showing the candidate to its rating; empty if unknown",
    "created_at": "time of the first rating",
    "updated_at": "time of the last change",
    "submitted_at": "time at which the HIT was submitted",
    "surplus": "whether the HIT was submitted too late to count",
    "counts": "whether it counts for the gold score, after the ledger",
    "removed_by": "number of the ledger's step that removes it; otherwise empty",
}


_FIELDS = {
    "rating": "pk",
    "candidate": "candidate__key",
    "instance": "candidate__instance__key",
    "system": "candidate__system",
    "constituent": "candidate__instance__constituent",
    "split": "candidate__instance__split",
    "use": "candidate__use",
    "expected": "candidate__expected",
    "expected_answers": "candidate__expected_answers",
    "stage": "assignment__hit__stage__kind",
    "hit": "assignment__hit__index",
    "protocol": "assignment__protocol_version__version",
    "worker": "worker__name",
    "simulated": "simulated",
    "excluded": "is_excluded",
    "value": "value",
    "shown": "shown",
    "answers": "answers",
    "comment": "comment",
    "seconds": "seconds",
    "created_at": "created_at",
    "updated_at": "updated_at",
    "submitted_at": "assignment__submitted_at",
    "surplus": "assignment__status",
    "counts": "is_usable",
}


def rating_rows(study: Study) -> Iterator[Row]:
    """Every submitted rating, surplus included, in the order of their numbers; keys are COLUMNS.

    Ratings of workers who withdrew are left out, as everywhere. Raises LedgerError at once.
    """
    removed = removed_ratings(study)
    people = Participation.objects.filter(study=study, worker=OuterRef("worker"))
    usable = usable_ratings(study, gold_stages(study))
    rows = (
        Rating.objects.filter(
            ~Exists(people.filter(withdrawn_at__isnull=False)),
            assignment__hit__stage__study=study,
            assignment__status__in=(Status.SUBMITTED, Status.SURPLUS),
        )
        .annotate(
            is_excluded=Exists(people.filter(excluded_at__isnull=False)),
            is_usable=Exists(usable.filter(pk=OuterRef("pk"))),
        )
        .order_by("pk")
        .values_list(*_FIELDS.values())
    )
    return (_row(values, removed) for values in rows.iterator(chunk_size=CHUNK))


def json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """One JSON object per rating."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


def csv_lines(rows: Iterable[Row]) -> Iterator[str]:
    """A header and one row per rating. Cells that look like formulas are escaped."""
    yield ",".join(COLUMNS) + "\n"
    for row in rows:
        out = io.StringIO()
        cells = [escape_formula(_in_csv(value)) for value in row.values()]
        csv.writer(out, lineterminator="\n").writerow(cells)
        yield out.getvalue()


def _row(values: tuple[object, ...], removed: dict[int, int]) -> Row:
    row: Row = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in zip(_FIELDS, values, strict=True)
    }
    step = removed.get(row["rating"])
    row["surplus"] = row["surplus"] == Status.SURPLUS
    row["counts"] = row["counts"] and step is None
    return row | {"removed_by": step}


def _in_csv(value: object) -> object:
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return ("yes" if value else "no") if isinstance(value, bool) else value
