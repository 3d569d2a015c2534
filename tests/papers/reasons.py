"""Check that every difference from a printed value has a reason, and vice versa."""

from __future__ import annotations

from tests.papers.comparing import Row, compared_rows
from tests.papers.data import Entry, Paper


def entry_faults(paper: Paper, entry: Entry) -> list[str]:
    """The faults of an entry's reasons, by its recorded values."""
    missing = {row for _, row in paper.rows(entry)} - paper.here.get(entry.id, {}).keys()
    if missing:
        return [f"{entry.id}: no value is recorded for {', '.join(sorted(missing))}"]
    rows = compared_rows(paper, entry)
    entries = [
        f"{entry.id}, {row.metric}: {_difference(row)}"
        for row in rows
        if row.agrees is False and row.reason not in paper.reasons
    ]
    used = {row.metric for row in rows if row.agrees is False}
    entries += [
        f"{entry.id}: its reason for {name} is not needed, since the value is the printed one"
        for name in entry.reason_of
        if name not in used
    ]
    return entries


def faults(paper: Paper) -> list[str]:
    """The faults of a paper's reasons, as sentences; empty without faults."""
    problems = [fault for entry in paper.entries for fault in entry_faults(paper, entry)]
    if problems:
        return problems
    used = {row.reason for entry in paper.entries for row in compared_rows(paper, entry)}
    return [f"the reason {key!r} explains nothing" for key in paper.reasons if key not in used]


def _difference(row: Row) -> str:
    printed, here = ", ".join(row.printed), ", ".join(row.here)
    return f"printed {printed}, here {here}, and `reason_of` names no reason"
