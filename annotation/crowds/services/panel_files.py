"""A panel's CSV of who finished, reconciled; and the list of decisions that it gets back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.providers.provider import State, Submission
from annotation.crowds.services import identities, syncing
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.identities.sealing import lookups
from annotation.rating.services.completion import completion_code
from annotation.studies.errors import StudyError
from concord.formats.cells import escape_formula
from core import audit

IDS = ("worker", "worker_id", "workerid", "participant", "participant id", "participant_id", "id")
CODES = ("code", "completion code", "completion_code", "entered code", "survey code")
STATES = ("status", "state")
MEANT = {
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
MOST_PROBLEMS = 20


@dataclass
class Reconciled:
    """What the panel's file said: by what it changed, and what does not fit together: `strangers`
    by the line they stand in, workers of ours by their names here."""

    submitted: int = 0
    decided: int = 0
    known: int = 0
    strangers: list[int] = field(default_factory=list)
    wrong_codes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def reconcile(publication: Publication, content: str, *, at: datetime) -> Reconciled:
    """Take in who finished by the panel's account, all or nothing; a second time changes nothing.

    Raises StudyError for a file without a column of ids, and for states that mean nothing to us.
    """
    rows = list(_rows(publication, content))
    found = Reconciled()
    with transaction.atomic():
        every = publication.assignments.select_related("participation__worker", "listing")
        mine = {one.participation.worker.identity_key: one for one in every}
        space, named = provider_of(publication).space, set()
        for line, worker_id, state, code in rows:
            crowd = next(filter(None, map(mine.get, lookups(space, worker_id))), None)
            if crowd is None:
                found.strangers.append(line)
                continue
            named.add(crowd.pk)
            if code and code.upper() != completion_code(crowd.participation):
                found.wrong_codes.append(crowd.participation.worker.name)
            told = Submission(crowd.provider_id, crowd.listing.provider_id, worker_id, state, code)
            change = syncing.take_in(crowd.listing, told, at=at)
            found.known += change is None
            found.submitted += change == State.SUBMITTED
            found.decided += change in (State.APPROVED, State.REJECTED)
        finished = (CrowdAssignment.Status.RATED,)
        found.missing = sorted(
            one.participation.worker.name
            for one in every
            if one.status in finished and one.pk not in named
        )
        about = {"submitted": found.submitted, "decided": found.decided, "known": found.known}
        study = publication.stage.study
        audit.record(None, "crowd.results taken in", publication, after=about, study=study)
    return found


def decisions(publication: Publication) -> Iterator[str]:
    """The list for the panel, as CSV lines: each decision, why, and what is to be paid.

    The panel pays by it, so it is the one file that says who workers are; those whose identity was
    removed cannot be paid any more and are not in it.
    """
    yield _line(["worker", "status", "feedback", "reward", "bonus"])
    rows = publication.assignments.select_related("participation__worker").prefetch_related(
        "payments"
    )
    for crowd in rows:
        worker = crowd.participation.worker
        if crowd.status not in syncing.HANDED_IN or worker.identity is None:
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
    ids = next((names[one] for one in (parameter, *IDS) if one in names), None)
    if ids is None:
        raise StudyError(
            f"The file has no column of worker ids: name it '{parameter}' or 'worker'. Nothing "
            "was changed."
        )
    codes = next((names[one] for one in CODES if one in names), None)
    states = next((names[one] for one in STATES if one in names), None)
    problems: list[str] = []
    found = []
    for number, row in enumerate(reader, start=2):
        worker_id = _of(row, ids)
        said = _of(row, states).lower()
        if not worker_id:
            continue
        if said not in MEANT:
            problems.append(f"line {number}: the status '{said}' means nothing here")
            continue
        found.append((number, worker_id, MEANT[said], _of(row, codes)))
    if problems:
        raise StudyError("; ".join(problems[:MOST_PROBLEMS]) + ". Nothing was changed.")
    yield from found


def _of(row: Mapping[str, str | None], name: str | None) -> str:
    return (row.get(name) or "").strip() if name else ""


def _line(values: list[str]) -> str:
    """A CSV line; what a spreadsheet would take for a formula stays text."""
    out = io.StringIO()
    csv.writer(out).writerow([escape_formula(value) for value in values])
    return out.getvalue()
