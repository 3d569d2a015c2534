"""Instances, texts and names from the records of a recipe."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

from concord.documents.conversation import ANSWERS, WHOLE, Conversation, question_of
from concord.formats.conversations import read_answer, read_conversation
from concord.formats.errors import json_path_part, quote
from concord.formats.fields import Fields, are_sound, json_type, text_fault
from concord.formats.instances import differing_fields
from concord.formats.options import ReadOptions
from concord.formats.recipes.paths import MISSING, FieldSource, Place, column_source
from concord.formats.recipes.patterns import matches_any
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.recipes.records import RecordFile
from concord.formats.records import InstanceRecord
from concord.formats.tables import Unreadable, cell_text

# The fields that are names of a candidate or of its instance.
CANDIDATE_NAMES = ("system", "id", "instance")


class InstanceReader:
    """Reads the fields of records of one file.

    of_instance: the sources of instances. needs_value: whether a field is of the values of a record
    (`@column`, a placeholder), so that one record has several candidates; names_values: whether
    their ids are.
    """

    def __init__(self, file: RecordFile, options: ReadOptions) -> None:
        self.file, self.options = file, options
        self.collector = file.collector
        self.sources = file.sources
        self._lines: dict[str, int | None] = {}
        self._known: dict[str, str] = {}
        self.of_instance = [source for name, source in self.sources.items()
                            if name not in ("candidate", "system", "id")]  # fmt: skip
        self._instances: dict[tuple[Any, ...], InstanceRecord] = {}
        self.needs_value = is_of_value(file.recipe)
        self.names_values = is_of_value(file.recipe, ("id",))

    def answered(self, place: Place) -> tuple[Conversation | None, str]:
        """The conversation of a record, if any, and its candidate: without a field `candidate`, the
        turn of the assistant that ends it, or, of a whole conversation, the last one of any."""
        name, fields = self._turns(place)
        if fields is None:
            return None, self.text("candidate", place)
        turns = fields.data[name]
        last = turns[-1] if isinstance(turns, list) and turns else None
        if "candidate" in self.sources:
            fields.data["candidate"] = self.text("candidate", place)
        elif "judged" not in fields.data and isinstance(last, dict) and last["role"] == ANSWERS:
            fields.data |= {name: turns[:-1], "candidate": last["content"]}
        conversation = read_conversation(fields, name)
        return conversation, read_answer(fields, conversation)

    def conversation(self, place: Place) -> Conversation | None:
        """The conversation of a record, if any, to which both candidates of a pair are answers."""
        name, fields = self._turns(place)
        return None if fields is None else read_conversation(fields, name)

    def _turns(self, place: Place) -> tuple[str, Fields | None]:
        """The turns of a record with the names and roles of the format concord, in the field that
        the recipe names; None without."""
        rule = self.file.recipe.messages
        turns = None if rule is None else rule.source.get(place)
        if rule is None or turns is None or turns is MISSING:
            return "", None
        if isinstance(turns, str):  # in a table
            turns = _json_or_text(turns)
        name = rule.source.text
        data = {name: [self._turn(one) for one in turns] if isinstance(turns, list) else turns}
        if rule.judged == WHOLE:
            data["judged"] = WHOLE
        prefix = f"{place.path}." if place.path else ""
        collector = self.collector
        return name, Fields(
            data, collector.problems, collector.limits, place.file, place.line, prefix
        )

    def _turn(self, turn: Any) -> Any:
        """A turn with the names and roles of the format concord; another value unchanged."""
        rule = self.file.recipe.messages
        if rule is None or not isinstance(turn, dict):
            return turn
        place = Place("", None, 0, (turn,))
        role, content = rule.role.get(place), rule.content.get(place)
        if isinstance(role, str):
            role = rule.roles.get(role.casefold(), role.casefold())
        return {"role": role, "content": None if content is MISSING else content}

    def instance(
        self,
        place: Place,
        conversation: Conversation | None = None,
        key: Callable[[], str] = str,
    ) -> InstanceRecord | None:
        """The instance of a record; None with a problem. key: the candidate's, for an instance
        without any text; by default it has none."""
        cells: tuple[Any, ...] | None = None
        if conversation is None and self.file.is_table:
            read = [source.get(place) for source in self.of_instance]
            cells = tuple([tuple(cell) if type(cell) is list else cell for cell in read])
            if (known := self._instances.get(cells)) is not None:
                return known
        before = self.collector.problems.total
        passage, question = self.text("passage", place), self.text("question", place)
        if conversation is not None:
            question = question_of(conversation)
        short_answer, references = self.text("short_answer", place), self._references(place)
        name = self.short("instance", place)
        pool = self.collector.pool
        own = "" if name or passage or question or references or conversation else key()
        record = InstanceRecord(
            name or pool.key_of(passage, question, references, own, conversation),
            references,
            passage,
            question,
            pool.name(self.short("constituent", place) or self.options.constituent or ""),
            pool.name(self.short("split", place) or self.options.split or ""),
            pool.name(self.short("category", place)),
            short_answer,
            conversation,
            named_by_file=bool(name),
        )
        if self.collector.problems.total > before:
            return None
        if not name:
            shared = pool.share_or_add(record)
        else:
            shared = pool.share(record)
            first = self._lines.setdefault(name, place.line)
            if names := differing_fields(shared, record):
                at = f"line {first}" if first else "an earlier record"
                message = f"instance {quote(name)} has another {', another '.join(names)} on {at}"
                self.fault(place, "instance", message)
                return None
        if cells is not None and not own:
            self._instances[cells] = shared
        return shared

    def text(self, field: str, place: Place) -> str:
        """A text of any length, without markers of errors; an object or list is kept as JSON where
        the recipe says so. Numbers of JSON are texts in names only."""
        source = self.sources.get(field)
        if source is None:
            return ""
        limit = self.collector.limits.max_field_chars
        text = self._checked(source.get(place), source, place, field, limit)
        marks = self.file.recipe.marks
        if marks is not None and marks.start:
            text = text.replace(marks.start, "").replace(marks.end, "")
        return text

    def answers(self, place: Place) -> dict[str, str]:
        """The correct answers that a record has, by the columns of keys."""
        limit = self.collector.limits.max_field_chars
        texts = {name: self._checked(place.scopes[0][name], column_source(name), place, name, limit)
                 for name in self.file.recipe.keys or ()}  # fmt: skip
        return {name: text for name, text in texts.items() if text.strip()}

    def are_texts(self, cells: Sequence[Any]) -> bool:
        """Whether `text` certainly returns each of these cells as it is."""
        marks = self.file.recipe.marks
        are_all = all(isinstance(cell, str) for cell in cells)
        return marks is None and are_all and are_sound(cells, self.collector.limits.max_field_chars)

    def short(self, field: str, place: Place) -> str:
        """A name: an id, a system."""
        source = self.sources.get(field)
        return "" if source is None else self.name(source, place, field)

    def name(self, source: FieldSource, place: Place, field: str) -> str:
        """The name that a source has."""
        return self.name_of(source.get(place), source, place, field)

    def name_of(self, value: Any, source: FieldSource, place: Place, field: str) -> str:
        """The name that a value of a source is; "" with a fault."""
        if type(value) is str and (known := self._known.get(value)) is not None:
            return known
        text = self._checked(value, source, place, field, self.collector.limits.max_name_chars)
        name = self.collector.pool.name(text.strip()) if text else ""
        if name and type(value) is str:
            self._known[value] = name
        return name

    def _checked(
        self, value: Any, source: FieldSource, place: Place, field: str, limit: int
    ) -> str:
        if value is MISSING and not source.is_optional:
            self.fault(place, field, "is missing")
        if value is None or value is MISSING:
            return ""
        text = value if isinstance(value, str) else self._as_text(value, place, field, limit)
        if fault := text_fault(text, limit):
            self.fault(place, field, fault)
            return ""
        return text

    def _as_text(self, value: Any, place: Place, field: str, limit: int) -> str:
        if isinstance(value, Unreadable):
            self.fault(place, field, value.reason)
            return ""
        is_name = limit < self.collector.limits.max_field_chars
        text = cell_text(value) if is_name or self.file.is_table else None
        if text is not None:
            return text
        if is_name or not (self.file.recipe.objects and isinstance(value, dict | list)):
            self.fault(place, field, f"is {json_type(value)}; a text is expected")
            return ""
        self.collector.note(f"Texts of the {field} that are objects or lists are kept as JSON.")
        return json.dumps(value, ensure_ascii=False)

    def _references(self, place: Place) -> tuple[str, ...]:
        source = self.sources.get("references")
        value = None if source is None else source.get(place)
        if value is None or value is MISSING:
            return ()
        references, before = [], self.collector.problems.total
        for one in value if isinstance(value, list) else [value]:
            text = cell_text(one)
            if text is None:
                message = f"is {json_type(one)}; a text is expected"
                reason = one.reason if isinstance(one, Unreadable) else message
                self.fault(place, "references", reason)
            elif fault := text_fault(text, self.collector.limits.max_field_chars):
                self.fault(place, "references", fault)
            elif text.strip():
                references.append(text)
        is_blank = not references and self.collector.problems.total == before
        if self.file.recipe.needs_references and is_blank:
            self.fault(place, "references", "is empty; a reference is expected")
        if len(references) > (most := self.collector.limits.max_references):
            self.fault(place, "references", f"{len(references):,} references; at most {most:,}")
        return tuple(references)

    def fault(self, place: Place, field: str, message: str) -> None:
        """Add a problem of a field, named by the column or member that has it."""
        source = self.sources.get(field)
        has_name = source is not None and "{" not in source.text
        name = json_path_part(source.text if source is not None and has_name else field)
        if place.column and name.startswith("@"):
            name = json_path_part(place.column)
        path = f"{place.path}.{name}" if place.path and not place.column else name
        self.collector.problems.add(place.file, place.line, path, message)


def _json_or_text(text: str) -> object:
    """The value that a text is as JSON; the text itself where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def is_of_value(recipe: FormatRecipe, fields: Collection[str] = ()) -> bool:
    """Whether a field of candidates, among these if any are named, is of the values of a record,
    not of the record."""
    placeholders = {
        name.partition(":")[0]
        for rule in recipe.values
        for pattern in rule.columns
        for name in pattern.names
    } - {""}
    if any(rule.rank is not None for rule in recipe.values):
        placeholders |= {"item1", "item2"}
    stars = max(sum(step.kind in ("[*]", "*") for step in steps) for steps in recipe.records)
    tokens = {"@value", "@column", "@label", *(f"@{number}" for number in range(stars + 1, 13))}
    return any(
        placeholders & set(source.names) or tokens & set(source.tokens)
        for name, source in recipe.fields.items()
        if not fields or name in fields
    )


def left_out_reason(recipe: FormatRecipe, place: Place) -> str:
    """Why a record is left out; "" for one that is read."""
    for rule in recipe.leave_out:
        value = rule.source.get(place)
        text = "" if value is None or value is MISSING else str(value).strip()
        if matches_any(rule.values, text):
            return rule.reason
    return ""
