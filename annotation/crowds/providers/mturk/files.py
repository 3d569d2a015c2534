"""Mechanical Turk by its requester pages: a batch's input and template out, its results in.

For those who publish by hand, and for archives: the results of a batch of years ago are read in
the same way.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from annotation.crowds.providers import money
from annotation.crowds.providers.money import Lot, Price
from annotation.crowds.providers.mturk.answers import write_answers
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.panels import Panel
from annotation.crowds.providers.provider import CrowdError, State, Submission

HIT = "concord_hit"
ANSWER, INPUT = "Answer.", "Input."
NEEDED = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", f"{INPUT}{HIT}")
ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}
TIMES = ("%a %b %d %H:%M:%S %Y", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S")
MOST_PROBLEMS = 20
FORMULA_SIGNS = ("=", "+", "-", "@")


class Files(Panel):
    """HITs that a person uploads and whose results a person brings back."""

    name, title = "files", "Mechanical Turk, by files"
    listing_per_hit = True
    most_places = money.MANY_ASSIGNMENTS - 1

    @property
    def space(self) -> str:
        return "mturk"

    def price(self, lots: Sequence[Lot], offer: Offer) -> Price:
        return money.mturk_price(lots, masters=offer.masters)

    def fee(self, pay_cents: int, places: int, offer: Offer) -> int:
        return money.mturk_fee(pay_cents, places, masters=offer.masters)

    def bonus_fee(self, cents: int, offer: Offer) -> int:
        return money.mturk_bonus_fee(cents)

    def return_url(self, code: str, offer: Offer) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class InputHit:
    """A HIT for the input file: its number, and each candidate's texts with its key."""

    number: int
    passage: str
    rows: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A line of a results file: the HIT here, how many places it had there, its submission."""

    hit_number: int
    places: int
    reward_cents: int
    submission: Submission


def input_columns(most: int) -> list[str]:
    """The columns of an input file whose HITs hold at most `most` candidates."""
    each = ("key", "question", "reference", "candidate")
    return [HIT, "passage", *(f"{name}_{n}" for n in range(1, most + 1) for name in each)]


def write_input(hits: Iterable[InputHit], most: int) -> Iterator[str]:
    """The input file, line by line; a HIT with fewer candidates leaves the rest empty.

    Line breaks become spaces: MTurk's upload takes none. Texts are escaped, since its pages put
    them into the template as they are.
    """
    yield _line(input_columns(most))
    for hit in hits:
        values = [str(hit.number), hit.passage]
        for row in hit.rows:
            values += row
        values += [""] * (4 * (most - len(hit.rows)))
        yield _line([_text(value) for value in values])


def _text(value: str) -> str:
    """A text as HTML on one line; a sign that would begin a formula is written as an entity."""
    escaped = html.escape(" ".join(value.split()))
    return f"&#{ord(escaped[0])};{escaped[1:]}" if escaped[:1] in FORMULA_SIGNS else escaped


def read_results(content: str) -> list[ResultRow]:
    """A batch's results. Raises CrowdError naming what is wrong, line by line."""
    reader = csv.DictReader(io.StringIO(content.lstrip("\ufeff")))
    missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
    if missing:
        raise CrowdError(
            f"The file is no batch result of this study: it lacks the column {', '.join(missing)}."
        )
    found, problems = [], []
    for number, row in enumerate(reader, start=2):
        try:
            found.append(_result(row))
        except (ValueError, ArithmeticError, KeyError, TypeError) as error:
            problems.append(f"line {number}: {error}")
    if problems:
        raise CrowdError("; ".join(problems[:MOST_PROBLEMS]))
    return found


def _result(row: Mapping[str, str]) -> ResultRow:
    answers = {}
    for name, value in row.items():
        if not name or not name.startswith(ANSWER) or not value:
            continue
        field, _, option = name.removeprefix(ANSWER).rpartition(".")
        # Radio buttons come as one column, or, from crowd-form pages, as a column a choice.
        if field and value.lower() == "true":
            answers[field] = option
        elif not field:
            answers[option] = value
    state = row["AssignmentStatus"].strip().lower()
    if state not in ("submitted", "approved", "rejected"):
        raise ValueError(f"the AssignmentStatus '{row['AssignmentStatus']}' is none of MTurk's")
    if not row["WorkerId"] or not row["AssignmentId"] or not row["HITId"]:
        raise ValueError("an id is empty")
    submission = Submission(
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
    """A time as MTurk's files write it, `Fri Nov 20 10:00:00 PST 2026`, Pacific by their word;
    one without a zone is taken for UTC. None for what is no time."""
    words = (text or "").split()
    zone = next((timezone(timedelta(hours=ZONES[word])) for word in words if word in ZONES), UTC)
    plain = " ".join(word for word in words if word not in ZONES)
    for form in TIMES:
        try:
            return datetime.strptime(plain, form).replace(tzinfo=zone)
        except ValueError:
            continue
    return None


def _line(values: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(values)
    return out.getvalue()
