"""`export_scores NAME OUT.jsonl [--metrics a,b]`: every candidate's scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

import scorers
from benchmarks.exports.services import exports
from benchmarks.management.base import SetCommand, add_set_argument, find_set
from benchmarks.management.files import whole_file


class Command(SetCommand):
    help = 'Export scores as JSON Lines: {"id", "system", "score", "scores": {metric: value}}.'

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("out", metavar="OUT.jsonl", type=Path)
        parser.add_argument("--metrics", metavar="a,b", help="by default all that are complete")

    def run(self, **options: Any) -> None:
        judgment_set = find_set(options["name"])
        metrics = None
        if options["metrics"]:
            metrics = [metric.name for metric in scorers.parse_metrics(options["metrics"])]
        chosen = exports.chosen_runs(judgment_set, metrics)
        with whole_file(options["out"]) as file:
            file.writelines(exports.scores_jsonl(judgment_set, chosen))
        self.stdout.write(
            f"{judgment_set.n_candidates:,} candidates with {len(chosen)} scores each written to "
            f"{options['out']}."
        )
