"""`submit_scores SET FILE --name METRIC`: submit scores to a set's board."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError, CommandParser
from django.utils.timezone import now

from benchmarks.management.base import SetCommand, find_set
from benchmarks.runs.models import Submission
from benchmarks.runs.services.answers import count_answers
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.bounds import add_options
from concord.sentences import counted

Kind = Submission.Kind


class Command(SetCommand):
    help = (
        'Submit scores: JSON Lines of {"id", "score"}, and {"id", "score1", "score2"} for minimal '
        "pairs; or a table (CSV, TSV, XLSX, Parquet, JSON) with these columns. With --user, they "
        "are private to that account and count towards its daily limit; without, they are public."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set", metavar="SET", help="a judgment set: NAME, or NAME@VERSION")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--name", required=True, help="name of the metric on the board")
        parser.add_argument("--user", metavar="ACCOUNT", help="owner of the submission")
        parser.add_argument(
            "--answers",
            action="store_true",
            help='the file has the answers of a judge: JSON Lines of {"id", "score"} or {"id", '
            '"label"}, with "raw" and "model" if there are; several answers about a candidate are '
            "averaged, and null is an invalid one",
        )
        parser.add_argument("--lower-is-better", action="store_true")
        add_options(parser, SubmissionInfo, "authors", "link", "note")

    def run(  # noqa: PLR0913 - the command's options
        self,
        *,
        set: str,
        file: Path,
        name: str,
        user: str | None,
        lower_is_better: bool,
        authors: str,
        link: str,
        note: str,
        answers: bool,
        **_: object,
    ) -> None:
        judgment_set = find_set(set)
        owner = None
        if user:
            owner = get_user_model().objects.filter(username=user).first()
            if owner is None:
                raise CommandError(f"There is no account '{user}'.")
        info = SubmissionInfo(
            name,
            higher_is_better=not lower_is_better,
            authors=authors,
            link=link,
            note=note,
        )
        kind = Kind.JUDGMENTS if answers else Kind.SCORES
        submission = submissions.FROM_FILE[kind](judgment_set, info, file, owner=owner, at=now())
        for counts in count_answers([submission]).values():
            self.stdout.write(
                f"{counted(counts.answers, 'answer')}, {counts.invalid:,} of them invalid; "
                f"{counted(counts.unscored, 'candidate')} without a valid answer."
            )
        viewers = f"only for {owner}" if owner else "for everybody"
        self.stdout.write(
            self.style.SUCCESS(f"{submission.name} is on the board of {judgment_set}, {viewers}.")
        )
