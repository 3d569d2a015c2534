"""The candidates of a recipe's records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from concord.documents.conversation import Conversation
from concord.formats.errors import quote
from concord.formats.instances import instance_key
from concord.formats.options import ReadOptions
from concord.formats.recipes.instances import CANDIDATE_NAMES, InstanceReader
from concord.formats.recipes.numbers import Raw
from concord.formats.recipes.paths import Place, column_of
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.recipes.rows import CellRows, Rows, each_at
from concord.formats.records import CandidateRecord, InstanceRecord, KeyRecord, Span
from concord.formats.tables import Codes


@dataclass(slots=True)
class CandidateDraft:
    """A candidate while its records are read. position: of its first record. number: among the
    candidates. records: how many it has."""

    key: str
    instance: InstanceRecord
    text: str
    system: str
    position: Place
    number: int = 0
    records: int = 0
    scores: dict[str, Raw] = field(default_factory=dict)
    marks: dict[str, list[Span]] = field(default_factory=dict)
    test_key: KeyRecord | None = None


class CandidateReader:
    """Reads candidates, each once. drafts: by their numbers."""

    instances: InstanceReader

    def __init__(
        self,
        recipe: FormatRecipe,
        options: ReadOptions,
        texts: Mapping[str, CandidateRecord] | None,
    ) -> None:
        self.recipe, self.options, self.texts = recipe, options, texts
        self.drafts: list[CandidateDraft] = []
        self._by_key: dict[str, CandidateDraft] = {}
        self._by_texts: dict[Any, CandidateDraft] = {}

    def begin(self, instances: InstanceReader) -> None:
        """Begin with a file."""
        self.instances, self.collector = instances, instances.collector
        file = instances.file
        self._prefix = self.options.row_prefix or file.row_prefix
        self._position = file.place({}) if file.is_table else None  # of all, without their lines
        self._known = len(self.drafts)

    def read(self, rows: Rows) -> Codes:
        """The number of the candidate of each row; -1 for those with a problem, whose values are
        read for theirs."""
        read, recipe = self.instances, self.recipe
        if recipe.rows_are_ratings:
            sources = [*read.sources.values()]
            sources += [recipe.messages.source] if recipe.messages else []
            codes, first = rows.distinct(sources)
        else:
            codes = first = each_at(rows)
        rows = rows.at(first)
        conversations: Sequence[Conversation | None] = [None] * rows.size
        if recipe.messages is None:
            texts = self._texts(rows, "candidate", read.text, read.are_texts)
        else:
            answered = [read.answered(place) for place in rows.places(each_at(rows))]
            conversations, texts = [one for one, _ in answered], [text for _, text in answered]
        names = [self._texts(rows, name, read.short) for name in CANDIDATE_NAMES]
        problems = self.collector.problems
        faulty = problems.faulty_rows
        of_instance = distinct = each_at(rows)
        if isinstance(rows, CellRows):
            of_instance, distinct = rows.distinct(read.of_instance)
        places = list(rows.places(distinct, read.of_instance))
        drafts = np.full(rows.size, -1)
        every = zip(of_instance.tolist(), rows.numbers.tolist(), texts, zip(*names, strict=True),
                    conversations, strict=True)  # fmt: skip
        for at, (place_at, number, text, own_names, conversation) in enumerate(every):
            problems.row, known = number, problems.total
            key, instance = self._instance(places[place_at], number, text, own_names, conversation)
            if instance is None or number in faulty or problems.total > known:
                continue
            draft = self._draft(places[place_at], number, text, own_names[0], key, instance)
            if draft is not None:
                drafts[at] = draft.number
        problems.row = 0
        return drafts[codes]

    def name_systems(self, systems: Sequence[str], file: str) -> None:
        """Name the systems of the candidates of a file, of which each has an equal part."""
        drafts, problems = self.drafts[self._known :], self.collector.problems
        part, rest = divmod(len(drafts), len(systems))
        if rest:
            message = f"{len(drafts):,} rows cannot be divided into {len(systems)} equal parts"
            problems.add(file, None, "systems", message)
        if len(set(systems)) < len(systems) or "" in systems:
            problems.add(file, None, "systems", "the names must differ and not be empty")
        for at, draft in enumerate(drafts if not rest else ()):
            draft.system = self.collector.pool.name(systems[at // part])

    def _texts(
        self,
        rows: Rows,
        field: str,
        read: Callable[[str, Place], str],
        are_read: Callable[[Sequence[Any]], bool] = lambda cells: False,
    ) -> list[str]:
        """What a function reads of a field in each row. are_read: whether these are the cells."""
        source = self.instances.sources.get(field)
        if source is None:
            return [""] * rows.size
        if not isinstance(rows, CellRows):
            return [read(field, place) for place in rows.places(each_at(rows))]
        name = column_of(source, rows.file.header)
        if name is not None and are_read(rows.table.cells[name]):
            codes, values = rows.table.codes[name], [str(one) for one in rows.table.cells[name]]
        else:
            codes, first = rows.distinct([source])
            values = [read(field, place) for place in rows.places(first, [source])]
        return list(map(values.__getitem__, codes.tolist()))

    def _instance(
        self,
        place: Place,
        number: int,
        text: str,
        names: Sequence[str],
        conversation: Conversation | None,
    ) -> tuple[str, InstanceRecord | None]:
        """The key of a candidate with a text and CANDIDATE_NAMES, "" without one, and its instance;
        None with a problem."""
        read, (system, key, name) = self.instances, names
        is_rating = self.recipe.rows_are_ratings
        if not key and is_rating and name and (system or "candidate" not in read.sources):
            key = f"{name}/{system}" if system else name
        # Without any text of an instance, each candidate has one of its own.
        instance = read.instance(
            place,
            conversation,
            lambda: (
                key or (instance_key("", text, ()) if is_rating else f"{self._prefix}row-{number}")
            ),
        )
        return key, instance

    def _draft(
        self,
        place: Place,
        number: int,
        text: str,
        system: str,
        key: str,
        instance: InstanceRecord,
    ) -> CandidateDraft | None:
        """The candidate of a record; None with a problem."""
        read, recipe = self.instances, self.recipe
        row, is_rating = f"{self._prefix}row-{number}", recipe.rows_are_ratings
        if recipe.texts and not read.names_values:
            key = f"{key or row}/{place.column}"
        if self.texts is not None:
            if (other := self.texts.get(key)) is None:
                read.file.fault(place, f"the file of texts has no {quote(key)}")
                return None
            text, system = other.text, system or other.system
            instance = self.collector.pool.share(other.instance)
        position = self._position
        if position is None or place.line is not None:  # without the texts of the record
            position = Place(place.file, place.line, number, (), place.path, column=place.column)
        name = self.collector.pool.name(system)
        draft = CandidateDraft(key or row, instance, text, name, position)
        if recipe.keys is not None:
            draft.test_key = KeyRecord(read.answers(place), place.line)
        if not key and is_rating:
            same_texts = self._by_texts.setdefault((instance.key, system, text), draft)
            return self._add(draft) if same_texts is draft else same_texts
        earlier = self._by_key.get(draft.key)
        if earlier is None or not is_rating:
            return self._add(draft)
        same = (earlier.text, earlier.system, earlier.instance.key)
        if same == (draft.text, draft.system, draft.instance.key):
            return earlier
        at = f"line {earlier.position.line}" if earlier.position.line else "an earlier record"
        what = next(
            name
            for name, one, other in zip(
                ("text", "system", "instance"), same, (text, system, instance.key), strict=True
            )
            if one != other
        )
        message = f"the candidate {quote(draft.key)} has another {what} on {at}"
        if what != "instance" and "instance" not in recipe.fields:
            message += "; if its id names the item, assign that column as the instance"
        read.file.fault(place, message)
        return None

    def _add(self, draft: CandidateDraft) -> CandidateDraft:
        draft.number = len(self.drafts)
        self.drafts.append(draft)
        self._by_key.setdefault(draft.key, draft)  # `add_candidate` reports another one
        return draft
