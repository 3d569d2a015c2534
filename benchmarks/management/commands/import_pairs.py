"""`import_pairs FILE --format FORMAT --set NAME`: minimal pairs into a set's next version."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandParser
from django.utils.timezone import now

from benchmarks.imports.services.parameters import reader_options
from benchmarks.management.base import SetCommand, add_publish_argument
from benchmarks.runs import tasks
from benchmarks.runs.services import carrying
from benchmarks.sets.services import importing
from concord.cli.files import add_options, chosen_options
from concord.formats import PAIR_FORMATS, ReadOptions, read_pairs


class Command(SetCommand):
    help = (
        "Import minimal pairs, or pairs that people judged. In the set's next version they replace "
        "the previous ones. Judged pairs may make a new set, whose candidates are theirs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--format", required=True, choices=PAIR_FORMATS)
        parser.add_argument("--set", required=True, metavar="NAME", dest="name")
        add_publish_argument(parser)
        parser.add_argument("--owner", metavar="ACCOUNT", help="owner of a new set")
        add_options(parser, "pairs")

    def run(
        self,
        *,
        name: str,
        files: list[Path],
        format: str,
        owner: str | None,
        publish: bool,
        **options: object,
    ) -> None:
        account = self.account(owner)
        read_options = reader_options(ReadOptions(**chosen_options(options)), format, "pairs")
        pairs = read_pairs(files, format, read_options)
        for line in pairs.report.lines():
            self.stdout.write(line)
        judgment_set = importing.import_pairs(name, pairs, owner=account, at=now())
        carried = carrying.carry_runs(judgment_set, at=now())
        tasks.enqueue(carried)
        self.stdout.write(self.style.SUCCESS(f"Imported as {judgment_set}."))
        if carried:
            self.stdout.write(
                f"{len(carried)} metric runs of the previous version are queued for this one; "
                "their scores are reused. `score` with --wait waits for them."
            )
        self.publish(judgment_set, publish)
