"""`concord select FILE --scores A.jsonl B.jsonl`: choose a prompt on a train split."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from concord.cli.arguments import natural, positive
from concord.cli.files import add_file, read_file
from concord.cli.judged import add_judges, read_score_files
from concord.cli.tables import console_for, new_table, print_json
from concord.frames import cluster_codes
from concord.judged_frames import split_judges
from concord.judges.selection import Selection, SelectionError, select_on_train
from concord.sentences import counted, decimal


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "select", help="choose a judge's prompt on a train split; test it on the rest"
    )
    add_file(parser)
    option = parser.add_argument
    option("--scores", nargs="+", type=Path, default=[], metavar="SCORES",
           help="files of scores, such as those of concord judge")  # fmt: skip
    add_judges(parser)
    option("--train", default="train", metavar="SPLIT", help="the split to choose on")
    option("--draws", type=positive, default=1000)
    option("--seed", type=natural, default=0)
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    judged_frame = split_judges(read_file(parsed), parsed.judges)
    frame, table = judged_frame.people, read_score_files(judged_frame, parsed.scores)
    columns = {name: table[name].to_numpy(np.float64) for name in table.columns}
    if len(columns) < 2:
        message = "there is one prompt, or none: give two or more, by --scores or --judge"
        raise SelectionError(message)
    judged = np.isfinite(frame["score"].to_numpy(np.float64))
    is_train = (frame["split"] == parsed.train).to_numpy()
    if not is_train.any():
        raise SelectionError(f"the file has no split '{parsed.train}'")
    selection = select_on_train(
        tuple(columns),
        np.stack(list(columns.values()))[:, judged],
        frame["score"].to_numpy(np.float64)[judged],
        is_train[judged],
        cluster_codes(frame)[judged],
        rng=np.random.default_rng(parsed.seed),
        draws=parsed.draws,
    )
    used = judged & np.isfinite(np.stack(list(columns.values()))).all(axis=0)
    counts = {
        "candidates": len(frame),
        "train": int((used & is_train).sum()),
        "test": int((used & ~is_train).sum()),
        "without_human_score": int((~judged).sum()),
        "without_score": {
            name: int((judged & ~np.isfinite(values)).sum()) for name, values in columns.items()
        },
    }
    if parsed.format == "json":
        print_json({"n": counts, **to_json(selection)})
    else:
        _print(selection, counts, sys.stdout)


def to_json(selection: Selection) -> dict[str, Any]:
    return {
        "chosen": selection.names[selection.chosen],
        "optimism": selection.optimism.to_json(),
        "prompts": {
            name: {"train": train.value, "test": test.to_json(), "best_in": share}
            for name, train, test, share in zip(
                selection.names, selection.train, selection.test, selection.others, strict=True
            )
        },
    }


def _print(selection: Selection, counts: dict[str, Any], out: TextIO) -> None:
    console = console_for(out)
    table = new_table(
        f"Prompts, Pearson's r with people: {counts['train']:,} candidates of the train part, "
        f"{counts['test']:,} of the test part"
    )
    table.add_column("prompt")
    for column in ("train", "test", "95% interval", "best in"):
        table.add_column(column, justify="right")
    rows = zip(selection.names, selection.train, selection.test, selection.others, strict=True)
    for number, (name, train, test, share) in enumerate(rows):
        ends = test.ci
        table.add_row(
            f"{name} (chosen)" if number == selection.chosen else name,
            decimal(train.value),
            decimal(test.value),
            "" if ends is None else f"{decimal(ends[0])} to {decimal(ends[1])}",
            f"{share:.0%}",
        )
    console.print(table)
    left_out = [(counts["without_human_score"], "a human score")]
    left_out += [(n, f"a score by {name}") for name, n in counts["without_score"].items()]
    if reasons := [f"{n:,} without {what}" for n, what in left_out if n]:
        console.print(
            f"Left out of {counted(counts['candidates'], 'candidate')}: {', '.join(reasons)}. All "
            "prompts are compared on the same candidates.",
            markup=False,
            soft_wrap=True,
        )
    optimism = selection.optimism
    interval = (
        f" ({decimal(optimism.ci[0], 3, '+')} to {decimal(optimism.ci[1], 3, '+')})"
        if optimism.ci
        else ""
    )
    console.print(
        "Optimism of the choice, train less test: "
        f"{decimal(optimism.value, 3, '+')}{interval}. Report the "
        "figure of the test part."
    )
