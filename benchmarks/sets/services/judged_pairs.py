"""Pairs that people judged: linked to the candidates of a set, written and loaded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.sets.models import Candidate, JudgedPair, JudgmentSet, PairChoice
from benchmarks.sets.models.judged_pairs import TIE
from benchmarks.sets.services.copying import BLOCK, copy_rows, new_ids
from concord.formats.instances import differing_fields
from concord.formats.records import (
    CandidateRecord,
    Choice,
    ChoiceRecord,
    InstanceRecord,
    PairRecord,
)
from core.refusals import RefusedError

KEY_DIGITS = 32


def link(
    candidates: Sequence[CandidateRecord], pairs: Sequence[PairRecord]
) -> tuple[list[CandidateRecord], list[PairRecord]]:
    """The candidates with those that only the pairs have, and the pairs with their keys.

    A pair's candidate is the one with the key that the pair names, else one with the same text by
    the same system to the same instance, else a new one, whose key is a hash of these. Raises
    RefusedError where a pair contradicts its candidate or instance.
    """
    linked = _Candidates(candidates)
    linked_pairs = []
    for pair in pairs:
        scores = pair.score1, pair.score2
        first, second = (
            linked.find(pair, key, system, text, score)
            for key, system, text, score in zip(
                pair.candidate_keys,
                pair.systems,
                (pair.candidate1, pair.candidate2),
                scores,
                strict=True,
            )
        )
        if first.key == second.key:
            raise RefusedError(
                f"Pair '{pair.key}' has the candidate '{first.key}' twice.", "import-refused"
            )
        linked_pairs.append(
            replace(
                pair,
                instance=first.instance,
                score1=first.score,
                score2=second.score,
                systems=(first.system, second.system),
                candidate_keys=(first.key, second.key),
            )
        )
    return linked.candidates, linked_pairs


class _Candidates:
    def __init__(self, candidates: Sequence[CandidateRecord]) -> None:
        self.candidates = list(candidates)
        self._by_key = {one.key: one for one in candidates}
        self._by_text = {(c.instance.key, c.system, c.text): c for c in reversed(candidates)}
        self._instances = {one.instance.key: one.instance for one in candidates}

    def find(
        self, pair: PairRecord, key: str, system: str, text: str, score: float | None
    ) -> CandidateRecord:
        instance = self._instance(pair)
        parts = (instance.key, system, text)
        if not key and (same := self._by_text.get(parts)) is not None:
            key = same.key
        key = key or _key(*parts)
        existing = self._by_key.get(key)
        if existing is None:
            candidate = CandidateRecord(key, instance, text, system, score)
            self.candidates.append(candidate)
            self._by_key[key] = self._by_text[parts] = candidate
            return candidate
        wrong = [
            name
            for name, differs in (
                ("text", existing.text != text),
                ("instance", existing.instance.key != instance.key),
                ("system", bool(system) and existing.system != system),
                ("score", score is not None and existing.score != score),
            )
            if differs
        ]
        if wrong:
            raise RefusedError(
                f"Pair '{pair.key}': its candidate '{key}' has another {', another '.join(wrong)} "
                "in the set.",
                "import-refused",
            )
        return existing

    def _instance(self, pair: PairRecord) -> InstanceRecord:
        existing = self._instances.setdefault(pair.instance.key, pair.instance)
        if names := differing_fields(existing, pair.instance):
            raise RefusedError(
                f"Pair '{pair.key}': its instance '{existing.key}' has another "
                f"{', another '.join(names)} in the set.",
                "import-refused",
            )
        return existing


def _key(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:KEY_DIGITS]


def store(
    judgment_set: JudgmentSet, candidate_ids: dict[str, int], pairs: Sequence[PairRecord]
) -> None:
    """Write linked pairs with their choices. candidate_ids: primary keys by candidates' keys."""
    pair_ids = new_ids(JudgedPair, len(pairs))
    copy_rows(
        JudgedPair,
        (
            (
                pk,
                judgment_set.pk,
                position,
                pair.key,
                *(candidate_ids[key] for key in pair.candidate_keys),
                pair.phenomenon,
                pair.set_key,
            )
            for position, (pk, pair) in enumerate(zip(pair_ids, pairs, strict=True))
        ),
    )
    choice_ids = iter(new_ids(PairChoice, sum(len(pair.choices) for pair in pairs)))
    copy_rows(
        PairChoice,
        (
            (
                next(choice_ids),
                pk,
                position,
                one.worker,
                one.group,
                TIE if one.choice == "tie" else one.choice,
                one.first_shown,
                one.is_hard,
                one.simulated,
                one.is_both_bad,
            )
            for pk, pair in zip(pair_ids, pairs, strict=True)
            for position, one in enumerate(pair.choices)
        ),
    )


def members(judgment_set: JudgmentSet) -> list[tuple[int, int]]:
    """The positions of the candidates of each judged pair, by the pair's position."""
    rows = judgment_set.judged_pairs.order_by("position")
    return list(rows.values_list("candidate1__position", "candidate2__position"))


def load(judgment_set: JudgmentSet) -> Iterator[PairRecord]:
    """The judged pairs of a set by position, with their candidates' systems and scores."""
    pairs = judgment_set.judged_pairs.select_related("candidate1__instance", "candidate2")
    for pair in pairs.prefetch_related("choices").iterator(chunk_size=BLOCK):
        both: tuple[Candidate, Candidate] = (pair.candidate1, pair.candidate2)
        yield PairRecord(
            pair.key,
            InstanceRecord.from_row(both[0].instance),
            both[0].text,
            both[0].gold,
            both[1].text,
            both[1].gold,
            pair.phenomenon,
            (both[0].system, both[1].system),
            (both[0].key, both[1].key),
            tuple(_choice(one) for one in pair.choices.all()),
            pair.set_key,
        )


def choice_of(stored: int) -> Choice:
    """The choice of a stored `PairChoice.choice`."""
    return "tie" if stored == TIE else 1 if stored == 1 else 2


def _choice(row: PairChoice) -> ChoiceRecord:
    return ChoiceRecord(
        row.worker,
        choice_of(row.choice),
        row.first_shown,
        row.group,
        row.simulated,
        row.is_hard,
        row.is_both_bad,
    )
