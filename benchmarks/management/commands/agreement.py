"""`agreement NAME`: how far the raters of a judgment set, or of a study, agree."""

from __future__ import annotations

import json
from typing import TextIO, cast

from django.core.management.base import CommandParser

from benchmarks.analyses.rater_agreement import SetAgreementDocument, find_ratings
from benchmarks.management.base import SetCommand, add_criterion_argument
from concord.arguments import natural, positive
from concord.cli.arguments import FILTERS, LEVEL_HELP, filter_step
from concord.documents.agreement import AgreementReport
from concord.filtering import Ledger, Step
from concord.filtering.report import agreement_report
from concord.raters import Agreement
from concord.reliability import LEVELS, Level
from concord.tables.terminal import print_result


class Command(SetCommand):
    help = "Print Krippendorff's alpha of the raters of a judgment set or a study, with interval."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "name",
            metavar="NAME",
            help="a judgment set, NAME or NAME@VERSION; or a study, study:NAME or NAME alone "
            "where no set is called so",
        )
        parser.add_argument("--raters", metavar="GROUP", help="needed where there are several")
        parser.add_argument("--split", default="", help="only ratings of this split's candidates")
        parser.add_argument("--constituent", default="", help="only those of this constituent")
        add_criterion_argument(parser)
        parser.add_argument("--level", choices=LEVELS, help=LEVEL_HELP)
        parser.add_argument(
            "--filter",
            dest="steps",
            type=filter_step,
            action="append",
            default=[],
            metavar="FILTER",
            help=f"{FILTERS}; repeat the option for further steps",
        )
        parser.add_argument("--seed", type=natural, default=0, help="of resamples and shuffles")
        parser.add_argument("--draws", type=positive, default=1000, help="resamples of passages")
        parser.add_argument("--format", choices=("table", "json"), default="table")

    def run(  # noqa: PLR0913 - the command's options
        self,
        *,
        name: str,
        raters: str | None,
        split: str,
        constituent: str,
        criterion: str,
        level: Level | None,
        steps: list[Step],
        seed: int,
        draws: int,
        format: str,
        **_: object,
    ) -> None:
        ledger = Ledger(tuple(steps))
        about, ratings, level, scale = find_ratings(
            name, raters, split, constituent, criterion, level
        )
        result = agreement_report(ratings, ledger, level=level, scale=scale, seed=seed, draws=draws)
        document: SetAgreementDocument = {
            **result,
            **about,
            "raters": raters,
            "split": split or None,
            "constituent": constituent or None,
            "criterion": criterion or None,
            "filter": ledger.to_json(),
            "seed": seed,
            "draws": draws,
        }
        if format == "json":
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
        else:
            shown = Agreement(cast(AgreementReport, document), ledger)
            print_result(_name(document), shown, cast(TextIO, self.stdout))


def _name(report: SetAgreementDocument) -> str:
    raters = f", raters {report['raters']}" if report["raters"] else ""
    name = f"study {report['study']}" if "study" in report else _set_name(report)
    parts = [part for part in (report["split"], report["constituent"], report["criterion"]) if part]
    return ", ".join((name + raters, *parts))


def _set_name(report: SetAgreementDocument) -> str:
    return f"{report['judgment_set']}@{report['version']}"
