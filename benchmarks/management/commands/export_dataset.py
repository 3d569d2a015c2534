"""`export_dataset NAME OUT`: a set as a dataset folder in the form of the Hugging Face hub."""

from __future__ import annotations

from argparse import SUPPRESS
from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from benchmarks.exports.inputs import DatasetOptions
from benchmarks.exports.services import datasets, exports
from benchmarks.management.base import SetCommand, add_set_argument, find_set
from benchmarks.management.files import atomic_path
from concord.bounds import add_options
from concord.sentences import counted


class Command(SetCommand):
    help = (
        "Export a judgment set as a dataset folder: a dataset card, and Parquet files by split. "
        "Importing the folder makes the same set."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("out", metavar="OUT", type=Path, help="a new folder, or a file OUT.zip")
        add_options(parser, DatasetOptions, "license")
        parser.add_argument(
            "--stable-names",
            action="store_true",
            help=SUPPRESS,  # of earlier versions; a set's pseudonyms are always the same now
        )

    def run(self, *, name: str, out: Path, license: str, **_: object) -> None:
        judgment_set = find_set(name)
        is_zip = out.suffix.lower() == ".zip"
        if not is_zip and out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out} exists and is not an empty folder. Choose another name.")
        exports.record_export(judgment_set, "dataset.zip")
        if is_zip:
            with atomic_path(out) as part, part.open("wb") as file:
                for block in datasets.stream_dataset(judgment_set, license):
                    file.write(block)
        else:
            out.mkdir(exist_ok=True)
            datasets.write_dataset(judgment_set, out, license)
        self.stdout.write(
            f"{counted(judgment_set.n_candidates, 'candidate')} and "
            f"{counted(judgment_set.n_pairs, 'pair')} written "
            f"to {out}."
        )
