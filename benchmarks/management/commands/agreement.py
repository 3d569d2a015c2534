"""`agreement NAME`: how far the raters of a judgment set, or of a study, agree."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from typing import Any, TextIO, cast

from django.core.management.base import CommandError, CommandParser
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.management.base import SetCommand
from benchmarks.management.tables import PIPE_WIDTH
from benchmarks.services.agreement import AgreementRefusedError, agreement, rated
from concord.filtering import Ledger, LedgerError, Step, Worker, ZScore
from concord.reliability import LEVELS

FILTERS = "zscore:THRESHOLD[:AT_MOST][:one-sided] or worker:THRESHOLD"


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
        parser.add_argument("--level", choices=LEVELS, default="ordinal")
        parser.add_argument(
            "--filter",
            dest="steps",
            type=filter_step,
            action="append",
            default=[],
            metavar="FILTER",
            help=f"{FILTERS}; given again, the next step",
        )
        parser.add_argument("--seed", type=natural, default=0, help="of resamples and shuffles")
        parser.add_argument("--draws", type=positive, default=1000, help="resamples of passages")
        parser.add_argument("--format", choices=("table", "json"), default="table")

    def run(self, **options: Any) -> None:
        ledger = Ledger(tuple(options["steps"]))
        try:
            about, ratings = rated(
                options["name"], options["raters"], options["split"], options["constituent"]
            )
            found = agreement(
                ratings,
                ledger,
                level=options["level"],
                seed=options["seed"],
                draws=options["draws"],
            )
        except AgreementRefusedError as error:
            raise CommandError(str(error)) from error
        found |= {
            **about,
            "raters": options["raters"],
            "split": options["split"] or None,
            "constituent": options["constituent"] or None,
            "filter": ledger.to_json(),
            "seed": options["seed"],
            "draws": options["draws"],
        }
        if options["format"] == "json":
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False))
        else:
            print_agreement(found, ledger, cast(TextIO, self.stdout))


def filter_step(text: str) -> Step:
    """The step written as `zscore:1:5`, `zscore:1:5:one-sided` or `worker:2`."""
    name, *given = text.split(":")
    one_sided = name == "zscore" and given[-1:] == ["one-sided"]
    numbers = given[:-1] if one_sided else given
    try:
        if name == "zscore" and 1 <= len(numbers) <= 2:
            at_most = int(numbers[1]) if len(numbers) == 2 else ZScore.at_most
            return ZScore(float(numbers[0]), at_most, one_sided=one_sided)
        if name == "worker" and len(numbers) == 1:
            return Worker(float(numbers[0]))
    except LedgerError as error:
        raise ArgumentTypeError(f"'{text}': {error}") from error
    except ValueError as error:
        raise ArgumentTypeError(f"'{text}' is no filter: write {FILTERS}") from error
    raise ArgumentTypeError(f"'{text}' is no filter: write {FILTERS}")


def natural(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"a whole number of 0 or more is needed, not '{text}'")
    return int(text)


def positive(text: str) -> int:
    if natural(text) < 1:
        raise ArgumentTypeError("a whole number of 1 or more is needed")
    return int(text)


def _set_name(found: dict[str, Any]) -> str:
    return f"{found['judgment_set']}@{found['version']}"


def print_agreement(found: dict[str, Any], ledger: Ledger, out: TextIO) -> None:
    console = Console(file=out, highlight=False)
    if not console.is_terminal:
        console = Console(file=out, highlight=False, width=PIPE_WIDTH)
    raters = f", raters {found['raters']}" if found["raters"] else ""
    name = f"study {found['study']}" if "study" in found else _set_name(found)
    parts = [found[part] for part in ("split", "constituent") if found[part]]
    title = f"{', '.join((name + raters, *parts))}: Krippendorff's alpha"
    table = Table(title=escape(title), box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    table.add_column("ratings")
    for name in ("alpha", "95% interval", "level", "units", "ratings", "raters a unit"):
        table.add_column(name, justify="left" if name == "level" else "right")
    rows = [("all", found)]
    if ledger.steps:
        rows = [("all", found["unfiltered"]), ("kept", found), ("shuffled, kept", found["null"])]
    for name, row in rows:
        table.add_row(name, *_cells(row))
    console.print(table)
    for step in ledger.steps:
        console.print(f"Left out: {step}.")
    if ledger.steps:
        kept = f"{found['kept']:,} kept, {found['kept_per_unit']:.2f} a unit"
        console.print(f"{found['removed']:,} ratings left out, {kept}.")
        console.print(found["sentence"], soft_wrap=True)
    for reason in dict.fromkeys(row["reason"] for _, row in rows if "reason" in row):
        console.print(f"Undefined: {reason}.")
    for notice in found.get("notices", ()):
        console.print(f"Note: {notice}.")


def _cells(row: dict[str, Any]) -> list[str]:
    value, ends = row["alpha"], row["ci"]
    cells = ["undefined" if value is None else f"{value:.3f}"]
    cells += ["" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"]
    if "units" not in row:
        return [*cells, "", "", "", ""]
    per_unit = row["raters_per_unit"]
    cells += [row["level"], f"{row['units']:,}", f"{row['ratings']:,}"]
    return [*cells, "" if per_unit is None else f"{per_unit:.2f}"]
