"""`comparison NAME`: which metrics differ significantly, as table, JSON, CSV or LaTeX."""

from __future__ import annotations

import json
from typing import TextIO, cast, get_args

from django.core.management.base import CommandError, CommandParser
from django.utils.timezone import now
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.analyses import kinds
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds.agreement import table as comparison_table
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import work
from benchmarks.management.base import SetCommand, add_set_argument, find_set
from concord.boards import ComparedMetrics
from concord.documents.comparison import PermutationUnit
from concord.meta.board import GROUPINGS
from concord.meta.comparing import ComparisonOptions
from concord.meta.inference import COEFFICIENTS, RESAMPLES
from concord.meta.inference import GROUPINGS as AVERAGES
from concord.tables.terminal import print_result

UNITS: tuple[PermutationUnit, ...] = get_args(PermutationUnit)


class Command(SetCommand):
    help = "Print which metrics of a judgment set differ significantly."

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("--coefficient", choices=COEFFICIENTS, default="pearson")
        parser.add_argument(
            "--average", choices=AVERAGES, default="none", help="over all, items or systems"
        )
        parser.add_argument("--resample", choices=RESAMPLES, default="instances")
        parser.add_argument(
            "--unit", choices=UNITS, default=ComparisonOptions.unit, help="swapped by PERM-BOTH"
        )
        parser.add_argument("--by", choices=GROUPINGS, default="", help="with --group: a part")
        parser.add_argument("--group", default="", help="the part's name under --by")
        parser.add_argument("--draws", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--format", choices=("table", "json", "csv", "tex"), default="table")

    def run(self, *, name: str, format: str, **options: object) -> None:
        judgment_set = find_set(name)
        names = ("coefficient", "average", "resample", "unit", "by", "group", "draws", "seed")
        analysis = analyses.request_analysis(
            "agreement", judgment_set, {key: options[key] for key in names}
        )
        self._computed(analysis)
        if analysis.status != Analysis.Status.COMPLETE:
            raise CommandError(f"{analysis.reason} ({analysis.status})")
        if format == "json":
            document = comparison_table.document(judgment_set, analysis)
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
        elif format == "csv":
            self.stdout.write(comparison_table.to_csv(judgment_set, analysis), ending="")
        elif format == "tex":
            self.stdout.write(comparison_table.to_latex(judgment_set, analysis), ending="")
        else:
            name = f"{judgment_set}, {options['coefficient']}, seed {options['seed']}"
            result = ComparedMetrics(kinds.agreement.KIND.result_of(analysis))
            print_result(name, result, cast(TextIO, self.stdout))

    def _computed(self, analysis: Analysis) -> None:
        """Compute it here, unless it is there or a worker is at it; Ctrl-C stops it."""
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.console) as progress:
            bar = progress.add_task(str(analysis), total=None)

            def show(done: int, total: int) -> None:
                progress.update(bar, completed=done, total=total)

            try:
                analyses.ANALYSES.perform(analysis.pk, show)
            except KeyboardInterrupt:
                analysis.cancel(at=now())
                raise
            work.wait_for(analysis, show)
            progress.update(bar, completed=1, total=1)
