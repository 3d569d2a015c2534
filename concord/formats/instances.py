"""Keys of instances and passages, and a pool of shared instance records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from concord.documents.conversation import Conversation
from concord.formats.records import InstanceRecord

KEY_DIGITS = 32
"""Hexadecimal digits of a key: 128 bits, so that two texts never have the same key."""


def _digest(value: object) -> str:
    # JSON separates the parts unambiguously, and its ASCII form can hold lone surrogates.
    return hashlib.sha256(json.dumps(value).encode("ascii")).hexdigest()[:KEY_DIGITS]


def instance_key(
    passage: str,
    question: str,
    references: Sequence[str],
    conversation: Conversation | None = None,
) -> str:
    """The key of an instance without a name in its file: a hash of its parts.

    32 hexadecimal digits of a SHA-256. The order of the references and of turns matters.
    """
    parts: list[object] = [passage, question, list(references)]
    return _digest(parts if conversation is None else [*parts, conversation_parts(conversation)])


def conversation_parts(conversation: Conversation) -> list[object]:
    """What is hashed of a conversation."""
    turns = [[turn["role"], turn["content"]] for turn in conversation["messages"]]
    return [conversation["judged"], turns]


def passage_key(passage: str) -> str:
    """A hash of a passage, to group by it: 32 hexadecimal digits, or "" for an empty passage."""
    return _digest(passage) if passage else ""


def pair_key(instance: InstanceRecord, candidate1: str, candidate2: str, set_key: str = "") -> str:
    """The key of a pair without an id: a hash of its instance, candidates and compared set."""
    return _digest([instance.key, candidate1, candidate2, *([set_key] if set_key else [])])


class InstancePool:
    """One shared InstanceRecord per distinct instance, and one shared string per passage."""

    def __init__(self) -> None:
        self._by_key: dict[str, InstanceRecord] = {}
        self._hashes: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._passages: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def records(self) -> list[InstanceRecord]:
        """All instances, in the order in which they were added."""
        return list(self._by_key.values())

    def name(self, name: str) -> str:
        """A shared string object for a name that occurs in many records."""
        return self._names.setdefault(name, name)

    def key_of(
        self,
        passage: str,
        question: str,
        references: tuple[str, ...],
        candidate: str = "",
        conversation: Conversation | None = None,
    ) -> str:
        """`instance_key`, computed once per distinct instance without a conversation.

        Where all three parts are empty, nothing says that two candidates answer one question: the
        key is that of the candidate, if there is one.
        """
        if conversation is not None:
            return instance_key(passage, question, references, conversation)
        if candidate and not (passage or question or references):
            return candidate
        parts = (self._passages.setdefault(passage, passage), question, references)
        key = self._hashes.get(parts)
        if key is None:
            key = self._hashes[parts] = instance_key(*parts)
        return key

    def restrict(self, records: Mapping[str, InstanceRecord]) -> None:
        """Have these instances only, by their keys."""
        self._by_key = dict(records)

    def share(self, record: InstanceRecord) -> InstanceRecord:
        """The first record that was shared under `record.key`.

        It may differ from `record`; the caller checks (`differing_fields`).
        """
        existing = self._by_key.get(record.key)
        if existing is not None:
            return existing
        passage = self._passages.setdefault(record.passage, record.passage)
        if passage is not record.passage:
            record = replace(record, passage=passage)
        self._by_key[record.key] = record
        return record

    def share_or_add(self, record: InstanceRecord) -> InstanceRecord:
        """As `share`, but another split, constituent or category makes a second instance.

        For files whose instances have no names: two splits may have the same text.
        """
        existing = self.share(record)
        if existing is record or existing == record:
            return existing
        labels = (record.constituent, record.split, record.category)
        return self.share(replace(record, key="@".join((record.key, *filter(None, labels)))))


def differing_fields(first: InstanceRecord, second: InstanceRecord) -> list[str]:
    """Names of the compared fields in which two records differ."""
    if first is second or first == second:
        return []
    names = [field.name for field in fields(InstanceRecord) if field.compare]
    differing = [name for name in names if getattr(first, name) != getattr(second, name)]
    if "conversation" not in differing:
        return differing
    return ["messages", *(one for one in differing if one not in ("conversation", "question"))]
