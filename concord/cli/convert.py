"""`concord convert FILE --to FORMAT --out OUT`: a file in a format of Concord."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from concord.cli.files import (
    add_format,
    add_options,
    chosen_options,
    print_report,
    stated_format,
)
from concord.formats import (
    ALL_FORMATS,
    FormatError,
    JudgmentFile,
    PairFile,
    Problem,
    ReadOptions,
    write_judgments,
    write_judgments_parquet,
    write_pairs,
    write_pairs_parquet,
)
from concord.formats.inspection import read_any
from concord.sentences import counted

TARGETS = ("concord", "concord-parquet", "concord-pairs", "concord-pairs-parquet")


def add(commands: Any) -> None:
    """Add the command `convert` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "convert", help="write a file of any format in a format of Concord"
    )
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path)
    add_format(option, ALL_FORMATS)
    add_options(parser)
    option("--to", choices=TARGETS, required=True)
    option("--out", type=Path, required=True, help="the new file")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Write what was read of a file. Raters keep their names."""
    options = ReadOptions(**chosen_options(vars(parsed)))
    file = read_any(parsed.files, stated_format(parsed), options)
    print_report(file.report)
    for note in file.report.notes:
        print(note, file=sys.stderr)
    count = _write(file, parsed.to, parsed.out)
    noun = "pair" if isinstance(file, PairFile) else "candidate"
    print(f"{parsed.out}: {counted(count, noun)}.", file=sys.stderr)


def _write(file: JudgmentFile | PairFile, target: str, out: Path) -> int:
    is_parquet = target.endswith("-parquet")
    wants_pairs = target.startswith("concord-pairs")
    if isinstance(file, PairFile) != wants_pairs:
        held, other = ("pairs", "concord-pairs") if not wants_pairs else ("judgments", "concord")
        message = f"the file has {held}; write --to {other}"
        raise FormatError([Problem("", None, "to", message)])
    if isinstance(file, PairFile):
        if is_parquet:
            return write_pairs_parquet(out, file.pairs, file.scale)
        with out.open("w", encoding="utf-8", newline="\n") as stream:
            return write_pairs(stream, file.pairs, file.scale)
    if is_parquet:
        return write_judgments_parquet(out, file.candidates, file.scale, str)
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        return write_judgments(stream, file.candidates, file.scale, str)
