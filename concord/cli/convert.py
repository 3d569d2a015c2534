"""`concord convert FILE --to FORMAT --out OUT`: a file in a format of Concord."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

from concord.cli.command import argument, command, option
from concord.cli.files import AnyFormat, print_report
from concord.formats import (
    FormatError,
    JudgmentFile,
    PairFile,
    Problem,
    write_judgments,
    write_judgments_parquet,
    write_pairs,
    write_pairs_parquet,
)
from concord.formats.inspection import read_any
from concord.sentences import counted

Target = Literal["concord", "concord-parquet", "concord-pairs", "concord-pairs-parquet"]


@dataclass(frozen=True, kw_only=True)
class ConvertInputs:
    """Files, and the new file's format and place."""

    files: Sequence[Path] = argument("FILE")
    format: AnyFormat
    to: Target = option(default=MISSING)
    out: Path = option("the new file", MISSING)


@command("write a file of any format in a format of Concord", formats=())
def convert(inputs: ConvertInputs) -> None:
    """Write what was read of a file. Raters keep their names."""
    file = read_any(inputs.files, inputs.format.stated, inputs.format.options)
    print_report(file.report)
    for note in file.report.notes:
        print(note, file=sys.stderr)
    count = _write(file, inputs.to, inputs.out)
    noun = "pair" if isinstance(file, PairFile) else "candidate"
    print(f"{inputs.out}: {counted(count, noun)}.", file=sys.stderr)


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
