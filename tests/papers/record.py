"""Compute the values, write them to `examples/*.here.json`, and print the changes.

    python -m tests.papers.record [--only NAME ...] [--paper PAPER ...] [--no-files] [--dry-run]

Run this after a change of a metric or of a checkpoint. `--only lerc ava bleu-1-kp` takes the
metrics of these names alone, whatever their options, and other rows by their names. `--paper` takes
single papers: kpqa, mocha, ava, soricut_brill. Figures over KPQA's judgment files
take minutes; without the files (see bench/judgment_data.py), or with `--no-files`, they stay as
they are. docs/reference/papers.md is written
as well. `--dry-run` only prints what would change. Last come the differences without a reason and
the reasons without a difference: these are for people to write in `examples/PAPER.toml`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from bench import judgment_data
from tests.papers.comparing import DECIMALS
from tests.papers.computing import VERDICT, Computer, tolerance
from tests.papers.data import PAPERS, Entry, Paper, Values, read_paper, recorded_path
from tests.papers.reasons import faults
from tests.papers.table import write_page


def rows_wanted(paper: Paper, entry: Entry, only: Sequence[str]) -> list[str]:
    """An entry's rows that `--only` selects; all rows without it."""
    rows = dict.fromkeys(row for _, row in paper.rows(entry))
    return [row for row in rows if not only or row.removesuffix(VERDICT).partition("(")[0] in only]


def changes(entry: Entry, before: Values, after: Values) -> list[str]:
    """One line for each value that differs by more than its tolerance, is new or was removed."""
    lines = []
    for row in sorted(before.keys() | after.keys()):
        old, new = before.get(row), after.get(row)
        both_known = old is not None and new is not None
        apart = max(abs(a - b) for a, b in zip(old, new, strict=True)) if both_known else 0.0
        if not both_known or apart > tolerance(entry, row):
            lines.append(f"{row}: {_shown(old)} -> {_shown(new)}")
    return lines


def values_of_entry(computer: Computer, paper: Paper, entry: Entry, only: Sequence[str]) -> Values:
    """An entry's values: computed for the selected rows, else as recorded."""
    recorded = paper.here.get(entry.id, {})
    row_names = rows_wanted(paper, entry, only)
    computed = computer.compute(paper, entry, row_names) if row_names else {}
    return {
        row: [round(value, DECIMALS) for value in computed[row]]
        if row in computed
        else recorded[row]
        for _, row in paper.rows(entry)
        if row in computed or row in recorded
    }


def _write(paper: Paper, here: dict[str, Values]) -> None:
    """Write the values of the paper's entries, in their order."""
    in_order = {entry.id: here[entry.id] for entry in paper.entries if entry.id in here}
    text = json.dumps(in_order, indent=1, ensure_ascii=False)
    recorded_path(paper.slug).write_text(text + "\n", encoding="utf-8")


def _shown(values: list[float] | None) -> str:
    return "none" if values is None else " ".join(f"{value:.4f}" for value in values)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.papers.record")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--paper", nargs="+", default=list(PAPERS), choices=PAPERS)
    parser.add_argument("--no-files", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(arguments)
    without_files = options.no_files or not judgment_data.is_here("kpqa")
    computer = Computer()
    for slug in options.paper:
        paper = read_paper(slug)
        here = dict(paper.here)
        for entry in paper.entries:
            before = paper.here.get(entry.id, {})
            skipped = entry.needs_files and without_files
            here[entry.id] = (
                before if skipped else values_of_entry(computer, paper, entry, options.only)
            )
            for line in changes(entry, before, here[entry.id]):
                print(f"{slug} {entry.id} {line}", flush=True)
            if not options.dry_run:
                _write(paper, here)
    computer.session.close()
    if not options.dry_run:
        problems = [
            f"{slug}.toml: {fault}" for slug in PAPERS for fault in faults(read_paper(slug))
        ]
        print("\n".join(problems))
        write_page()


if __name__ == "__main__":
    main()
