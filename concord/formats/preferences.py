"""People's preferences between two systems' answers to one question, from files of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from concord.formats.choices import BOTH_BAD, LEAVE_OUT, ChoiceAnswer
from concord.formats.errors import FormatError, Problem
from concord.formats.limits import Limits
from concord.formats.options import ReadOptions
from concord.formats.recipes import RECIPES, FormatRecipe
from concord.formats.records import Choice, ChoiceRecord, PairRecord, candidate_names
from concord.formats.registry import TABLE, detect_any, read_pairs, with_kind
from concord.formats.report import ReportCallback

Preferred = Literal["first", "second", "tie"]
_PREFERRED: dict[object, Preferred] = {1: "first", 2: "second", "tie": "tie"}
# The format of pairs by its name for rankings.
_FORMATS = {"concord-pairs": "concord", "table-pairs": TABLE}
_FORMATS |= {
    one.name: str(with_kind(one.name)[1]) for one in RECIPES.values() if one.kind == "pairs"
}
PREFERENCE_FORMATS: tuple[str, ...] = tuple(_FORMATS)


@dataclass(frozen=True, slots=True)
class Preference:
    """One worker's choice between two systems' answers to one question.

    question: the question's key; choices of one question are dependent. pair: the key of the two
    answers. first_shown: 1 or 2, which answer was shown first (on the left), None where unknown.
    was_hard: the worker said that it was hard to choose. set_key: the compared set that implies the
    preference, if any. candidates: the ids of the two answers, or what stands for them.
    is_both_bad: of a tie, whether the worker said that both answers are bad.
    """

    question: str
    pair: str
    first: str
    second: str
    choice: Preferred
    worker: str
    first_shown: int | None = None
    was_hard: bool = False
    set_key: str = ""
    candidates: tuple[str, str] = ("", "")
    is_both_bad: bool = False

    @property
    def answer(self) -> ChoiceAnswer:
        """The choice as files have it."""
        answers: dict[Preferred, ChoiceAnswer] = {"first": 1, "second": 2, "tie": "tie"}
        return BOTH_BAD if self.is_both_bad else answers[self.choice]

    @property
    def preferred(self) -> tuple[str, str]:
        """The ids of the preferred answer and the other; of a tie the first one's twice."""
        first, second = self.candidates
        if self.choice == "tie":
            return first, first
        return (first, second) if self.choice == "first" else (second, first)

    @property
    def first_shown_won(self) -> bool | None:
        """Whether the preferred answer was shown first; None where unknown, and of a tie."""
        if self.first_shown is None or self.choice == "tie":
            return None
        return self.first_shown == (1 if self.choice == "first" else 2)


def counted_preferences(preferences: Iterable[Preference], both_bad: str) -> list[Preference]:
    """The preferences that count. both_bad: AS_TIE, or LEAVE_OUT for all but those that say that
    both answers are bad."""
    return [one for one in preferences if not (both_bad == LEAVE_OUT and one.is_both_bad)]


def read_preferences(
    paths: Sequence[str | Path],
    format: str | FormatRecipe = "concord-pairs",
    limits: Limits | None = None,
    on_report: ReportCallback | None = None,
    *,
    both_orders: bool = False,
    columns: Sequence[str] = (),
) -> list[Preference]:
    """Read one file, or several files of one format, in the order of the pairs.

    concord-pairs: pairs with `system1`, `system2` and either `ratings` or `score1` and `score2`, of
    which the higher is preferred. lfqa: Xu et al. (2023). both_orders: a worker may choose twice
    on a pair, with another answer shown first each time. columns: as in `ReadOptions`. Raises
    FormatError with file, line and field of each problem; a file with a problem is rejected as a
    whole.
    """
    files = [Path(path) for path in paths]
    options = ReadOptions(for_ranking=True, both_orders=both_orders, columns=tuple(columns))
    chosen = format if isinstance(format, FormatRecipe) else _FORMATS[format]
    file = read_pairs(files, chosen, options, limits)
    if on_report is not None:
        on_report(file.report)
    preferences = list(preferences_of(file.pairs))
    if not preferences:
        message = "has no choice between two systems"
        raise FormatError([Problem(str(files[0]), None, None, message)])
    return preferences


def detect_preferences(path: Path, columns: Sequence[str] = ()) -> str | FormatRecipe:
    """The format of a file of pairs by its content: a recipe, or one of PREFERENCE_FORMATS; by
    default `concord-pairs`. columns: as in `ReadOptions`. Raises FormatError."""
    detected = detect_any(path, options=ReadOptions(columns=tuple(columns)), kind="pairs")
    is_known = detected in PREFERENCE_FORMATS or with_kind(detected)[0] == "pairs"
    return detected if is_known else PREFERENCE_FORMATS[0]


def preferences_of(
    pairs: Iterable[PairRecord], *, named_systems: bool = True
) -> Iterator[Preference]:
    """The choices on pairs; those of the scores on pairs without choices, by no worker.

    named_systems: only pairs of two systems whose names are known, and sets of such systems.
    """
    pairs = list(pairs)
    unnamed_sets = {
        (pair.instance.key, pair.set_key) for pair in pairs if pair.set_key and "" in pair.systems
    }
    for pair in pairs:
        first, second = pair.systems
        is_left_out = (
            (pair.instance.key, pair.set_key) in unnamed_sets
            if pair.set_key
            else not first or not second or first == second
        )
        if named_systems and is_left_out:
            continue
        choices = pair.choices
        if not choices and pair.score1 is not None and pair.score2 is not None:
            difference = pair.score1 - pair.score2
            preferred: Choice = "tie" if not difference else 1 if difference > 0 else 2
            choices = (ChoiceRecord("", preferred),)
        for one in choices:
            yield Preference(
                pair.instance.key,
                pair.key,
                first,
                second,
                _PREFERRED[one.choice],
                one.worker,
                one.first_shown,
                one.is_hard,
                pair.set_key,
                candidate_names(pair),
                one.is_both_bad,
            )
