"""The syntax of the access table.

A line is `route  GET  POST`. A cell is a status for all people, such as `405`, or a comma-separated
list of `who:status`. All people who are not in the list get the refusal of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

PEOPLE = ("visitor", "submitter", "outsider", "viewer", "editor", "owner", "administrator")
MEMBERS = ("viewer", "editor", "owner", "administrator")

WHO = {
    "everybody": PEOPLE,
    "visitor": ("visitor",),
    "account": PEOPLE[1:],
    "researcher": ("outsider", "owner", "administrator"),
    "viewer": MEMBERS,
    "editor": MEMBERS[1:],
    "owner": MEMBERS[2:],
    "administrator": MEMBERS[3:],
    # The owner of the token, webhook or submission; administrators own none.
    "mine": ("owner",),
}


@dataclass(frozen=True)
class Refusal:
    """The statuses of people without access: visitors, accounts without a role, and members whose
    role is too low."""

    visitor: int
    outsider: int
    member: int

    def of(self, person: str) -> int:
        if person == "visitor":
            return self.visitor
        return self.member if person in MEMBERS else self.outsider


Statuses = dict[str, int]
# By method.
Row = dict[str, Statuses]


def table(
    text: str, refusal: Refusal, words: dict[str, tuple[str, Refusal]] | None = None
) -> dict[str, Row]:
    """The rows of a table by route name.

    words: additional names of people, each with the people it stands for and the refusal of others.
    """
    rows: dict[str, Row] = {}
    for line in text.strip().splitlines():
        name, get, post = line.split()
        assert name not in rows, f"{name} is in the table twice"
        rows[name] = {
            "get": _statuses(get, refusal, words or {}),
            "post": _statuses(post, refusal, words or {}),
        }
    return rows


def _statuses(text: str, refusal: Refusal, words: dict[str, tuple[str, Refusal]]) -> Statuses:
    if ":" not in text:
        return dict.fromkeys(PEOPLE, int(text))
    allowed: Statuses = {}
    for part in text.split(","):
        who, status = part.split(":")
        if who in words:
            who, refusal = words[who]
        allowed |= dict.fromkeys(WHO[who], int(status))
    return {one: allowed.get(one) or refusal.of(one) for one in PEOPLE}
