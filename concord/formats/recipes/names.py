"""The names of columns and members that a recipe reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from concord.formats.recipes.paths import FieldSource, Place, Step, first_name
from concord.formats.recipes.recipe import FormatRecipe

_WORDS = re.compile(r"[^\W_]+")


def used_names(recipe: FormatRecipe) -> dict[str, str]:
    """The names of columns or members that a recipe reads, and what each is for."""
    used: dict[str, list[str]] = {}

    def name_is(name: str, meaning: str) -> None:
        meanings = used.setdefault(name, [])
        if meaning not in meanings:
            meanings.append(meaning)

    def add(source: FieldSource | None, meaning: str) -> None:
        for name in source.names if source else ():
            name_is(name, meaning)
            if first := first_name(name):
                name_is(first, meaning)

    def pass_by(steps: Sequence[Step], meaning: str) -> None:
        for step in steps:
            if step.name:
                name_is(step.name, meaning)

    for steps in recipe.records:
        pass_by(steps, "records")

    for name, source in recipe.fields.items():
        add(source, "reference" if name == "references" else name)
    kinds = (("rating", recipe.ratings), ("score", recipe.scores), ("choice", recipe.choices))
    for kind, rules in kinds:
        for rule in rules:
            pass_by(rule.path, f"{kind}s")
            for name, source in rule.sources.items():
                add(source, kind if name == "value" else name)
    if recipe.messages:
        add(recipe.messages.source, "messages")
    if recipe.scale:
        pass_by(recipe.scale.path, "scales")
        add(recipe.scale.criterion, "criterion")
        add(recipe.scale.lowest_at, "lowest value")
        add(recipe.scale.highest_at, "highest value")
    if recipe.marks:
        marks = recipe.marks
        pass_by(marks.path, "spans")
        add(marks.first, "start of the span")
        add(marks.last, "end of the span")
        add(marks.text, "marked text")
        add(marks.severity, "severity")
        add(marks.category, "category of the error")
        add(marks.worker, "rater")
    for one in recipe.leave_out:
        add(one.source, f"left out: {one.reason}")
    return {name: " and ".join(meanings) for name, meanings in used.items()}


def renamed(header: Sequence[str], used: frozenset[str]) -> tuple[str, ...]:
    """The header with the recipe's names for columns that differ from them in case or punctuation
    only, such as "Worker ID" for "worker_id"."""
    present = set(header)
    wanted: dict[str, str] = {}
    for name in sorted(used - present):
        wanted.setdefault(_plain(name), name)
    renamed = []
    for name in header:
        other = wanted.pop(_plain(name), None) if name not in used else None
        renamed.append(other or name)
    return tuple(renamed)


def _plain(name: str) -> str:
    return "".join(_WORDS.findall(name)).casefold()


def member_source(name: str) -> FieldSource:
    """The source that is the column of this name, whatever characters it has."""
    return FieldSource(name, lambda place: _member(place.scopes[0], name), (name,), options=(name,))


def _member(record: Mapping[str, Any], name: str) -> Any:
    """The member of this name of a record, or of an object in it (`answers.text`)."""
    if name in record:
        return record[name]
    inner = ((key, value) for key, value in record.items() if isinstance(value, Mapping))
    found = (_member(value, name.removeprefix(f"{key}.")) for key, value in inner
             if name.startswith(f"{key}."))  # fmt: skip
    return next((value for value in found if value is not None), None)


def list_of(names: Sequence[str]) -> FieldSource:
    """The texts of several columns, without blank ones."""

    def get(place: Place) -> list[Any]:
        cells = (_member(place.scopes[0], name) for name in names)
        listed = (cell if isinstance(cell, list) else [cell] for cell in cells)
        return [text for texts in listed for text in texts if text]

    return FieldSource(names[0], get, tuple(names))
