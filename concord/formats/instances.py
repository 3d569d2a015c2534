"""Keys of instances and passages, and one shared record per distinct instance."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields, replace

from concord.formats.records import InstanceRecord

KEY_DIGITS = 32
"""Hexadecimal digits of a key: 128 bits, so that two texts never share one by chance."""


def _digest(value: object) -> str:
    # JSON keeps the parts apart whatever they hold; ASCII takes lone surrogates as well.
    return hashlib.sha256(json.dumps(value).encode("ascii")).hexdigest()[:KEY_DIGITS]


def instance_key(passage: str, question: str, references: Sequence[str]) -> str:
    """The key of an instance that its file does not name: a hash of its three parts.

    32 hexadecimal digits (SHA-256, cut). The order of the references counts.
    """
    return _digest([passage, question, list(references)])


def passage_key(passage: str) -> str:
    """A hash of a passage, for grouping by it: 32 hexadecimal digits; "" for an empty one."""
    return _digest(passage) if passage else ""


def pair_key(instance: InstanceRecord, candidate1: str, candidate2: str) -> str:
    """The key of a minimal pair that its file does not name: a hash of what it compares."""
    return _digest([instance.key, candidate1, candidate2])


class InstancePool:
    """Hands out one InstanceRecord per distinct instance, and one string per passage."""

    def __init__(self) -> None:
        self._by_key: dict[str, InstanceRecord] = {}
        self._hashes: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._passages: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def records(self) -> list[InstanceRecord]:
        return list(self._by_key.values())

    def name(self, name: str) -> str:
        """The one string object for a name that many records repeat."""
        return self._names.setdefault(name, name)

    def key_of(self, passage: str, question: str, references: tuple[str, ...]) -> str:
        """`instance_key`, computed once per distinct instance."""
        parts = (self._passages.setdefault(passage, passage), question, references)
        key = self._hashes.get(parts)
        if key is None:
            key = self._hashes[parts] = instance_key(*parts)
        return key

    def share(self, record: InstanceRecord) -> InstanceRecord:
        """The record held under `record.key`: this one when it is the first.

        The caller compares: the one held may differ from the one given (`differing`).
        """
        held = self._by_key.get(record.key)
        if held is not None:
            return held
        passage = self._passages.setdefault(record.passage, record.passage)
        if passage is not record.passage:
            record = replace(record, passage=passage)
        self._by_key[record.key] = record
        return record

    def share_apart(self, record: InstanceRecord) -> InstanceRecord:
        """As `share`, but a clash of splits or constituents makes a second instance.

        For files whose instances have no names: the same text may stand in two splits.
        """
        held = self.share(record)
        if held == record:
            return held
        marks = (record.constituent, record.split, record.category)
        return self.share(replace(record, key="@".join((record.key, *filter(None, marks)))))


def differing(held: InstanceRecord, given: InstanceRecord) -> list[str]:
    """Names of the fields that count in comparisons and differ between two records."""
    if held is given or held == given:
        return []
    names = [field.name for field in fields(InstanceRecord) if field.compare]
    return [name for name in names if getattr(held, name) != getattr(given, name)]
