"""`import_judgments FILE... --name NAME`: files of judgments into a set."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict, Unpack

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils.timezone import now

from benchmarks.imports.inputs import NewSet
from benchmarks.imports.services.parameters import pair_format, reader_options
from benchmarks.management.base import SetCommand, add_publish_argument
from benchmarks.runs import tasks
from benchmarks.runs.services import carrying
from benchmarks.sets.services import importing
from concord.bounds import add_options as add_bounded_options
from concord.cli.files import add_options, chosen_options
from concord.formats import (
    JUDGMENT_FORMATS,
    Limits,
    ReadOptions,
    detect_judgments,
    has_pairs,
    read_judgments,
    read_pairs,
)


class ImportArguments(TypedDict):
    """The options of the command, without those of single formats."""

    files: list[Path]
    format: str | None
    name: str
    add: bool
    title: str
    description: str
    illustrative: bool
    pairs: Path | None
    publish: bool
    owner: str | None


class Command(SetCommand):
    help = "Import human judgments as a judgment set, or as the next version of an existing one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files", metavar="FILE", nargs="+", type=Path, help="or a dataset folder"
        )
        parser.add_argument(
            "--format", choices=JUDGMENT_FORMATS, help="by default, by the first file's content"
        )
        parser.add_argument("--name", required=True, help="lower-case letters, digits, . _ -")
        add_bounded_options(parser, NewSet, "add", "title", "description", "illustrative")
        parser.add_argument("--pairs", type=Path, metavar="FILE", help="minimal pairs; same format")
        add_publish_argument(parser)
        parser.add_argument("--owner", metavar="ACCOUNT", help="owner of a new set")
        add_options(parser.add_argument_group("options of some formats"))

    def run(self, **options: Unpack[ImportArguments]) -> None:
        owner = self.account(options["owner"])
        limits = Limits(max_bytes=settings.UPLOAD_MAX_BYTES)
        format = options["format"] or str(detect_judgments(options["files"][0], limits))
        read_options = ReadOptions(**chosen_options(options))
        read_options = reader_options(read_options, format)
        judgments = read_judgments(options["files"], format, read_options, limits)
        pairs = None
        if options["pairs"] or has_pairs(options["files"], format):
            kind = pair_format(format)
            paths = [options["pairs"]] if options["pairs"] else options["files"]
            pairs = read_pairs(paths, kind, reader_options(ReadOptions(), kind, "pairs"))
        for file in (judgments, pairs):
            for line in file.report.lines() if file else ():
                self.stdout.write(line)
        if options["add"]:
            judgment_set = importing.add_systems(options["name"], judgments, at=now())
            tasks.enqueue(carrying.carry_runs(judgment_set, at=now()))
        else:
            judgment_set = importing.import_judgments(
                options["name"],
                judgments,
                pairs,
                info=self.info(options),
                owner=owner,
                at=now(),
            )
        self.stdout.write(self.style.SUCCESS(f"Imported as {judgment_set}."))
        self.publish(judgment_set, options["publish"])

    def info(self, options: ImportArguments) -> importing.SetInfo | None:
        """The set's title and description on the command line, or None."""
        if not (options["illustrative"] or options["title"] or options["description"]):
            return None
        return importing.SetInfo(options["title"], options["description"], options["illustrative"])
