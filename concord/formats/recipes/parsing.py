"""Recipes read from short TOML files and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from concord.documents.conversation import REPLY, ROLES, WHOLE
from concord.formats.errors import FormatError, Problem
from concord.formats.files import printable_path
from concord.formats.options import NO_ORDER
from concord.formats.recipes.keys import KeyFaultError, Keys
from concord.formats.recipes.paths import parse_source
from concord.formats.recipes.patterns import Pattern
from concord.formats.recipes.recipe import (
    FormatRecipe,
    LeaveOut,
    MarkedErrors,
    Scale,
    Turns,
    Values,
)
from concord.formats.records import SEVERITIES
from concord.formats.value_words import MISSING_WORDS, Key, value_key

MAX_RECIPE_BYTES = 64 * 1024

INSTANCE_FIELDS = (
    "instance", "constituent", "split", "category", "passage", "question", "references",
    "short_answer",
)  # fmt: skip
CANDIDATE_FIELDS = (*INSTANCE_FIELDS, "id", "candidate", "system")
PAIR_FIELDS = (
    *INSTANCE_FIELDS, "id", "candidate1", "candidate2", "system1", "system2", "id1", "id2",
    "score1", "score2",
)  # fmt: skip
# What to do with a value that is no number and not in `map`.
OTHERS = ("error", "leave out", "number", "labels")


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


def parse_recipe(
    document: Mapping[str, Any], file: str = "recipe", names: Collection[str] = ()
) -> FormatRecipe:
    """The recipe of a TOML document. Raises FormatError that names the file and the key.

    names: of columns, which are these whatever characters they have.
    """
    try:
        return _recipe(Keys(document, names=frozenset(names)))
    except KeyFaultError as error:
        raise _error(file, error.key, error.message) from error


def _error(file: str, key: str | None, message: str) -> FormatError:
    return FormatError([Problem(file, None, key, message)])


def _recipe(keys: Keys) -> FormatRecipe:
    name = keys.get("name", str, "")
    if not name or len(name) > 40 or not all(c.isalnum() or c == "-" for c in name):
        raise keys.error("name", "is no short name of letters, digits and hyphens")
    kind: Any = keys.choice("kind", ("judgments", "pairs"))
    values = keys.table("values")
    map_: dict[Key, float] = {}
    for word, number in values.get("map", dict, {}).items():
        if type(number) not in (int, float) or not abs(number) < 1e12:
            raise values.error(f"map.{word}", f"is {number!r}; a number is expected")
        map_[value_key(word)] = float(number)
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
        tuple(keys.patterns("unless")),
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
        keys.get("reference_system", str, ""),
        keys.texts("notes"),
        tuple(keys.patterns("candidates")),
        {one: source for one in allowed if (source := fields.source(one)) is not None},
        tuple(_values(one, needs_worker=True) for one in keys.tables("ratings")),
        tuple(map(_values, keys.tables("scores"))),
        tuple(_values(one, needs_worker=True) for one in keys.tables("choices")),
        _scale(keys.table("scale")),
        map_,
        _missing(values),
        _order(values),
        values.choice("others", OTHERS),
        values.words("first"),
        values.words("second"),
        values.words("tie"),
        values.words("both_bad"),
        tuple(values.patterns("hard")),
        values.get("middle", float),
        values.get("gold_group", str, ""),
        _marks(keys.table("spans")),
        tuple(map(_leave_out, keys.tables("leave_out"))),
        _turns(keys.table("messages")),
        keys.get("folder", str, ""),
        keys.get("detected", bool, True),
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
    if any(rule.rank for rule in (*recipe.ratings, *recipe.scores)):
        raise keys.error("rank", "is of [choices], which a ranking implies")
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
        signs.append(tuple(part.patterns(f"detect[{at}]")))
        texts.append(" or ".join(part.texts(f"detect[{at}]")[:3]))
    return tuple(signs), tuple(texts)


def _values(keys: Keys, *, needs_worker: bool = False) -> Values:
    result = Values(
        keys.source("value") or parse_source("@value"),
        keys.steps("from"),
        tuple(keys.patterns("columns")),
        keys.source("worker"),
        keys.source("group"),
        keys.source("criterion"),
        keys.source("first_shown"),
        tuple(keys.patterns("except")),
        tuple(keys.patterns("only")),
        keys.source("rank"),
        keys.source("hard"),
    )
    if needs_worker and result.worker is None:
        raise keys.error("worker", "is missing; ratings and choices are of raters")
    if not result.path and not result.columns and result.value.text == "@value":
        raise keys.error("value", "is missing; or write `from` or `columns`")
    keys.close()
    return result


def _missing(values: Keys) -> frozenset[Key]:
    """The words that say that a value is missing: the usual ones unless the recipe has its own."""
    return values.words("missing") | {""} if "missing" in values.data else MISSING_WORDS


def _order(values: Keys) -> tuple[str, ...]:
    words = values.texts("order")
    if len(words) == 1 or len(set(map(value_key, words))) < len(words):
        raise values.error("order", NO_ORDER)
    return words


def _scale(keys: Keys) -> Scale | None:
    if not keys.data:
        return None
    if "from" in keys.data:
        scale = Scale(None, None, keys.steps("from"), keys.needed("criterion"),
                      keys.needed("lowest"), keys.needed("highest"))  # fmt: skip
    else:
        scale = Scale(keys.get("lowest", float), keys.get("highest", float),
                      divisor=keys.get("divided_by", float))  # fmt: skip
        if scale.lowest is None or scale.highest is None or not scale.lowest < scale.highest:
            raise keys.error("lowest", "and `highest` are two numbers, the lower one first")
    keys.close()
    return scale


def _marks(keys: Keys) -> MarkedErrors | None:
    if not keys.data:
        return None
    path, table = keys.steps("from"), keys.table("severities")
    markers = ("", "") if path else keys.texts("markers")
    if len(markers) != 2 or not (path or all(markers)):
        raise keys.error("markers", 'is no list of two texts, such as ["<v>", "</v>"]')
    severities: dict[Key, str | None] = {}
    for word in table.data:
        value = table.choice(word, ("undecided", *SEVERITIES))
        severities[value_key(word)] = None if value == "undecided" else value
    marks = MarkedErrors(
        keys.source("text") if path else keys.needed("text"),
        *markers,
        keys.source("severity"),
        severities,
        keys.words("none"),
        keys.needed("worker"),
        keys.source("category"),
        path,
        keys.source("start"),
        keys.source("end"),
        keys.get("inclusive", bool, False),
    )
    if path and marks.text is None and (marks.first is None or marks.last is None):
        raise keys.error("start", "and `end` are missing; or say where the marked `text` is")
    if severities and marks.severity is None:
        raise keys.error("severity", "is missing")
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
    values = tuple(keys.patterns("values"))
    rule = LeaveOut(keys.needed("field"), values, keys.get("reason", str, ""))
    if not rule.reason or not rule.values:
        raise keys.error("reason", "and `values` are needed")
    keys.close()
    return rule
