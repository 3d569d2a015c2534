"""Recipes: formats as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from concord.formats.recipes.paths import (
    FieldSource,
    Step,
    parse_source,
)
from concord.formats.recipes.patterns import Pattern
from concord.formats.value_words import MISSING_WORDS, Key


@dataclass(frozen=True)
class Values:
    """Where ratings, scores or choices are, and what each is.

    path: from a record to the values; columns: or the columns that have them but for others, with
    `path` from a cell. only: patterns of values that are read; of none, all are. With it, a rater's
    several values in a record are one. value: by default what the path or columns reach. rank: of
    rankings, the place of the item that is the value, the lowest the best; the values are then what
    this implies of each two items, which fields name as `{item1}` and `{item2}`. hard: of choices,
    whether it was hard to choose.
    """

    value: FieldSource
    path: tuple[Step, ...] = ()
    columns: tuple[Pattern, ...] = ()
    worker: FieldSource | None = None
    group: FieldSource | None = None
    criterion: FieldSource | None = None
    first_shown: FieldSource | None = None
    others: tuple[Pattern, ...] = ()
    only: tuple[Pattern, ...] = ()
    rank: FieldSource | None = None
    hard: FieldSource | None = None

    def bound(self, bind: Callable[[FieldSource], FieldSource]) -> Values:
        """The same with other sources."""
        names = ("value", "worker", "group", "criterion", "first_shown", "rank", "hard")
        bound: dict[str, Any] = {name: bind(source) for name in names
                                 if (source := getattr(self, name)) is not None}  # fmt: skip
        return replace(self, **bound)

    @property
    def sources(self) -> dict[str, FieldSource]:
        """The sources by what they are for."""
        named = {"value": self.value, "rater": self.worker, "group of raters": self.group,
                 "criterion": self.criterion, "first shown": self.first_shown,
                 "rank": self.rank, "hard": self.hard}  # fmt: skip
        return {name: source for name, source in named.items() if source is not None}


@dataclass(frozen=True)
class Scale:
    """The scale of all criteria, or one of each criterion at a path of the file. divisor: by which
    all values may be divided."""

    lowest: float | None = None
    highest: float | None = None
    path: tuple[Step, ...] = ()
    criterion: FieldSource | None = None
    lowest_at: FieldSource | None = None
    highest_at: FieldSource | None = None
    divisor: float | None = None

    @property
    def ends(self) -> tuple[float, float] | None:
        """(lowest, highest); None where the file has them."""
        if self.lowest is None or self.highest is None:
            return None
        return self.lowest, self.highest

    @property
    def divided(self) -> tuple[float, float] | None:
        """`ends`, divided; None where values are not."""
        if self.ends is None or self.divisor is None:
            return None
        return self.ends[0] / self.divisor, self.ends[1] / self.divisor


@dataclass(frozen=True)
class MarkedErrors:
    """Error spans between two markers in a text, one error a record; without markers, the text
    lacks something. Or, with a path, errors at the path of a record by their offsets.

    severity, category: of the error; none: severities that say that there is no error. first, last:
    the offsets; is_inclusive: the last one is that of a character in the span. text: what has the
    markers; of errors by offsets what is marked, which gives an offset that the file lacks.
    """

    text: FieldSource | None
    start: str
    end: str
    severity: FieldSource | None
    severities: Mapping[Key, str | None]
    none: frozenset[Key]
    worker: FieldSource
    category: FieldSource | None = None
    path: tuple[Step, ...] = ()
    first: FieldSource | None = None
    last: FieldSource | None = None
    is_inclusive: bool = False


@dataclass(frozen=True)
class Turns:
    """The turns of a conversation. source: a list of objects of each record; role, content: of an
    object; roles: the words of the file for roles; judged: as in the format concord."""

    source: FieldSource
    role: FieldSource
    content: FieldSource
    roles: Mapping[str, str]
    judged: str


@dataclass(frozen=True)
class LeaveOut:
    """Records whose field has one of these values (patterns) are left out for a reason."""

    source: FieldSource
    values: tuple[Pattern, ...]
    reason: str


@dataclass(frozen=True)
class FormatRecipe:
    """How records of a file become judgments or pairs. See docs/how-to/add-a-format.md.

    The words of map, missing, first, second, tie and both_bad are as `value_key` returns them.
    reference_system: the system whose answers are the references, and no candidates. gold_group:
    the group of raters whose mean is the gold score; by default all. folder: the pattern of files
    in a folder that may stand for them. is_detected: whether it is tried on files of no stated
    format.

    Those of assigned columns: is_tabular: JSON is read as a table, too; needs_references: each
    instance has one; keys: columns with the correct answers to the criteria that they name, of
    test items. toml: of one that was made for a file (`recipe_of_shape`).
    """

    name: str
    title: str
    source: str = ""
    kind: Literal["judgments", "pairs"] = "judgments"
    detect: tuple[tuple[Pattern, ...], ...] = ()
    detect_texts: tuple[str, ...] = ()
    unless: tuple[Pattern, ...] = ()
    files: str = "any"
    records: tuple[tuple[Step, ...], ...] = ((),)
    rows: str = "candidates"
    header_rows: int = 1
    header_signs: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    quotes: bool = True
    objects: bool = False
    headings: bool = False
    prefix: str = ""
    repeated: str = "error"
    reference_system: str = ""
    notes: tuple[str, ...] = ()
    candidates: tuple[Pattern, ...] = ()
    fields: Mapping[str, FieldSource] = field(default_factory=dict)
    ratings: tuple[Values, ...] = ()
    scores: tuple[Values, ...] = ()
    choices: tuple[Values, ...] = ()
    scale: Scale | None = None
    map: Mapping[Key, float] = field(default_factory=dict)
    missing: frozenset[Key] = MISSING_WORDS
    order: tuple[str, ...] = ()
    others: str = "error"
    first: frozenset[Key] = frozenset()
    second: frozenset[Key] = frozenset()
    tie: frozenset[Key] = frozenset()
    both_bad: frozenset[Key] = frozenset()
    hard: tuple[Pattern, ...] = ()
    middle: float | None = None
    gold_group: str = ""
    marks: MarkedErrors | None = None
    leave_out: tuple[LeaveOut, ...] = ()
    messages: Turns | None = None
    folder: str = ""
    is_detected: bool = True
    toml: str = ""
    is_tabular: bool = False
    needs_references: bool = False
    keys: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def values(self) -> tuple[Values, ...]:
        """The ratings, scores and choices, and the columns of candidates."""
        return (*self.ratings, *self.scores, *self.choices, *self.texts)

    @property
    def texts(self) -> tuple[Values, ...]:
        """The columns that have a candidate each, as values without a rating."""
        return (Values(parse_source("@value"), columns=self.candidates),) if self.candidates else ()

    @property
    def reads_objects(self) -> bool:
        """Whether JSON is read as records with objects in them, not as a table."""
        return self.files == "json" or any(rule.columns and rule.path for rule in self.values)

    @property
    def numbers_words(self) -> bool:
        """Whether other words are ratings, which stay words."""
        return self.others in ("number", "labels")

    @property
    def rows_are_ratings(self) -> bool:
        """Whether several records may be of one candidate or pair."""
        return self.rows == "ratings"
