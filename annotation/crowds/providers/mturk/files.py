"""Mechanical Turk through its requester pages: input file and template out, results in.

For requesters who publish by hand, and for archives: results of old batches are read in the same
way.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from annotation.crowds.providers import money
from annotation.crowds.providers.money import ListingGroup, Price
from annotation.crowds.providers.mturk.answers import write_answers
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.panels import PanelProvider
from annotation.crowds.providers.provider import CrowdError, CrowdSubmissionReport, State

HIT = "concord_hit"
ANSWER, INPUT = "Answer.", "Input."
EACH = ("key", "question", "reference")
REQUIRED_COLUMNS = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", f"{INPUT}{HIT}")
ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}
TIMES = ("%a %b %d %H:%M:%S %Y", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S")
MAX_PROBLEMS = 20
FORMULA_SIGNS = ("=", "+", "-", "@")


class Files(PanelProvider):
    """HITs that a person uploads, and whose results a person brings back."""

    name, title = "files", "Mechanical Turk (files)"
    test_terms = (
        "A batch has no qualification test. Use a qualification of the requester page, whose test "
        "is not paid."
    )
    summary = "You publish the batch files by hand on a requester page, and import its results."
    cost = "Rewards and the fee of that page, which charges its own account."
    section = "batch-files"
    listing_per_hit = True
    max_places_at_lower_fee = money.MANY_ASSIGNMENTS - 1

    @property
    def id_namespace(self) -> str:
        return "mturk"

    def price(self, groups: Sequence[ListingGroup], offer: Offer) -> Price:
        return money.mturk_price(groups, masters=offer.masters)

    def fee(self, pay_cents: int, places: int, offer: Offer) -> int:
        return money.mturk_fee(pay_cents, places, masters=offer.masters)

    def bonus_fee(self, cents: int, offer: Offer) -> int:
        return money.mturk_bonus_fee(cents)

    def return_url(self, code: str, offer: Offer) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class InputHit:
    """A HIT for the input file: its number, and of each candidate, pair or set the values of the
    columns that `unit_columns` names."""

    number: int
    passage: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A line of a results file: the HIT's number here, its assignments at MTurk, and a
    submission."""

    hit_number: int
    places: int
    reward_cents: int
    submission: CrowdSubmissionReport


def text_columns(compared: int) -> tuple[str, ...]:
    """The columns of the texts of a candidate, pair or set, in the order in which they are shown.

    compared: how many candidates the largest unit compares; 0 for single candidates.
    """
    if compared == 0:
        return ("candidate",)
    if compared == 2:
        return ("first", "second")
    return tuple(f"answer{place}" for place in range(1, compared + 1))


def value_columns(compared: int) -> tuple[str, ...]:
    """The columns of the values of a choice of each compared candidate."""
    return tuple(f"{name}_value" for name in text_columns(compared)) if compared else ()


def unit_columns(compared: int) -> tuple[str, ...]:
    """The columns of one candidate, pair or set, without its number."""
    return (*EACH, *text_columns(compared), *value_columns(compared))


def write_input(hits: Iterable[InputHit], max_units: int, *, compared: int = 0) -> Iterator[str]:
    """Yield the lines of the input file of HITs with at most `max_units` candidates, pairs or sets.

    compared: how many candidates the largest unit compares; 0 for single candidates. A HIT with
    fewer units leaves columns empty. Line breaks become spaces, because MTurk's upload rejects
    them. Texts are escaped, because MTurk inserts them into the template unescaped.
    """
    columns = unit_columns(compared)
    numbered = (f"{name}_{n}" for n in range(1, max_units + 1) for name in columns)
    yield _line([HIT, "passage", *numbered])
    for hit in hits:
        values = [str(hit.number), hit.passage]
        for row in hit.rows:
            values += row
        values += [""] * (len(columns) * (max_units - len(hit.rows)))
        yield _line([_text(value) for value in values])


def _text(value: str) -> str:
    """A text as HTML on one line. A leading formula sign is written as an entity."""
    escaped = html.escape(" ".join(value.split()))
    return f"&#{ord(escaped[0])};{escaped[1:]}" if escaped[:1] in FORMULA_SIGNS else escaped


def read_results(content: str) -> list[ResultRow]:
    """Read a batch's results. Raises CrowdError listing the invalid lines."""
    reader = csv.DictReader(io.StringIO(content.lstrip("\ufeff")))
    missing = [name for name in REQUIRED_COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise CrowdError(f"The file is not a batch result: it has no column {', '.join(missing)}.")
    rows, problems = [], []
    for number, row in enumerate(reader, start=2):
        try:
            rows.append(_result(row))
        except (ValueError, ArithmeticError, KeyError, TypeError) as error:
            problems.append(f"line {number}: {error}")
    if problems:
        raise CrowdError("; ".join(problems[:MAX_PROBLEMS]))
    return rows


def _result(row: Mapping[str, str]) -> ResultRow:
    answers = {}
    for name, value in row.items():
        if not name or not name.startswith(ANSWER) or not value:
            continue
        field, _, option = name.removeprefix(ANSWER).rpartition(".")
        # Radio buttons are one column, or on crowd-form pages one column per choice.
        if field and value.lower() == "true":
            answers[field] = option
        elif not field:
            answers[option] = value
    state = row["AssignmentStatus"].strip().lower()
    if state not in ("submitted", "approved", "rejected"):
        raise ValueError(f"the AssignmentStatus '{row['AssignmentStatus']}' is not one of MTurk's")
    if not row["WorkerId"] or not row["AssignmentId"] or not row["HITId"]:
        raise ValueError("an id is empty")
    submission = CrowdSubmissionReport(
        provider_id=row["AssignmentId"].strip(),
        listing_id=row["HITId"].strip(),
        worker_id=row["WorkerId"].strip(),
        state=State(state),
        answer=write_answers(answers),
        feedback=row.get("RequesterFeedback") or "",
        accepted_at=_time(row.get("AcceptTime")),
        submitted_at=_time(row.get("SubmitTime")),
        decided_at=_time(row.get("ApprovalTime")) or _time(row.get("RejectionTime")),
    )
    reward = (row.get("Reward") or "0").strip().lstrip("$")
    return ResultRow(
        int(row[f"{INPUT}{HIT}"]),
        int(row.get("MaxAssignments") or 1),
        money.cents(reward or "0"),
        submission,
    )


def _time(text: str | None) -> datetime | None:
    """Parse a time of MTurk's files, such as `Fri Nov 20 10:00:00 PST 2026`.

    A time without a zone is in UTC. Returns None if the text is not a time.
    """
    words = (text or "").split()
    zone = next((timezone(timedelta(hours=ZONES[word])) for word in words if word in ZONES), UTC)
    plain = " ".join(word for word in words if word not in ZONES)
    for time_format in TIMES:
        try:
            return datetime.strptime(plain, time_format).replace(tzinfo=zone)
        except ValueError:
            continue
    return None


def _line(values: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(values)
    return out.getvalue()
