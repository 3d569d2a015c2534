"""`export_preferences NAME OUT.jsonl`: pairs for preference training."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandParser

from benchmarks.exports.inputs import PreferenceOptions
from benchmarks.exports.services import exports
from benchmarks.exports.services.preferences import Source, preference_lines
from benchmarks.management.base import (
    SetCommand,
    add_criterion_argument,
    add_set_argument,
    find_set,
    find_set_on_criterion,
)
from benchmarks.management.files import atomic_file
from concord.bounds import add_options
from concord.sentences import counted


class Command(SetCommand):
    help = 'Export pairs for preference training as JSON Lines: {"prompt", "chosen", "rejected"}.'

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("out", metavar="OUT.jsonl", type=Path)
        add_options(parser, PreferenceOptions, "by", "min_gap")
        add_criterion_argument(parser)

    def run(
        self,
        *,
        name: str,
        out: Path,
        by: Source,
        min_gap: float | None,
        criterion: str,
        **_: object,
    ) -> None:
        by_scores = by == "scores"
        judgment_set = find_set_on_criterion(name, criterion) if by_scores else find_set(name)
        exports.record_export(judgment_set, "preferences.jsonl")
        lines = preference_lines(judgment_set, by, min_gap or 0.0)
        written = 0
        with atomic_file(out) as file:
            for line in lines:
                file.write(line)
                written += 1
        self.stdout.write(f"{counted(written, 'pair')} written to {out}.")
