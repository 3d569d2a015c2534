"""The names of columns and members that a recipe reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from concord.formats.recipes.paths import (
    FieldSource,
    Step,
    first_name,
    names_in_templates,
    template_patterns,
)
from concord.formats.recipes.patterns import Pattern
from concord.formats.recipes.recipe import FormatRecipe

_WORDS = re.compile(r"[^\W_]+")


def used_names(recipe: FormatRecipe) -> dict[str, str]:
    """The names of columns or members that a recipe reads, and what each is for."""
    used: dict[str, list[str]] = {}

    def name_is(name: str, meaning: str) -> None:
        meanings = used.setdefault(name, [])
        if meaning not in meanings:
            meanings.append(meaning)

    for meaning, part in _parts(recipe):
        if isinstance(part, FieldSource):
            for name in part.names:
                name_is(name, meaning)
                for one in (first_name(name), *names_in_templates(name)):
                    if one:
                        name_is(one, meaning)
        else:
            for step in part or ():
                if step.name:
                    name_is(step.name, meaning)
    return {name: " and ".join(meanings) for name, meanings in used.items()}


def template_meanings(recipe: FormatRecipe) -> list[tuple[Pattern, str]]:
    """The patterns of columns or members that a recipe names by templates, and what each is for."""
    return [
        (pattern, meaning)
        for meaning, part in _parts(recipe)
        if isinstance(part, FieldSource)
        for pattern in template_patterns(part)
    ]


def data_meanings(recipe: FormatRecipe) -> dict[str, str]:
    """What the names of objects in objects, which are data, are for, by their paths (`*.*`)."""
    found: dict[str, list[str]] = {}
    for meaning, part in _parts(recipe):
        for token in part.tokens if isinstance(part, FieldSource) else ():
            if token[1:].isdigit():
                found.setdefault(".".join("*" * int(token[1:])), []).append(meaning)
    return {path: " and ".join(meanings) for path, meanings in sorted(found.items())}


def _parts(recipe: FormatRecipe) -> Iterator[tuple[str, FieldSource | Sequence[Step] | None]]:
    """The paths and sources of a recipe, with what each is for."""
    for steps in recipe.records:
        yield "records", steps
    for name, source in recipe.fields.items():
        yield "reference" if name == "references" else name, source
    kinds = (("rating", recipe.ratings), ("score", recipe.scores), ("choice", recipe.choices))
    for kind, rules in kinds:
        for rule in rules:
            yield f"{kind}s", rule.path
            for name, source in rule.sources.items():
                yield kind if name == "value" else name, source
    if recipe.messages:
        yield "messages", recipe.messages.source
    if scale := recipe.scale:
        yield "scales", scale.path
        yield "criterion", scale.criterion
        yield "lowest value", scale.lowest_at
        yield "highest value", scale.highest_at
    if marks := recipe.marks:
        yield "spans", marks.path
        yield "start of the span", marks.first
        yield "end of the span", marks.last
        yield "marked text", marks.text
        yield "severity", marks.severity
        yield "category of the error", marks.category
        yield "rater", marks.worker
    for one in recipe.leave_out:
        yield f"left out: {one.reason}", one.source


def renamed(header: Sequence[str], used: Set[str]) -> tuple[str, ...]:
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


def distinct_names(header: Sequence[str]) -> tuple[str, ...]:
    """The headings, with numbers for those that are repeated: "answer", "answer (2)"."""
    counts: dict[str, int] = {}
    names = []
    for name in header:
        counts[name] = counts.get(name, 0) + 1
        names.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return tuple(names)


def _plain(name: str) -> str:
    return "".join(_WORDS.findall(name)).casefold()
