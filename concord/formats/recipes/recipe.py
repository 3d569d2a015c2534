"""Recipes: formats as data, read from short TOML files and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from concord.documents.conversation import REPLY, ROLES, WHOLE
from concord.formats.errors import FormatError, Problem
from concord.formats.files import printable_path
from concord.formats.recipes.keys import KeyFaultError, Keys
from concord.formats.recipes.paths import (
    FieldSource,
    Step,
    parse_source,
)
from concord.formats.recipes.patterns import Pattern
from concord.formats.records import SEVERITIES

MAX_RECIPE_BYTES = 64 * 1024

INSTANCE_FIELDS = (
    "instance", "constituent", "split", "category", "passage", "question", "references",
    "short_answer",
)  # fmt: skip
CANDIDATE_FIELDS = (*INSTANCE_FIELDS, "id", "candidate", "system")
PAIR_FIELDS = (
    *INSTANCE_FIELDS, "id", "candidate1", "candidate2", "system1", "system2", "id1", "id2",
)  # fmt: skip
# What to do with a value that is no number and not in `map`.
OTHERS = ("error", "leave out", "number", "labels")


@dataclass(frozen=True)
class Values:
    """Where ratings, scores or choices are, and what each is.

    path: from a record to the values; columns: or the columns that have them but for others, with
    `path` from a cell. only: patterns of values that are read; of none, all are. With it, a rater's
    several values in a record are one. value: by default what the path or columns reach.
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

    def bound(self, bind: Callable[[FieldSource], FieldSource]) -> Values:
        """The same with other sources."""
        worker, group, criterion, shown = (
            None if source is None else bind(source)
            for source in (self.worker, self.group, self.criterion, self.first_shown)
        )
        return replace(self, value=bind(self.value), worker=worker, group=group,
                       criterion=criterion, first_shown=shown)  # fmt: skip

    @property
    def sources(self) -> dict[str, FieldSource]:
        """The sources by what they are for."""
        named = {"value": self.value, "rater": self.worker, "group of raters": self.group,
                 "criterion": self.criterion, "first shown": self.first_shown}  # fmt: skip
        return {name: source for name, source in named.items() if source is not None}


@dataclass(frozen=True)
class Scale:
    """The scale of all criteria, or one of each criterion at a path of the file."""

    lowest: float | None = None
    highest: float | None = None
    path: tuple[Step, ...] = ()
    criterion: FieldSource | None = None
    lowest_at: FieldSource | None = None
    highest_at: FieldSource | None = None


@dataclass(frozen=True)
class MarkedErrors:
    """Error spans between two markers in a text; without them, the text lacks something.

    severity, category: of the error; none: severities that say that there is no error.
    """

    text: FieldSource
    start: str
    end: str
    severity: FieldSource
    severities: Mapping[str, str | None]
    none: frozenset[str]
    worker: FieldSource
    category: FieldSource | None = None


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
    """Records whose field has one of these values are left out for a reason."""

    source: FieldSource
    values: frozenset[str]
    reason: str


@dataclass(frozen=True)
class FormatRecipe:
    """How records of a file become judgments or pairs. See docs/how-to/add-a-format.md."""

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
    notes: tuple[str, ...] = ()
    candidates: tuple[Pattern, ...] = ()
    fields: Mapping[str, FieldSource] = field(default_factory=dict)
    ratings: tuple[Values, ...] = ()
    scores: tuple[Values, ...] = ()
    choices: tuple[Values, ...] = ()
    scale: Scale | None = None
    map: Mapping[str, float] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    others: str = "error"
    first: frozenset[str] = frozenset()
    second: frozenset[str] = frozenset()
    tie: frozenset[str] = frozenset()
    both_bad: frozenset[str] = frozenset()
    middle: float | None = None
    marks: MarkedErrors | None = None
    leave_out: tuple[LeaveOut, ...] = ()
    messages: Turns | None = None

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


def read_recipe(path: Path) -> FormatRecipe:
    """The recipe of a TOML file. Raises FormatError that names the file and the key."""
    name = printable_path(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECIPE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _error(name, None, f"cannot be read: {error}") from error
    return recipe_of_toml(data, name)


def recipe_of_toml(data: bytes, name: str = "recipe") -> FormatRecipe:
    """The recipe in the bytes of a TOML file of this name. Raises FormatError as `read_recipe`."""
    if len(data) > MAX_RECIPE_BYTES:
        raise _error(name, None, f"has more than {MAX_RECIPE_BYTES:,} bytes, so it is no recipe")
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _error(name, None, f"is no TOML file: {error}") from error
    return parse_recipe(document, name)


def parse_recipe(document: Mapping[str, Any], file: str = "recipe") -> FormatRecipe:
    """The recipe of a TOML document. Raises FormatError that names the file and the key."""
    try:
        return _recipe(Keys(document))
    except KeyFaultError as error:
        raise _error(file, error.key, error.message) from error


def _error(file: str, key: str | None, message: str) -> FormatError:
    return FormatError([Problem(file, None, key, message)])


def _recipe(keys: Keys) -> FormatRecipe:
    name = keys.get("name", str, "")
    if not name or len(name) > 40 or not all(c.isalnum() or c == "-" for c in name):
        raise keys.error("name", "is no short name of letters, digits and hyphens")
    kind: Any = keys.choice("kind", ("judgments", "pairs"))
    values, map_ = keys.table("values"), {}
    for word, number in values.get("map", dict, {}).items():
        if type(number) not in (int, float) or not abs(number) < 1e12:
            raise values.error(f"map.{word}", f"is {number!r}; a number is expected")
        map_[word.strip().casefold()] = float(number)
    header_rows = keys.get("header_rows", int, 1)
    if not 1 <= header_rows <= 10:
        raise keys.error("header_rows", "is not from 1 to 10")
    if header := keys.texts("header"):
        header_rows = 0
    fields, allowed = keys.table("fields"), PAIR_FIELDS if kind == "pairs" else CANDIDATE_FIELDS
    detect, texts = _signs(keys)
    recipe = FormatRecipe(
        name,
        keys.get("title", str, name),
        keys.get("source", str, ""),
        kind,
        detect,
        texts,
        tuple(keys.parsed("unless", Pattern.parse)),
        keys.choice("files", ("any", "table", "json")),
        keys.paths("records") or ((),),
        keys.choice("rows", ("candidates", "ratings")),
        header_rows,
        keys.texts("header_signs"),
        header,
        keys.get("quotes", bool, True),
        keys.get("objects", bool, False),
        keys.get("headings", bool, False),
        keys.get("prefix", str, ""),
        keys.choice("repeated", ("error", "last")),
        keys.texts("notes"),
        tuple(keys.parsed("candidates", Pattern.parse)),
        {one: source for one in allowed if (source := fields.source(one)) is not None},
        tuple(_values(one, needs_worker=True) for one in keys.tables("ratings")),
        tuple(map(_values, keys.tables("scores"))),
        tuple(_values(one, needs_worker=True) for one in keys.tables("choices")),
        _scale(keys.table("scale")),
        map_,
        values.words("missing") | {""},
        _order(values),
        values.choice("others", OTHERS),
        values.words("first"),
        values.words("second"),
        values.words("tie"),
        values.words("both_bad"),
        values.get("middle", float),
        _marks(keys.table("spans")),
        tuple(map(_leave_out, keys.tables("leave_out"))),
        _turns(keys.table("messages")),
    )
    for table in (values, fields, keys):
        table.close()
    _check(recipe, keys)
    return recipe


def _check(recipe: FormatRecipe, keys: Keys) -> None:
    needed = ("candidate1", "candidate2") if recipe.kind == "pairs" else ()
    for name in needed:
        if name not in recipe.fields:
            raise keys.error(f"fields.{name}", "is missing; pairs need both candidates")
    if recipe.kind == "pairs" and (recipe.ratings or recipe.scores or recipe.marks):
        raise keys.error("kind", 'is "pairs", which have [choices], no ratings, scores or spans')
    if recipe.kind == "judgments" and recipe.choices:
        raise keys.error("choices", 'are of pairs: write kind = "pairs"')
    if (
        recipe.kind == "judgments"
        and not recipe.headings
        and recipe.messages is None
        and not ({"id", "candidate", "instance"} & recipe.fields.keys())
    ):
        raise keys.error("fields", "has none of id, candidate and instance")
    if recipe.messages is None:
        return
    if both := {"passage", "question"} & recipe.fields.keys():
        raise keys.error(f"fields.{min(both)}", "cannot be with [messages], which are in its place")
    if recipe.kind == "pairs" and recipe.messages.judged == WHOLE:
        raise keys.error("messages.judged", "is of single candidates; those of a pair are replies")


def _signs(keys: Keys) -> tuple[tuple[tuple[Pattern, ...], ...], tuple[str, ...]]:
    """The signs of files: each a pattern of a name, or a list of which one is enough."""
    items = keys.get("detect", list, [])
    signs, texts = [], []
    for at, item in enumerate(items):
        part = Keys({f"detect[{at}]": item})
        signs.append(tuple(part.parsed(f"detect[{at}]", Pattern.parse)))
        texts.append(" or ".join(part.texts(f"detect[{at}]")[:3]))
    return tuple(signs), tuple(texts)


def _values(keys: Keys, *, needs_worker: bool = False) -> Values:
    result = Values(
        keys.source("value") or parse_source("@value"),
        keys.steps("from"),
        tuple(keys.parsed("columns", Pattern.parse)),
        keys.source("worker"),
        keys.source("group"),
        keys.source("criterion"),
        keys.source("first_shown"),
        tuple(keys.parsed("except", Pattern.parse)),
        tuple(keys.parsed("only", Pattern.parse)),
    )
    if needs_worker and result.worker is None:
        raise keys.error("worker", "is missing; ratings and choices are of raters")
    if not result.path and not result.columns and result.value.text == "@value":
        raise keys.error("value", "is missing; or write `from` or `columns`")
    keys.close()
    return result


def _order(values: Keys) -> tuple[str, ...]:
    words = values.texts("order")
    if len(words) == 1 or len({word.casefold() for word in words}) < len(words):
        raise values.error("order", "is no list of different words")
    return words


def _scale(keys: Keys) -> Scale | None:
    if not keys.data:
        return None
    if "from" in keys.data:
        scale = Scale(None, None, keys.steps("from"), keys.needed("criterion"),
                      keys.needed("lowest"), keys.needed("highest"))  # fmt: skip
    else:
        scale = Scale(keys.get("lowest", float), keys.get("highest", float))
        if scale.lowest is None or scale.highest is None or not scale.lowest < scale.highest:
            raise keys.error("lowest", "and `highest` are two numbers, the lower one first")
    keys.close()
    return scale


def _marks(keys: Keys) -> MarkedErrors | None:
    if not keys.data:
        return None
    markers, table = keys.texts("markers"), keys.table("severities")
    if len(markers) != 2 or not all(markers):
        raise keys.error("markers", 'is no list of two texts, such as ["<v>", "</v>"]')
    severities = {}
    for word in table.data:
        value = table.choice(word, ("undecided", *SEVERITIES))
        severities[word.casefold()] = None if value == "undecided" else value
    marks = MarkedErrors(keys.needed("text"), *markers, keys.needed("severity"), severities,
                  keys.words("none"), keys.needed("worker"), keys.source("category"))  # fmt: skip
    keys.close()
    return marks


def _turns(keys: Keys) -> Turns | None:
    if not keys.data:
        return None
    roles = keys.table("roles")
    turns = Turns(
        keys.needed("from"),
        keys.source("role") or parse_source("role"),
        keys.source("content") or parse_source("content"),
        {word.casefold(): roles.choice(word, ROLES) for word in roles.data},
        keys.choice("judged", (REPLY, WHOLE)),
    )
    keys.close()
    return turns


def _leave_out(keys: Keys) -> LeaveOut:
    rule = LeaveOut(keys.needed("field"), keys.words("values"), keys.get("reason", str, ""))
    if not rule.reason or not rule.values:
        raise keys.error("reason", "and `values` are needed")
    keys.close()
    return rule
