"""`export_judgments NAME OUT.jsonl`: a set as concord-judgments JSON Lines, or as Parquet."""

from __future__ import annotations

from argparse import SUPPRESS
from pathlib import Path

from django.core.management.base import CommandParser

from benchmarks.exports.services import datasets, exports
from benchmarks.exports.services.other_tools import FORMATS
from benchmarks.management.base import SetCommand, add_set_argument, find_set
from benchmarks.management.files import atomic_file, atomic_path
from concord.sentences import counted


class Command(SetCommand):
    help = "Export a judgment set. Importing the file makes the same set."

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("out", metavar="OUT.jsonl", type=Path, help="or OUT.parquet")
        parser.add_argument(
            "--format",
            choices=("concord", *FORMATS),
            default="concord",
            help="concord (default; Parquet by the suffix of OUT), tasks of Label Studio with the "
            "ratings, the labelling configuration for them, or items of Potato",
        )
        parser.add_argument("--pairs", type=Path, metavar="PAIRS.jsonl", help="its minimal pairs")
        parser.add_argument(
            "--stable-names",
            action="store_true",
            help=SUPPRESS,  # of earlier versions; a set's pseudonyms are always the same now
        )

    def run(self, *, name: str, out: Path, format: str, pairs: Path | None, **_: object) -> None:
        judgment_set = find_set(name)
        is_parquet = out.suffix.lower() == ".parquet" and format == "concord"
        what = "judgments.parquet" if is_parquet else "judgments.jsonl"
        exports.record_export(judgment_set, what)
        if is_parquet:
            with atomic_path(out) as part:
                datasets.judgments_parquet(judgment_set, part)
        elif format == "concord":
            with atomic_file(out) as file:
                file.writelines(exports.judgments(judgment_set))
        else:
            with atomic_file(out) as file:
                file.writelines(FORMATS[format](judgment_set))
        self.stdout.write(f"{counted(judgment_set.n_candidates, 'candidate')} written to {out}.")
        if pairs:
            with atomic_file(pairs) as file:
                lines = list(exports.pairs(judgment_set))
                file.writelines(lines)
            self.stdout.write(f"{counted(len(lines), 'pair')} written to {pairs}.")
