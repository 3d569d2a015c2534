"""A panel's CSV file of finished workers, and the list of decisions for the panel."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.providers.provider import CrowdSubmissionReport, State
from annotation.crowds.services import identities, syncing
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.identities.sealing import lookups
from annotation.studies.intake import MAX_ROWS
from annotation.studies.models import Stage
from concord.tables.cells import escape_formula
from core import audit
from core.refusals import RefusedError
from core.security.declarations import MAX_LINE_BYTES, MAX_LINES_PER_ROW, UploadLimits

ID_COLUMNS = (
    "worker",
    "worker_id",
    "workerid",
    "participant",
    "participant id",
    "participant_id",
    "id",
)
CODE_COLUMNS = ("code", "completion code", "completion_code", "entered code", "survey code")
STATE_COLUMNS = ("status", "state")
STATES_BY_NAME = {
    "": State.SUBMITTED,
    "completed": State.SUBMITTED,
    "complete": State.SUBMITTED,
    "submitted": State.SUBMITTED,
    "awaiting review": State.SUBMITTED,
    "approved": State.APPROVED,
    "rejected": State.REJECTED,
    "returned": State.RETURNED,
    "timed-out": State.ABANDONED,
    "abandoned": State.ABANDONED,
}
MAX_PROBLEMS = 20
FILE_BYTES = 32 * 1024 * 1024


def file_limits() -> UploadLimits:
    """The limits of a panel's file."""
    return UploadLimits(FILE_BYTES, MAX_ROWS * MAX_LINES_PER_ROW, MAX_LINE_BYTES)


@dataclass
class PanelFileResult:
    """What a panel's file changed, and what is inconsistent.

    `unknown_lines` are lines with workers who were never here. `wrong_codes` and `missing` are
    names of workers here.
    """

    submitted: int = 0
    decided: int = 0
    unchanged: int = 0
    unknown_lines: list[int] = field(default_factory=list)
    wrong_codes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def import_results(stage: Stage, content: bytes, *, at: datetime) -> PanelFileResult:
    """Import a panel's file for the stage that was published by a link, all or nothing.

    Importing it again changes nothing. Raises RefusedError if it is not UTF-8 text or not a panel's
    file, and without such a publication.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError(
            "The file is not UTF-8 text. Nothing was changed.", "study-refused"
        ) from error
    linked = Publication.objects.filter(stage=stage, provider="link")
    publication = linked.exclude(status=Publication.Status.DRAFT).first()
    if publication is None:
        raise RefusedError(
            "The stage was not published to a panel by a link. Nothing was changed.",
            "study-refused",
        )
    return import_file(publication, text, at=at)


def import_file(publication: Publication, content: str, *, at: datetime) -> PanelFileResult:
    """Import a panel's file of finished workers, all or nothing.

    Importing the same file again changes nothing. Raises RefusedError if the file has no column of
    worker ids or an unknown status.
    """
    rows = list(_rows(publication, content))
    result = PanelFileResult()
    with transaction.atomic():
        every = publication.assignments.select_related("participation__worker", "listing")
        by_identity = {one.participation.worker.identity_key: one for one in every}
        id_namespace, named = provider_of(publication).id_namespace, set()
        for line, worker_id, state, code in rows:
            crowd = next(filter(None, map(by_identity.get, lookups(id_namespace, worker_id))), None)
            if crowd is None:
                result.unknown_lines.append(line)
                continue
            named.add(crowd.pk)
            if code and code.upper() != crowd.participation.completion_code:
                result.wrong_codes.append(crowd.participation.worker.name)
            submission = CrowdSubmissionReport(
                crowd.provider_id, crowd.listing.provider_id, worker_id, state, code
            )
            change = syncing.record_submission(crowd.listing, submission, at=at)
            result.unchanged += change is None
            result.submitted += change == State.SUBMITTED
            result.decided += change in (State.APPROVED, State.REJECTED)
        unnamed = every.filter(status=CrowdAssignment.Status.RATED).exclude(pk__in=named)
        of_panel = unnamed.filter(participation__worker__provider=id_namespace)
        result.missing = sorted(of_panel.values_list("participation__worker__name", flat=True))
        about = {
            "submitted": result.submitted,
            "decided": result.decided,
            "known": result.unchanged,
        }
        study = publication.stage.study
        audit.record(None, "crowd.results taken in", publication, after=about, study=study)
    return result


def decisions(publication: Publication) -> Iterator[str]:
    """The decisions as CSV lines for the panel: status, reason, and amounts to pay.

    The panel pays by it, so it is the only file with worker ids. Workers whose identity was removed
    cannot be paid and are left out.
    """
    yield _line(["worker", "status", "feedback", "reward", "bonus"])
    rows = publication.assignments.select_related("participation__worker").prefetch_related(
        "payments"
    )
    for crowd in rows:
        worker = crowd.participation.worker
        if crowd.status not in syncing.SUBMITTED_STATES or worker.identity is None:
            continue
        paid = {"reward": 0, "bonus": 0}
        for payment in crowd.payments.all():
            paid[payment.kind] += payment.cents
        yield _line(
            [
                identities.identity_of(worker),
                crowd.status,
                crowd.feedback,
                dollars(paid["reward"]),
                dollars(paid["bonus"]),
            ]
        )


def _rows(publication: Publication, content: str) -> Iterator[tuple[int, str, State, str]]:
    reader = csv.DictReader(io.StringIO(content.lstrip("\ufeff")))
    names = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
    parameter = offer_of(publication).id_parameter.lower()
    ids = next((names[one] for one in (parameter, *ID_COLUMNS) if one in names), None)
    if ids is None:
        raise RefusedError(
            f"The file has no column of worker ids. Name the column '{parameter}' or 'worker'. "
            "Nothing was changed.",
            "study-refused",
        )
    codes = next((names[one] for one in CODE_COLUMNS if one in names), None)
    states = next((names[one] for one in STATE_COLUMNS if one in names), None)
    problems: list[str] = []
    rows = []
    for number, row in enumerate(reader, start=2):
        worker_id = _cell(row, ids)
        status = _cell(row, states).lower()
        if not worker_id:
            continue
        if status not in STATES_BY_NAME:
            problems.append(f"line {number}: unknown status '{status}'")
            continue
        rows.append((number, worker_id, STATES_BY_NAME[status], _cell(row, codes)))
    if problems:
        raise RefusedError(
            "; ".join(problems[:MAX_PROBLEMS]) + ". Nothing was changed.", "study-refused"
        )
    yield from rows


def _cell(row: Mapping[str, str | None], name: str | None) -> str:
    return (row.get(name) or "").strip() if name else ""


def _line(values: list[str]) -> str:
    """A CSV line. Text that a spreadsheet would run as a formula is escaped."""
    out = io.StringIO()
    csv.writer(out).writerow([escape_formula(value) for value in values])
    return out.getvalue()
