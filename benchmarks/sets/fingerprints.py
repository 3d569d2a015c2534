"""Hashes of a set's content and of an item's texts.

The content hash does not depend on worker names, because an export replaces them by pseudonyms: a
set that is exported and imported again has the same hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple

from concord.formats.choices import BOTH_BAD
from concord.formats.instances import conversation_parts
from concord.formats.records import (
    CandidateRecord,
    InstanceRecord,
    PairRecord,
    RatingRecord,
    WordScale,
)

KEY_BYTES = 16


def content_hash(
    candidates: Iterable[CandidateRecord],
    pairs: Iterable[PairRecord],
    scale: tuple[float, float] | None,
    judged: Iterable[PairRecord] = (),
) -> str:
    """SHA-256 (hex) of a judgment set's content. It does not depend on the order of the rows.

    judged: pairs that people judged, whose candidates are among `candidates`.
    """
    rows = [_row(c.key, c.instance, _judgment(c)) for c in candidates]
    rows += [_row(p.key, p.instance, _pair(p)) for p in pairs]
    rows += [_row(p.key, p.instance, _judged_pair(p)) for p in judged]
    digest = hashlib.sha256(json.dumps(_scale(scale)).encode())
    for row in sorted(rows):
        digest.update(row)
    return digest.hexdigest()


def text_key(candidate: str, references: Iterable[str]) -> bytes:
    """Hash (16 bytes) of a candidate and its references, which most metrics read."""
    return _digest([candidate, *references])


def context_key(candidate: str, instance: InstanceRecord) -> bytes:
    """Hash (16 bytes) of a candidate, its references, question, passage, short answer and turns.

    A short answer that is empty and a conversation that is none are left out, so that the hashes
    equal those of sets stored by older versions of Concord.
    """
    texts: list[object] = [instance.passage, instance.question, candidate, *instance.references]
    if instance.short_answer:
        texts.append({"short_answer": instance.short_answer})
    if instance.conversation is not None:
        texts.append({"conversation": conversation_parts(instance.conversation)})
    return _digest(texts)


def _digest(texts: Sequence[object]) -> bytes:
    # JSON separates the texts; surrogatepass encodes any string.
    encoded = json.dumps(texts, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=KEY_BYTES).digest()


def _row(key: str, instance: InstanceRecord, judgment: list[object]) -> bytes:
    fields = [
        key,
        instance.key,
        instance.passage,
        instance.question,
        list(instance.references),
        instance.short_answer,
        instance.constituent,
        instance.split,
        instance.category,
        judgment,
    ]
    if instance.conversation is not None:
        fields.append(conversation_parts(instance.conversation))
    encoded = json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hashlib.sha256(encoded).digest()


def _judgment(candidate: CandidateRecord) -> list[object]:
    """Criteria, marks and sampling are left out where there are none, so that the hashes equal
    those of sets stored by older versions of Concord."""
    fields: list[object] = ["candidate", candidate.text, candidate.system, candidate.score]
    fields.append(_ratings(candidate.ratings))
    if candidate.criteria:
        criteria = sorted(candidate.criteria, key=lambda one: one.name)
        fields.append({c.name: [_scale(c.scale), c.score, _ratings(c.ratings)] for c in criteria})
    if candidate.marks:
        marks = [[[astuple(s) for s in m.spans], m.group, m.simulated] for m in candidate.marks]
        fields.append(["marks", marks])
    if candidate.sampling is not None:
        fields.append(asdict(candidate.sampling))
    return fields


def _scale(scale: tuple[float, float] | None) -> object:
    return scale.to_json() if isinstance(scale, WordScale) else scale


def _ratings(ratings: Iterable[RatingRecord]) -> list[object]:
    return [[rating.value, rating.group, rating.simulated] for rating in ratings]


def _judged_pair(pair: PairRecord) -> list[object]:
    choices = [
        [BOTH_BAD if c.is_both_bad else c.choice, c.first_shown, c.is_hard, c.group, c.simulated]
        for c in pair.choices
    ]
    fields: list[object] = ["judged pair", *pair.candidate_keys, pair.phenomenon, choices]
    return [*fields, {"set": pair.set_key}] if pair.set_key else fields


def _pair(pair: PairRecord) -> list[object]:
    return [
        "pair",
        pair.candidate1,
        pair.score1,
        pair.candidate2,
        pair.score2,
        pair.phenomenon,
    ]
