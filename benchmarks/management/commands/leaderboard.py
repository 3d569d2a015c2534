"""`leaderboard NAME`: each metric's agreement with people, as table, JSON or CSV."""

from __future__ import annotations

import json
from typing import TextIO, cast

from django.core.management.base import CommandParser

from benchmarks.boards.services import boards
from benchmarks.management.base import (
    SetCommand,
    add_criterion_argument,
    add_set_argument,
    find_set_on_criterion,
)
from concord.meta.board import GROUPINGS
from concord.tables.terminal import print_result


class Command(SetCommand):
    help = "Print a judgment set's leaderboard."

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("--format", choices=("table", "json", "csv"), default="table")
        add_criterion_argument(parser)
        parser.add_argument("--by", choices=GROUPINGS, help="a row for each group and metric")

    def run(self, *, name: str, criterion: str, by: str | None, format: str, **_: object) -> None:
        judgment_set = find_set_on_criterion(name, criterion)
        board = boards.read_board(judgment_set, by)
        if format == "json":
            self.stdout.write(
                json.dumps(board.to_json(), ensure_ascii=False, indent=1, allow_nan=False)
            )
        elif format == "csv":
            self.stdout.write(board.to_csv(), ending="")
        else:
            print_result("", board, cast(TextIO, self.stdout))
