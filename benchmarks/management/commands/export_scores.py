"""`export_scores NAME OUT.jsonl [--metrics a,b]`: the scores of all candidates."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandParser

import scorers
from benchmarks.exports.services import exports
from benchmarks.management.base import SetCommand, add_set_argument, find_set
from benchmarks.management.files import atomic_file
from benchmarks.runs.services.listing import JOINT_SUFFIX
from concord.metrics.names import split_names
from concord.sentences import counted


class Command(SetCommand):
    help = 'Export scores as JSON Lines: {"id", "system", "score", "scores": {metric: value}}.'

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("out", metavar="OUT.jsonl", type=Path)
        parser.add_argument("--metrics", metavar="a,b", help="by default all complete metrics")

    def run(self, *, name: str, out: Path, metrics: str | None, **_: object) -> None:
        judgment_set = find_set(name)
        runs = exports.select_runs(judgment_set, _columns(metrics) if metrics else None)
        with atomic_file(out) as file:
            file.writelines(exports.scores_jsonl(judgment_set, runs))
        self.stdout.write(
            f"{counted(judgment_set.n_candidates, 'candidate')} with "
            f"{counted(len(runs), 'score')} each written to "
            f"{out}."
        )


def _columns(text: str) -> list[str]:
    """The canonical names of a list of metrics; those with joint references end in `/joint`."""
    try:
        names = list(split_names(text))
    except ValueError as error:
        raise scorers.MetricError(str(error)) from error
    columns = []
    for name in names:
        metric = name.removesuffix(JOINT_SUFFIX)
        (parsed,) = scorers.parse_metrics(metric, "joint")
        columns.append(parsed.name + name[len(metric) :])
    return columns
