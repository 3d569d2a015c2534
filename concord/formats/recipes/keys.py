"""Typed access to the keys of a recipe's TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from concord.formats.errors import quote
from concord.formats.recipes.paths import (
    FILLED,
    FieldSource,
    Step,
    all_of,
    by_value,
    column_source,
    first_of,
    matching,
    parse_path,
    parse_source,
    part_of,
    split_of,
)
from concord.formats.recipes.patterns import Pattern, RecipeSyntaxError
from concord.formats.value_words import Key, value_key

MAX_ITEMS = 500


class KeyFaultError(ValueError):
    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key, self.message = key, message


class Keys:
    """The keys of a TOML table; those that nothing asks for are unknown (`close`).

    names: of columns, which are no patterns, paths or templates.
    """

    def __init__(
        self, data: Mapping[str, Any], path: str = "", names: frozenset[str] = frozenset()
    ) -> None:
        self.data, self.path, self._asked, self.names = data, path, set[str](), names

    def get(self, name: str, kind: type, default: Any = None) -> Any:
        self._asked.add(name)
        value = self.data.get(name, default)
        if (
            value is not default
            and type(value) is not kind
            and not (kind is float and type(value) is int)
        ):
            raise self.error(
                name, f"is {value!r}; a TOML value of type {kind.__name__} is expected"
            )
        return float(value) if kind is float and value is not None else value

    def error(self, name: str, message: str) -> KeyFaultError:
        return KeyFaultError(f"{self.path}{name}", message)

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        value: str = self.get(name, str, choices[0])
        if value not in choices:
            raise self.error(name, f"is {quote(value)}; choose one of {', '.join(choices)}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A text, or a list of texts."""
        self._asked.add(name)
        value = self.data.get(name, [])
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.error(name, "is neither a text nor a list of texts")
        if len(items) > MAX_ITEMS:
            raise self.error(name, f"has more than {MAX_ITEMS} texts")
        return tuple(items)

    def words(self, name: str) -> frozenset[Key]:
        return frozenset(map(value_key, self.texts(name)))

    def sources(self, name: str) -> list[FieldSource]:
        """Sources, each a text (`parse_source`)."""
        return self.parsed(name, parse_source, column_source)

    def patterns(self, name: str) -> list[Pattern]:
        """Patterns of names, each a text (`Pattern.parse`)."""
        return self.parsed(name, Pattern.parse, Pattern.of_name)

    def parsed(
        self, name: str, parse: Callable[[str], Any], parse_name: Callable[[str], Any] | None = None
    ) -> list[Any]:
        """What texts are. parse_name: what those of `names` are."""
        try:
            return [parse_name(text) if parse_name and text in self.names else parse(text)
                    for text in self.texts(name)]  # fmt: skip
        except RecipeSyntaxError as error:
            raise self.error(name, str(error)) from error

    def source(self, name: str) -> FieldSource | None:
        """A source that every record has; a list of which a record has the first or none; or a
        table with a source for each value of the source `by`, or with a list of which a record may
        have `all`, with a source `split` whose text has parts, or with the part of a source's text
        that a pattern matches (`of`, `match`)."""
        if isinstance(self.data.get(name), dict):
            table = self.table(name)
            if "all" in table.data:
                if any("*" in text and text not in self.names for text in table.texts("all")):
                    return matching(table.patterns("all"))
                return all_of(table.sources("all"))
            if "split" in table.data:
                return split_of(table.needed("split"), table.get("at", str, "/"))
            if "of" in table.data:
                patterns = table.patterns("match")
                if len(patterns) != 1 or not (names := patterns[0].labels):
                    raise table.error("match", "is no pattern with a {name}")
                return part_of(table.needed("of"), patterns[0], names[0])
            by, others = table.needed("by"), [one for one in table.data if one != "by"]
            return by_value(by, {one: table.needed(one) for one in others})
        sources = self.sources(name)
        if not sources:
            return None
        return first_of(sources) if isinstance(self.data[name], list) else sources[0]

    def needed(self, name: str) -> FieldSource:
        if (source := self.source(name)) is None:
            raise self.error(name, "is missing")
        return source

    def paths(self, name: str) -> tuple[tuple[Step, ...], ...]:
        paths: list[tuple[Step, ...]] = self.parsed(name, parse_path)
        if any(step.kind == FILLED for path in paths for step in path):
            raise self.error(name, "has a template; only fields may")
        return tuple(paths)

    def steps(self, name: str) -> tuple[Step, ...]:
        paths = self.paths(name)
        if len(paths) > 1:
            raise self.error(name, "is a list; one path is expected")
        return paths[0] if paths else ()

    def table(self, name: str) -> Keys:
        return Keys(self.get(name, dict, {}), f"{self.path}{name}.", self.names)

    def tables(self, name: str) -> list[Keys]:
        """A table, or several (`[[name]]`)."""
        if isinstance(self.data.get(name), dict):
            return [self.table(name)]
        tables = self.get(name, list, [])
        if not all(isinstance(one, dict) for one in tables) or len(tables) > MAX_ITEMS:
            raise self.error(name, "is no list of tables")
        return [Keys(one, f"{self.path}{name}[{at}].", self.names) for at, one in enumerate(tables)]

    def close(self) -> None:
        for name in self.data:
            if name not in self._asked:
                known = ", ".join(sorted(self._asked))
                raise self.error(name, f"is an unknown key; the keys here are {known}")
