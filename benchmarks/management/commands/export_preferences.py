"""`export_preferences NAME OUT.jsonl`: pairs for preference training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.exports.inputs import PreferenceOptions
from benchmarks.exports.services import exports
from benchmarks.exports.services.preferences import preference_lines
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

    def run(self, **options: Any) -> None:
        by_scores = options["by"] == "scores"
        judgment_set = find_set_on_criterion(options) if by_scores else find_set(options["name"])
        exports.record_export(judgment_set, "preferences.jsonl")
        lines = preference_lines(judgment_set, options["by"], options["min_gap"] or 0.0)
        written = 0
        with atomic_file(options["out"]) as file:
            for line in lines:
                file.write(line)
                written += 1
        self.stdout.write(f"{counted(written, 'pair')} written to {options['out']}.")
