"""`concord ranking PAIRS`: systems ranked by people's choices between two answers or from sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from concord.cli.arguments import both_bad_option, judges_option, seed_option
from concord.cli.command import CommandResult, argument, command, option
from concord.cli.files import JudgmentFormat, format_option, names_of, print_report
from concord.cli.judged import read_score_files
from concord.formats import JUDGMENT_FORMATS, FormatRecipe
from concord.formats.choices import HOW_COUNTED, AnswerCounts
from concord.formats.errors import quote_names
from concord.formats.judged_files import is_judgments
from concord.formats.preferences import (
    PREFERENCE_FORMATS,
    Preference,
    counted_preferences,
    detect_preferences,
    read_preferences,
)
from concord.formats.report import FileReport
from concord.judged_frames import (
    judge_as_rater,
    of_group,
    ratings_as_preferences,
    split_judges,
)
from concord.preferences import Ranking, rank_systems

JUDGMENT_SOURCES = tuple(name for name in JUDGMENT_FORMATS if name not in PREFERENCE_FORMATS)


@dataclass(frozen=True, kw_only=True)
class PreferenceFormat(JudgmentFormat):
    """The format of files of pairs or judgments."""

    source: str | None = format_option((*PREFERENCE_FORMATS, *JUDGMENT_SOURCES))


@dataclass(frozen=True, kw_only=True)
class RankingInputs:
    """Files of choices, whose choices, and what ties count."""

    files: Sequence[Path] = argument(
        "FILE", "pairs, or judgments, whose ratings say which of two answers a rater prefers"
    )
    format: PreferenceFormat
    judges: Sequence[str] = judges_option()
    raters: str | None = option("of judgments; by default all groups", metavar="GROUP")
    scores: Sequence[Path] = option(
        "judges' scores of the candidates, such as those of concord judge", (), metavar="SCORES"
    )
    ties: bool = option(
        "give ties a parameter (Davidson), and count hard choices as ties; without it, a tie is "
        "half a win of each", False,
    )  # fmt: skip
    both_bad: str = both_bad_option()
    seed: int = seed_option("random seed of the split-half reliability of sets")


@command("systems ranked by people's choices between two answers or from sets", plot=True)
def ranking(inputs: RankingInputs) -> CommandResult:
    """The ranking by people, and that by each judge."""
    choices, name = _read(inputs), names_of(inputs.files)
    invalid = [None] * choices.invalid_choices
    counts = AnswerCounts.of([*(one.answer for one in choices.people), *invalid])
    people = _rank("people", choices.people, inputs)
    judges = {judge: _rank(judge, of_judge, inputs) for judge, of_judge in choices.judges.items()}
    of_judges = {
        judge: AnswerCounts.of(one.answer for one in of_judge)
        for judge, of_judge in choices.judges.items()
    }
    document = {
        **people.to_json(),
        "answers": counts,
        "both_bad": inputs.both_bad,
        "file": name,
        "seed": inputs.seed,
    }
    if judges:
        document["judges"] = {
            judge: {**one.to_json(), "answers": of_judges[judge]} for judge, one in judges.items()
        }
    named = {"People": counts} | of_judges
    return CommandResult(
        results={f"{name}, people" if judges else name: people}
        | {f"{name}, the judge {judge}": one for judge, one in judges.items()},
        document=document,
        closing=[
            " ".join(f"{who}: {one}." for who, one in named.items()),
            f"A tie {'has a parameter' if inputs.ties else 'is half a win of each'}; "
            f"{HOW_COUNTED[inputs.both_bad]}; invalid answers are left out.",
        ],
        file=name,
    )


def _rank(who: str, preferences: Sequence[Preference], inputs: RankingInputs) -> Ranking:
    used = counted_preferences(preferences, inputs.both_bad)
    if not used:
        raise ValueError(f"no choice of {who} between two systems' answers to one question is left")
    return rank_systems(used, ties=inputs.ties, rng=np.random.default_rng(inputs.seed))


@dataclass(frozen=True)
class _Choices:
    """What people prefer, and each judge. invalid_choices: people's answers without a choice."""

    people: list[Preference]
    judges: dict[str, list[Preference]]
    invalid_choices: int = 0


def _read(inputs: RankingInputs) -> _Choices:
    """The choices of a file of pairs, or the ones that the ratings of judgments imply."""
    stated = inputs.format.stated
    if is_judgments(inputs.files) if stated is None else _has_judgments(stated):
        return _of_judgments(inputs)
    if inputs.scores:
        raise ValueError("--scores are of candidates: give a file of judgments, and not of pairs")
    reports: list[FileReport] = []
    columns = inputs.format.options.columns
    source = stated or detect_preferences(inputs.files[0], columns)
    preferences = read_preferences(
        inputs.files,
        source,
        on_report=reports.append,
        both_orders=bool(inputs.judges) and source == PREFERENCE_FORMATS[0],
        columns=columns,
    )
    print_report(reports[0])
    workers = {one.worker for one in preferences}
    if unknown := [name for name in inputs.judges if name not in workers]:
        known = quote_names(sorted(filter(None, workers)))
        raise ValueError(f"no rater is named {quote_names(unknown)}; the raters are {known}")
    # The two orders of a judge are as two raters, who may agree.
    judges = {
        name: [
            replace(one, worker=f"{name}, {one.first_shown} first")
            for one in preferences
            if one.worker == name
        ]
        for name in inputs.judges
    }
    people = [one for one in preferences if one.worker not in judges]
    return _Choices(people, judges, reports[0].invalid_choices)


def _has_judgments(format: str | FormatRecipe) -> bool:
    if isinstance(format, FormatRecipe):
        return format.kind == "judgments"
    return format in JUDGMENT_SOURCES


def _of_judgments(inputs: RankingInputs) -> _Choices:
    judged = split_judges(inputs.format.read(inputs.files), inputs.judges)
    judged = replace(judged, judges=read_score_files(judged, inputs.scores))
    people = ratings_as_preferences(of_group(judged.people, inputs.raters))
    judges = {
        str(name): ratings_as_preferences(judge_as_rater(judged, str(name)))
        for name in judged.judges.columns
    }
    return _Choices(people, judges)
