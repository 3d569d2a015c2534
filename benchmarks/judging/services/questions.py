"""What a model judge asks: each question with its prompt, and how many tokens all need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from benchmarks.judging.models import SWAPPED, ModelJudge
from benchmarks.runs.models import Submission
from benchmarks.sets.services import frames, judged_pairs
from concord.judges.chat.client import most_tokens
from concord.judges.chat.probes import INPUT_PROBES
from concord.judges.chat.prompts import ShownPair
from concord.judges.chat.schemas import answer_schema
from concord.metrics import Item

BLOCK = 500


@dataclass(frozen=True)
class JudgeRequest:
    """A request's place among the answers: see `ModelAnswer`."""

    variant: str
    position: int
    repeat: int


@dataclass(frozen=True)
class Prompt:
    """candidate: the text that error marks are in; "" for a pair."""

    text: str
    candidate: str


def all_questions(judge: ModelJudge) -> Iterator[JudgeRequest]:
    """The questions of a judge: first those that give scores, then the probes."""
    positions = asked_positions(judge)
    variants = ("", SWAPPED) if judge.is_of_pairs else ("",)
    for repeat in range(judge.repeats):
        for variant in variants:
            yield from (JudgeRequest(variant, position, repeat) for position in positions)
    for probe in judge.probes:
        yield from (JudgeRequest(probe, position, 0) for position in positions)


def asked_positions(judge: ModelJudge) -> list[int]:
    """The positions of the pairs, or of the candidates that are not of the train split."""
    judgment_set = judge.judgment_set
    if judge.judged == Submission.Judged.JUDGED_PAIRS:
        return list(range(judgment_set.judged_pairs.count()))
    if judge.is_of_pairs:
        return list(range(judgment_set.n_pairs))
    if not judge.shots:
        return list(range(judgment_set.n_candidates))
    splits = frames.frame(judgment_set).labels["split"]
    positions: list[int] = np.flatnonzero(splits != judge.train_split).tolist()
    return positions


def missing_questions(judge: ModelJudge) -> list[JudgeRequest]:
    """Those without a stored answer."""
    stored = set(judge.answers.values_list("variant", "position", "repeat"))
    return [
        one for one in all_questions(judge) if (one.variant, one.position, one.repeat) not in stored
    ]


def prompts(judge: ModelJudge, questions: Sequence[JudgeRequest]) -> dict[JudgeRequest, Prompt]:
    """The prompt of each question. Repeats share one."""
    keys = sorted({(one.variant, one.position) for one in questions})
    shown = dict(zip(keys, _shown(judge, keys), strict=True))
    template, by_key = judge.parsed_template, {}
    for key, item in shown.items():
        text = template.render(item, judge.low, judge.high)
        by_key[key] = Prompt(text, item.candidate if isinstance(item, Item) else "")
    return {one: by_key[one.variant, one.position] for one in questions}


def count_tokens(judge: ModelJudge, questions: Iterable[JudgeRequest]) -> tuple[int, int]:
    """(number of questions, the most tokens that their prompts can have).

    Raises ValueError for a scale that is too long for answers by JSON schema.
    """
    template = judge.parsed_template
    schema = answer_schema(template, judge.low, judge.high) if judge.json_schema else None
    counts = Counter((one.variant, one.position) for one in questions)
    total = 0
    for block in _blocks(counts, BLOCK):
        once = [JudgeRequest(variant, position, 0) for variant, position in block]
        for question, prompt in prompts(judge, once).items():
            tokens, _ = most_tokens(prompt.text, 0, schema)
            total += tokens * counts[question.variant, question.position]
    return sum(counts.values()), total


def _shown(judge: ModelJudge, keys: Sequence[tuple[str, int]]) -> Iterator[Item | ShownPair]:
    """What the judge sees of each (variant, position)."""
    judgment_set = judge.judgment_set
    if not judge.is_of_pairs:
        items = frames.items(judgment_set, [position for _, position in keys])
        for (variant, _), item in zip(keys, items, strict=True):
            yield INPUT_PROBES[variant].change(item, judge.high) if variant else item
        return
    members = _members(judge, [position for _, position in keys])
    both = [frames.items(judgment_set, [pair[side] for pair in members]) for side in (0, 1)]
    for (variant, _), one, other in zip(keys, *both, strict=True):
        texts = one.candidate, other.candidate
        first, second = texts[::-1] if variant else texts
        yield ShownPair(
            one.question, one.passage, tuple(one.references), first, second, one.conversation
        )


def _members(judge: ModelJudge, positions: Sequence[int]) -> list[tuple[int, int]]:
    """The items of the pairs at these positions; of a minimal pair, the better one first."""
    judgment_set = judge.judgment_set
    if judge.judged == Submission.Judged.JUDGED_PAIRS:
        members = judged_pairs.members(judgment_set)
        return [members[position] for position in positions]
    # The members of the minimal pairs follow the candidates.
    first = [judgment_set.n_candidates + 2 * position for position in positions]
    return [(index, index + 1) for index in first]


def _blocks(keys: Iterable[tuple[str, int]], size: int) -> Iterator[list[tuple[str, int]]]:
    iterator = iter(sorted(keys))
    while block := list(islice(iterator, size)):
        yield block
