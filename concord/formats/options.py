"""Options of readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict

from concord.formats.errors import FormatError, Problem, choices_of, quote
from concord.formats.fields import text_fault
from concord.formats.limits import Limits
from concord.formats.meanings import IGNORED, JUDGED_MEANINGS
from concord.formats.records import CriterionRecord, RatingRecord
from concord.formats.value_words import value_key

NO_ORDER = "is no list of two or more different words"


def _option(default: Any, help: str, **more: Any) -> Any:
    """An option that commands, pages and the API offer."""
    return field(default=default, metadata={"help": help, **more})


@dataclass(frozen=True)
class ReadOptions:
    """Options of the readers; each format accepts some of them (see `formats.registry`).

    Those with a help text are stated by users (`USER_OPTIONS`, `registry.option_help`). The others:

    unscored_pairs: minimal pairs may have no scores; the first is then the better. Pairs with
    people's choices are rejected.
    for_ranking: pairs must name two systems; score1 may be below score2, and references may be
    absent.
    without_references: instances may have no references; metrics cannot score them. Those of judged
    pairs and of candidates with marks may in any case.
    keys: the score and `answers` of a candidate, and the `choice` and `answers` of a pair, are the
    correct ones of a test item; a column of a table may have the meaning "key".
    both_orders: a judge of a pair may have two choices, with another candidate shown first in each.
    row_prefix: the beginning of ids that are row numbers, where the file has none.
    """

    systems: tuple[str, ...] = _option(
        (), "names of the systems, in file order; each has an equal part of the file"
    )
    references: int | None = _option(None, "the number of reference columns to read", is_count=True)
    criterion: str | None = _option(
        None, "the criterion to read as the score; by default all are read as criteria"
    )
    reference_system: str | None = _option(None, "the system whose answers are the references")
    columns: tuple[str, ...] = _option(
        (),
        "the meaning of columns by their headings, such as anna,ben,chloe=rating,text=candidate, "
        f"or of all in order, among {', '.join(JUDGED_MEANINGS)}, {IGNORED}; by default guessed by "
        "the headings",
    )
    sheet: str | None = _option(
        None, "the sheet of a workbook; by default the first that is not blank"
    )
    texts: str | None = _option(
        None,
        "a table or a file in the format concord with the texts of the answers, whose ids are "
        "SYSTEM/DOCUMENT/ITEM (esa, mqm), those of the items (potato), or those of the recipe",
    )
    order: tuple[str, ...] = _option(
        (), "the order of ratings in words, the lowest first, such as poor,fair,good"
    )
    split: str | None = _option(None, "the split of instances without one")
    constituent: str | None = _option(None, "the constituent of instances without one")
    unscored_pairs: bool = False
    for_ranking: bool = False
    without_references: bool = False
    keys: bool = False
    both_orders: bool = False
    row_prefix: str = ""

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
        if len(self.order) == 1 or len(set(map(value_key, self.order))) < len(self.order):
            problems.append(Problem("", None, "order", NO_ORDER))
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


# The options that users state, with their help texts.
USER_OPTIONS: dict[str, str] = {
    option.name: option.metadata["help"] for option in fields(ReadOptions) if option.metadata
}
