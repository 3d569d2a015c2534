"""Names in recipes: paths in JSON, patterns of column names, and templates.

A path is JMESPath without expressions: names, `[n]`, `[*]` and `*`. Its work is bounded by the size
of the value that it is applied to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePath
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from concord.formats.errors import json_path_part, quote
from concord.formats.fields import json_type
from concord.formats.recipes.patterns import (
    MAX_TEXT,
    Pattern,
    RecipeSyntaxError,
    matches_any,
    parts,
)
from concord.formats.tables import cell_text

MAX_STEPS = 12
ALL, VALUES = "[*]", "*"
# A quoted name that is a template: the member of this name, or the position in a list, from 1.
FILLED = "filled"
_SPLIT = re.compile(r"(?<![a-z])(train|dev|val|valid|validation|test)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a path: a member's name, a position from 0 (negative from the end), or all of a
    list (ALL) or of an object's values (VALUES)."""

    kind: str
    name: str = ""
    index: int = 0


class Missing:
    """The value of a field that a record has not."""


MISSING = Missing()


@dataclass(slots=True)  # not frozen, which would take three times as long to make
class Place:
    """A value in a file.

    scopes: the objects around it, the innermost first, in which names are looked up; prefixes: the
    path of each, with "[]" for the members of a list. marks: what the path's stars matched, from
    the first: a name, or a position from 1. number: of the row or line, from 1; after the name of
    the file where there are several. path: for errors. value: None for a row of a table. column,
    label: of a cell. nth: the number of the record among those of its candidate, from 1.
    """

    file: str
    line: int | None
    number: int | str
    scopes: tuple[Mapping[str, Any], ...]
    path: str = ""
    marks: tuple[str | int, ...] = ()
    value: Any = None
    column: str = ""
    label: str = ""
    placeholders: Mapping[str, str] | None = None
    trail: str = ""
    prefixes: tuple[str, ...] = ("",)
    nth: int = 0


def parse_path(text: str) -> tuple[Step, ...]:
    """The steps of a path. Raises RecipeSyntaxError."""
    if len(text) > MAX_TEXT:
        raise RecipeSyntaxError(f"has more than {MAX_TEXT} characters")
    try:
        steps = tuple(_steps(jmespath.compile(text).parsed))
    except (JMESPathError, RecursionError) as error:
        raise RecipeSyntaxError(f"{quote(text)} is no path") from error
    if len(steps) > MAX_STEPS:
        raise RecipeSyntaxError(f"{quote(text)} has more than {MAX_STEPS} steps")
    return steps


def _steps(node: Mapping[str, Any]) -> Iterator[Step]:
    kind, children = node["type"], node["children"]
    if kind == "field":
        yield Step(FILLED if "{" in node["value"] else kind, node["value"])
    elif kind == "index":
        yield Step(kind, index=node["value"])
    elif kind in ("subexpression", "index_expression"):
        for child in children:
            yield from _steps(child)
    elif kind in ("projection", "value_projection") and children[0]["type"] != "flatten":
        yield from _steps(children[0])
        yield Step(ALL if kind == "projection" else VALUES)
        yield from _steps(children[1])
    elif kind not in ("identity", "current"):
        message = f"has {kind.replace('_', ' ')}; a path has names, [n], [*] and * only"
        raise RecipeSyntaxError(message)


Fault = Callable[[Place, str], None]


def walk(place: Place, steps: tuple[Step, ...], fault: Fault) -> Iterator[Place]:
    """The values that a path reaches from `place.value`, in order; none where one is absent or
    null. fault: called where an object or a list is expected and there is something else."""
    if not steps:
        yield place
        return
    step, rest, value = steps[0], steps[1:], place.value
    if value is None or value != value:  # null, or NaN
        return
    if step.kind == FILLED:
        step = _item_of(step.name) if isinstance(value, list) else Step("field", step.name)
    wanted: type[Any] = list if step.kind in (ALL, "index") else dict
    if not isinstance(value, wanted):
        fault(place, f"is {json_type(value)}; {json_type(wanted())} is expected")
    elif step.kind == "field":
        if step.name in value:
            name = json_path_part(step.name)
            inner = _inner(place, f".{name}", f".{name}", value[step.name], rest)
            yield from walk(inner, rest, fault)
    elif step.kind == "index":
        if -len(value) <= step.index < len(value):
            path = f"[{step.index}]"
            yield from walk(_inner(place, path, path, value[step.index], rest), rest, fault)
    elif step.kind == ALL:
        for at, item in enumerate(value):
            yield from walk(_inner(place, f"[{at}]", "[]", item, rest, at + 1), rest, fault)
    else:
        for key, item in value.items():
            path = f".{json_path_part(key)}"
            yield from walk(_inner(place, path, ".*", item, rest, key), rest, fault)


def _item_of(position: str) -> Step:
    """The step to an item of a list by its position, from 1; one to none for another text."""
    is_position = position.isascii() and position.isdigit() and len(position) < 10
    return Step("index", index=int(position) - 1 if is_position and int(position) else 1 << 30)


def _inner(
    place: Place,
    path: str,
    trail: str,
    value: Any,
    rest: tuple[Step, ...],
    mark: str | int | None = None,
) -> Place:
    """A value inside another. An object is a scope, unless all its values are taken: then its names
    are data."""
    path, trail = (place.path + path).removeprefix("."), (place.trail + trail).removeprefix(".")
    scopes, prefixes = place.scopes, place.prefixes
    if type(value) is dict and not (rest and rest[0].kind == VALUES):
        scopes, prefixes = (value, *scopes), (f"{trail}.", *prefixes)
    marks = place.marks if mark is None else (*place.marks, mark)
    return Place(
        place.file, place.line, place.number, scopes, path, marks, value, trail=trail,
        prefixes=prefixes, nth=place.nth,
    )  # fmt: skip


Getter = Callable[[Place], Any]


@dataclass(frozen=True, slots=True)
class FieldSource:
    """Where a value comes from. get: the value at a place; MISSING where there is none. names:
    those of the columns or members that are read, where `@` and constants are left out; tokens:
    those with `@`. is_optional: whether a record may have none. options: the names of which it is
    the first. columns: or patterns of names, the texts of all of which it is."""

    text: str
    get: Getter
    names: tuple[str, ...]
    is_optional: bool = False
    options: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    columns: tuple[Pattern, ...] = ()

    def is_position(self, place: Place) -> bool:
        """Whether it is a position: in a list (`@1`, or a template such as `r{@1}`), or of a record
        (`@nth`)."""
        if "@nth" in self.tokens:
            return True
        numbers = [int(one[1:]) for one in self.tokens if one[1:].isdigit()]
        marks = [one for number, one in enumerate(place.marks, start=1) if number in numbers]
        return bool(marks) and not self.names and all(isinstance(one, int) for one in marks)


def parse_source(text: str) -> FieldSource:
    """A source: a name or path, a template such as `{doc}-{system}`, a constant in apostrophes,
    `@1` for what the first star of the paths matched, `@row`, `@nth`, `@file`, `@folder`, `@value`,
    `@column`, or `@label`. A quoted name in a path may be a template: `item."{@1}".text`.

    Raises RecipeSyntaxError.
    """
    if len(text) > 1 and text[0] == text[-1] == "'":
        constant = text[1:-1]
        return FieldSource(text, lambda place: constant, ())
    if ("{" not in text and "}" not in text) or _path_of(text):
        get = _getter(text)
        names, tokens = _split_tokens([text])
        inner = [parse_source(one.name) for one in _path_of(text) if one.kind == FILLED]
        names += tuple(name for one in inner for name in one.names)
        return FieldSource(text, get, names, options=(text,), tokens=tokens + _tokens_of(inner))
    filled = [(literal, None if name is None else _getter(name), name)
              for literal, name in parts(text)]  # fmt: skip

    def fill(place: Place) -> Any:
        texts = []
        for literal, get, _ in filled:
            texts.append(literal)
            if get is not None:
                value = cell_text(None if (one := get(place)) is MISSING else one)
                if not value:
                    return MISSING
                texts.append(value)
        return "".join(texts)

    names, tokens = _split_tokens(name for *_, name in filled if name)
    return FieldSource(text, fill, names, tokens=tokens)


def column_source(name: str) -> FieldSource:
    """The source that is the column or member of this name, or of an object in a record
    (`answers.text`), whatever characters it has."""

    def get(place: Place) -> Any:
        values = (_member(one, name) for one in place.scopes)
        return next((value for value in values if value is not MISSING), MISSING)

    return FieldSource(name, get, (name,), options=(name,))


def _member(record: Mapping[str, Any], name: str) -> Any:
    if name in record:
        return record[name]
    inner = ((key, value) for key, value in record.items()
             if isinstance(value, Mapping) and name.startswith(f"{key}."))  # fmt: skip
    values = (_member(value, name.removeprefix(f"{key}.")) for key, value in inner)
    return next((value for value in values if value is not MISSING), MISSING)


def _split_tokens(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of columns or members, and those with `@`."""
    listed = list(names)
    return (tuple(name for name in listed if not name.startswith("@")),
            tuple(name for name in listed if name.startswith("@")))  # fmt: skip


def _tokens_of(sources: Iterable[FieldSource]) -> tuple[str, ...]:
    return tuple(token for source in sources for token in source.tokens)


def first_of(sources: list[FieldSource]) -> FieldSource:
    """The first of several sources that a record has, and that is neither null nor ""; it may have
    none."""
    getters = [source.get for source in sources]

    def get(place: Place) -> Any:
        value: Any = MISSING
        for one in getters:
            value = one(place)
            if value is not MISSING and value is not None and value != "":
                return value
        return value

    names = tuple(name for source in sources for name in source.names)
    are_plain = all(len(source.options) == 1 for source in sources)
    options = tuple(source.text for source in sources) if are_plain else ()
    return FieldSource(sources[0].text, get, names, True, options, _tokens_of(sources))


def all_of(sources: list[FieldSource]) -> FieldSource:
    """The texts of several sources as one list, without blank ones."""
    getters = [source.get for source in sources]

    def get(place: Place) -> list[Any]:
        values = (one(place) for one in getters)
        listed = (value if isinstance(value, list) else [value] for value in values)
        return [text for texts in listed for text in texts if text is not MISSING and text]

    names = tuple(name for source in sources for name in source.names)
    text = names[0] if names else "all"
    return FieldSource(text, get, names, is_optional=True, tokens=_tokens_of(sources))


def matching(patterns: Sequence[Pattern]) -> FieldSource:
    """The texts of the members of a record whose names match a pattern, as one list."""

    def get(place: Place) -> Any:
        names = [name for name in place.scopes[0] if matches_any(patterns, name)]
        return all_of([column_source(name) for name in names]).get(place)

    return FieldSource("all", get, (), is_optional=True, columns=tuple(patterns))


def split_of(source: FieldSource, at: str) -> FieldSource:
    """The parts of a text between separators, without blank ones, as one list."""

    def get(place: Place) -> Any:
        value = source.get(place)
        if not isinstance(value, str):
            return value
        return [part for piece in value.split(at) if (part := piece.strip())]

    return replace(source, get=get, options=())


def part_of(source: FieldSource, pattern: Pattern, name: str) -> FieldSource:
    """The part of another source's text that a name of a pattern matches; none where the text does
    not match."""

    def get(place: Place) -> Any:
        value = source.get(place)
        text = None if value is MISSING else cell_text(value)
        parts = pattern.match(text) if text else None
        return MISSING if parts is None else parts.get(name, MISSING)

    return replace(source, get=get, options=())


def column_of(source: FieldSource, header: Collection[str]) -> str | None:
    """The column of a table that a source is, if it is just one: its only name, or the only one of
    several that the table has."""
    if any(name.startswith("@") for name in source.options):
        return None
    known = [name for name in source.options if name in header]
    return known[0] if len(known) == 1 else None


def by_value(source: FieldSource, others: Mapping[str, FieldSource]) -> FieldSource:
    """The one of several sources that belongs to the value of another, such as a turn's number; the
    one of "*" belongs to any other value."""
    rest = others.get("*")

    def get(place: Place) -> Any:
        chosen = others.get(cell_text(source.get(place)) or "", rest)
        return MISSING if chosen is None else chosen.get(place)

    every = (source, *others.values())
    names = dict.fromkeys(name for one in every for name in one.names)
    is_optional = any(one.is_optional for one in others.values())
    return FieldSource(f"by {source.text}", get, tuple(names), is_optional, (), _tokens_of(every))


def _getter(name: str) -> Getter:
    if name.startswith("@"):
        return _token(name)
    path = _path_of(name)
    templates = {one.name: parse_source(one.name) for one in path if one.kind == FILLED}

    def get(place: Place) -> Any:
        if place.placeholders is not None and name in place.placeholders:
            return place.placeholders[name]
        for scope in place.scopes:
            if name in scope:
                return scope[name]
        if not path:
            return MISSING
        steps = path
        if templates:
            texts = {one: source.get(place) for one, source in templates.items()}
            if MISSING in texts.values():
                return MISSING
            steps = tuple([replace(one, name=texts.get(one.name, one.name)) for one in path])
        if steps[0].kind == "index":
            return _reach(place.value, steps)
        for scope in place.scopes:
            if steps[0].name in scope:
                return _reach(scope, steps)
        return MISSING

    return get


def _token(name: str) -> Getter:
    tokens: dict[str, Getter] = {
        "@row": lambda place: place.number,
        "@nth": lambda place: place.nth or MISSING,
        "@file": lambda place: PurePath(place.file).name.partition(".")[0],
        "@split": lambda place: _split_in(PurePath(place.file).stem),
        "@folder": lambda place: PurePath(place.file).parent.name or MISSING,
        "@value": lambda place: place.value,
        "@column": lambda place: place.column or MISSING,
        "@label": lambda place: place.label or place.column or MISSING,
    }
    if name in tokens:
        return tokens[name]
    if not name[1:].isdigit() or not 1 <= int(name[1:]) <= MAX_STEPS:
        known = ", ".join(tokens)
        raise RecipeSyntaxError(f"{quote(name)} is unknown; use @1, @2, ... or one of {known}")
    at = int(name[1:]) - 1
    return lambda place: place.marks[at] if at < len(place.marks) else MISSING


def _split_in(name: str) -> str:
    """The split that the name of a file has; "" without one."""
    splits = {"dev" if one.startswith("val") else one for one in _SPLIT.findall(name.casefold())}
    return splits.pop() if len(splits) == 1 else ""


@cache
def _path_of(name: str) -> tuple[Step, ...]:
    """The steps of a name that is a path of several, which begins with a name, or with a quoted
    template or a position in the value; () of another."""
    try:
        steps = parse_path(name)
    except RecipeSyntaxError:
        return ()
    is_path = len(steps) > 1 and steps[0].kind == "field"
    return steps if is_path or (steps and steps[0].kind in (FILLED, "index")) else ()


def first_name(name: str) -> str:
    """The first name of a path of several steps; "" of another name."""
    steps = _path_of(name)
    return steps[0].name if steps else ""


def names_in_templates(name: str) -> list[str]:
    """The names after a template in a path, which are those of members."""
    steps = _path_of(name)
    has_template = any(step.kind == FILLED for step in steps)
    return [step.name for step in steps[1:] if step.kind == "field"] if has_template else []


def template_patterns(source: FieldSource) -> list[Pattern]:
    """The patterns of columns or members that a source names by templates."""
    firsts = (steps[0] for name in source.names if (steps := _path_of(name)))
    return [Pattern.parse(one.name) for one in firsts if one.kind == FILLED]


def _reach(scope: Any, steps: tuple[Step, ...]) -> Any:
    """The value of a path; a list of several where it has a star."""
    start = Place("", None, 0, (), value=scope)
    values = [one.value for one in walk(start, steps, lambda *_: None)]
    if any(step.kind in (ALL, VALUES) for step in steps):
        return values
    return values[0] if values else MISSING
