"""Options of readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypedDict

from concord.formats.errors import FormatError, Problem, choices_of, quote
from concord.formats.fields import text_fault
from concord.formats.limits import Limits
from concord.formats.records import CriterionRecord, RatingRecord


@dataclass(frozen=True)
class ReadOptions:
    """Options of the readers; each format accepts some of them (see `formats.registry`).

    systems: names of the equal parts of the file, in file order (kpqa).
    references: the number of reference columns to use (kpqa).
    criterion: which of several judged criteria to read as the score; by default all are read as
    criteria (concord, summeval, thumb, squality, label-studio, potato).
    reference_system: the system whose answers are the references (thumb, squality).
    split, constituent: of instances without one in the file.
    texts: the path of a file in the format concord with the texts of the answers (esa, mqm,
    potato).
    unscored_pairs: minimal pairs may have no scores; the first is then the better. Pairs with
    people's choices are rejected (concord).
    for_ranking: pairs must name two systems; score1 may be below score2, and references may be
    absent (concord).
    without_references: instances may have no references; metrics cannot score them (concord). Those
    of judged pairs and of candidates with marks may in any case.
    keys: the score and `answers` of a candidate, and the `choice` and `answers` of a pair, are the
    correct ones of a test item (concord, table).
    columns: the meaning of each column, one of `tables.MEANINGS`, "key" with the option `keys`, or
    "ignore"; guessed by default (table).
    sheet: the sheet of a workbook; by default the first that is not blank (table).
    """

    systems: tuple[str, ...] = ()
    references: int | None = None
    criterion: str | None = None
    reference_system: str | None = None
    split: str | None = None
    constituent: str | None = None
    texts: str | None = None
    unscored_pairs: bool = False
    for_ranking: bool = False
    without_references: bool = False
    keys: bool = False
    columns: tuple[str, ...] = ()
    sheet: str | None = None

    def check(self, format: str, accepted: frozenset[str], limits: Limits) -> None:
        """Raise FormatError for options that `format` does not accept, and for invalid names."""
        accepted_names = ", ".join(sorted(accepted)) or "no options"
        problems = []
        for option in fields(self):
            value = getattr(self, option.name)
            if value != option.default and option.name not in accepted:
                message = f"the format {format} does not accept it; it accepts {accepted_names}"
                problems.append(Problem("", None, option.name, message))
            for name in value if isinstance(value, tuple) else (value,):
                if isinstance(name, str) and (fault := text_fault(name, limits.max_name_chars)):
                    problems.append(Problem("", None, option.name, fault))
        if problems:
            raise FormatError(problems)

    def criteria(self, known: tuple[str, ...]) -> tuple[str, ...]:
        """The criteria to read: the chosen one, else all. Raises FormatError for an unknown one."""
        if self.criterion is None:
            return known
        if self.criterion in known:
            return (self.criterion,)
        message = f"{quote(self.criterion)} is unknown; {choices_of(known, 'criteria')}"
        raise FormatError([Problem("", None, "criterion", message)])

    def judgment_fields(self, judgments: Sequence[CriterionRecord]) -> JudgmentFields:
        """The fields of a candidate: the chosen criterion is its score, several are criteria."""
        if self.criterion is None:
            return {"criteria": tuple(judgments)}
        (chosen,) = judgments
        return {"score": chosen.score, "ratings": chosen.ratings}


class JudgmentFields(TypedDict, total=False):
    """Fields of a `CandidateRecord`."""

    score: float | None
    ratings: tuple[RatingRecord, ...]
    criteria: tuple[CriterionRecord, ...]
