"""Pairs for preference training: a prompt with the answer that people prefer and the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby

from concord.formats.records import CandidateRecord, InstanceRecord, PairRecord

Line = dict[str, object]


def preference_rows(pairs: Iterable[PairRecord]) -> Iterator[Line]:
    """Rows of id, prompt, chosen and rejected, with the systems where they are known.

    Of a pair with choices, `chosen` is what more people chose (a tie counts half for each), and
    `margin` the difference of the two shares, in (0, 1]. Of a pair with scores it is the candidate
    with the higher one, and `margin` the difference. Pairs without a preference are left out, and
    those with equal texts. The prompt is the passage, if any, a blank line, and the question.
    """
    for pair in pairs:
        margin = _margin(pair)
        if not margin or pair.candidate1 == pair.candidate2:
            continue
        texts, systems = (pair.candidate1, pair.candidate2), pair.systems
        if margin < 0:
            texts, systems = (texts[1], texts[0]), (systems[1], systems[0])
        row: Line = {
            "id": pair.key,
            "prompt": _prompt(pair.instance),
            "chosen": texts[0],
            "rejected": texts[1],
            "margin": abs(margin),
        }
        named = {"chosen_system": systems[0], "rejected_system": systems[1]}
        yield row | {name: value for name, value in named.items() if value}


def pairs_of_scores(
    candidates: Iterable[CandidateRecord], min_gap: float = 0.0
) -> Iterator[PairRecord]:
    """Every two judged candidates to one instance whose scores differ by `min_gap` or more, and by
    more than 0. Candidates of one instance follow one another."""
    for _, group in groupby(candidates, key=lambda one: one.instance.key):
        judged = [one for one in group if one.score is not None]
        yield from _pairs(judged, min_gap)


def _pairs(candidates: Sequence[CandidateRecord], min_gap: float) -> Iterator[PairRecord]:
    for first, second in combinations(candidates, 2):
        assert first.score is not None and second.score is not None
        gap = abs(first.score - second.score)
        if gap > 0 and gap >= min_gap:
            yield PairRecord(
                f"{first.key}, {second.key}",
                first.instance,
                first.text,
                first.score,
                second.text,
                second.score,
                systems=(first.system, second.system),
                candidate_keys=(first.key, second.key),
            )


def _margin(pair: PairRecord) -> float:
    """How much the first candidate is preferred; below 0 the second is."""
    if pair.choices:
        points = {1: 1, 2: -1, "tie": 0}
        return sum(points[one.choice] for one in pair.choices) / len(pair.choices)
    if pair.score1 is None or pair.score2 is None:
        return 0.0
    return pair.score1 - pair.score2


def _prompt(instance: InstanceRecord) -> str:
    return "\n\n".join(part for part in (instance.passage, instance.question_text) if part)
