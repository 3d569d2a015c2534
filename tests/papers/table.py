"""Write docs/reference/papers.md: the papers' printed examples beside what Concord gives.

    python -m tests.papers.table

The page is made of `examples/` alone (see `data`), so that it cannot differ from the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.papers.comparing import Row, compared_rows
from tests.papers.data import PAPERS, Entry, Paper, read_paper

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "papers.md"

HEAD = """\
<!-- Written by `python -m tests.papers.table` from tests/papers/examples. Do not edit. -->
# The papers' examples

Every example and figure that the four papers print, what Concord computes for it, and the reason
for each difference. The tests in `tests/papers` compute the same values. `make test` skips figures
over KPQA's files where these are absent, and leaves those that a network computes over whole files
to `make test-slow`.

A value here is "as printed" when it is the printed one to the printed digits. "note 1" is the first
of the notes below each paper's tables. A passage that is quoted in part is marked as shortened.

    python -m tests.papers.record --only lerc ava     # after a change of these metrics
    python -m tests.papers.table                      # writes this page
"""

HEADS = {
    "score": "| printed at | metric | printed | metric here | value here | difference |",
    "pair": "| printed at | metric here | printed order | order here | two scores | difference |",
    "figures": "| printed at | row | columns | printed | row here | value here | difference |",
}
COLUMNS = {"score": 6, "pair": 6, "figures": 7}


class Notes:
    """Numbers a paper's reasons in the order in which its tables refer to them."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.keys: list[str] = []

    def of(self, row: Row) -> str:
        """A row's last cell: "as printed", or the note of its reason."""
        if row.agrees is None:
            return "" if row.printed else "nothing printed"
        if row.agrees:
            return "as printed"
        if row.reason is None:
            return "no reason given"
        if row.reason not in self.keys:
            self.keys.append(row.reason)
        return f"note {self.keys.index(row.reason) + 1}"

    def lines(self) -> Iterator[str]:
        if self.keys:
            yield "Notes:"
            yield ""
        for number, key in enumerate(self.keys, start=1):
            yield f"{number}. {self.paper.reasons[key]}"


def page() -> str:
    """The complete page."""
    parts = [HEAD]
    for slug in PAPERS:
        parts.append("\n".join(_section(read_paper(slug))) + "\n")
    return "\n".join(parts)


def write_page() -> None:
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


def _section(paper: Paper) -> Iterator[str]:
    notes = Notes(paper)
    yield f"## {paper.name}"
    yield ""
    yield f"{paper.source}."
    kinds = {
        "score": [entry for entry in paper.entries if entry.kind == "score"],
        "pair": [entry for entry in paper.entries if entry.kind == "pair"],
    }
    kinds["figures"] = [entry for entry in paper.entries if entry.kind not in kinds]
    for kind, title in (
        ("score", "Answers and their scores"),
        ("pair", "Pairs of answers"),
        ("figures", "Figures and formulas"),
    ):
        if not kinds[kind]:
            continue
        yield from ("", f"### {paper.name}: {title.lower()}", "")
        yield from map(_description if kind == "figures" else _quotation, kinds[kind])
        yield ""
        yield HEADS[kind]
        yield "|---" * COLUMNS[kind] + "|"
        for entry in kinds[kind]:
            for row in compared_rows(paper, entry):
                yield _line(kind, entry, row, notes.of(row))
        if kind == "pair":
            yield from ("", *_accuracies(paper, kinds[kind]))
    yield ""
    yield from notes.lines()
    yield from ("", f"### {paper.name}: what cannot be compared", "")
    for one in paper.missing:
        yield f"- {one['where']}: {one['reason']}"


def _description(entry: Entry) -> str:
    hand = " By hand: the paper prints the formula." if entry.by_hand else ""
    return f"- **{_place(entry)}.** {entry.what[:1].upper()}{entry.what[1:]}.{hand}"


def _quotation(entry: Entry) -> str:
    people = f" People: {entry.people}." if entry.people else ""
    shortened = " (shortened)" if entry.shortened else ""
    passage = f" Passage{shortened}: “{entry.passage}”" if entry.passage else ""
    answers = entry.candidates or (entry.candidate,)
    names = ("First answer", "Second answer") if entry.candidates else ("Answer",)
    answered = " ".join(f"{name}: “{text}”" for name, text in zip(names, answers, strict=True))
    return (
        f"- **{_place(entry)}.**{passage} Question: “{entry.question}” "
        f"Reference: “{entry.references[0]}” {answered}{people}"
    )


def _place(entry: Entry) -> str:
    """An entry's place in the paper, made unique."""
    return f"{entry.where} (`{entry.id}`)"


def _line(kind: str, entry: Entry, row: Row, difference: str) -> str:
    printed = row.printed or ("",) * len(row.here)
    if kind == "score":
        cells = [_place(entry), row.name, printed[0], f"`{row.metric}`", row.here[0], difference]
        return _cells(cells)
    if kind == "pair":
        first, *scores = row.here
        cells = [_place(entry), f"`{row.metric}`", printed[0], first, " / ".join(scores)]
        return _cells([*cells, difference])
    here = row.metric if row.metric == row.name else f"`{row.metric}`"
    columns, texts, values = (" / ".join(one) for one in (entry.columns, printed, row.here))
    return _cells([_place(entry), row.name, columns, texts, here, values, difference])


def _accuracies(paper: Paper, pairs: list[Entry]) -> Iterator[str]:
    """How many of the pairs each metric orders as the paper says, a tie counting half."""
    counts: dict[str, list[float]] = {}
    for entry in pairs:
        for row in compared_rows(paper, entry):
            share = 1.0 if row.agrees else 0.5 if row.here[0] == "tie" else 0.0
            counts.setdefault(row.metric, []).append(share)
    parts = (f"`{name}` {sum(points):g} of {len(points)}" for name, points in counts.items())
    yield f"In the printed order, a tie counting half: {', '.join(parts)}."


def _cells(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    write_page()
