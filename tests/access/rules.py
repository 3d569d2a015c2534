"""How the access table is written, and what its words mean for each kind of person.

A line is `route  GET  POST`. A cell is a status that everybody gets, such as `405`, or
`who:status`, or several of these with commas between: who is named gets the status, all others are
refused as the kind of thing refuses them.
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
    # Whose the token, the webhook, the submission is; administrators have none of their own.
    "mine": ("owner",),
}


@dataclass(frozen=True)
class Refusal:
    """What they get who may not: who is not signed in, who has no role on it, who has too small a
    one."""

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
    """The rows of a text, by the route's name. `words` says of further words whom they stand for
    and how the others are refused."""
    found: dict[str, Row] = {}
    for line in text.strip().splitlines():
        name, get, post = line.split()
        assert name not in found, f"{name} is in the table twice"
        found[name] = {
            "get": _statuses(get, refusal, words or {}),
            "post": _statuses(post, refusal, words or {}),
        }
    return found


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
