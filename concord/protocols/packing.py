"""Packing of candidates into HITs, splits of passages, and rules for dropped candidates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from concord.protocols import DropRules

NUMBER = r"[-+]?[$£€]?\d[\d,]*(?:\.\d+)?%?"
MAGNITUDE = r"(?:[\s-]+(?:hundred|thousand|million|billion|trillion))?"
WORD = r"[^\W\d_]+"
BARE = re.compile(NUMBER)
# A number, and up to two words of a unit: "24 yards", "24-yard", "3.5 million square miles".
WITH_UNIT = re.compile(
    rf"{NUMBER}{MAGNITUDE}(?:[\s-]+(?P<unit>{WORD}(?:[\s-]+{WORD})?))?", re.IGNORECASE
)


def both_numbers(first: str, second: str, *, units: bool = False) -> bool:
    """Whether both texts are numbers (MOCHA, Section 2.2), ignoring outer white space.

    With `units` a number may have a unit. Two units must be the same, in singular or plural, so
    that "2 dogs" and "2 cats" do not count as numbers.
    """
    pattern = WITH_UNIT if units else BARE
    matches = [pattern.fullmatch(text.strip()) for text in (first, second)]
    if matches[0] is None or matches[1] is None:
        return False
    if not units:
        return True
    unit_names = {unit for match in matches if match and (unit := _unit(match["unit"]))}
    return len(unit_names) <= 1


def _unit(words: str | None) -> str:
    """The unit in lower case and in the singular; "" without one."""
    return " ".join(
        word.removesuffix("s") for word in re.split(r"[\s-]+", (words or "").casefold()) if word
    )


@dataclass(frozen=True, slots=True)
class PackingCandidate:
    """A candidate to pack. `cluster` names its passage, `wanted` is the number of ratings.

    `apart` names its minimal pair, or is "": a worker may see only one member of a pair.
    `seen_by`: workers who had the candidate before and cannot get it again.
    """

    key: int
    cluster: str
    wanted: int
    apart: str = ""
    seen_by: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PackedHit:
    """Keys of the candidates of a HIT, in order, and the number of workers."""

    keys: tuple[int, ...]
    wanted: int


def pack_hits(
    candidates: Sequence[PackingCandidate],
    max_candidates: int,
    rng: np.random.Generator,
    *,
    same_passage: bool = True,
) -> list[PackedHit]:
    """Pack candidates into HITs of at most `max_candidates`.

    The candidates of a HIT have the same passage (unless `same_passage` is False), the same number
    of wanted ratings and the same `seen_by`; otherwise nobody who saw one of them could take the
    HIT. HITs of the same kind differ in size by at most one. The members of a pair are in
    different HITs. The order of HITs is shuffled, so that a collection that stops early covers all
    constituents. Candidates with `wanted` 0 are in no HIT. Raises ValueError where
    `max_candidates` is below 1.
    """
    if max_candidates < 1:
        raise ValueError(f"max_candidates must be 1 or more, not {max_candidates}")
    groups: dict[tuple[str, int, frozenset[int]], list[PackingCandidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.wanted > 0:
            cluster = candidate.cluster if same_passage else ""
            groups[cluster, candidate.wanted, candidate.seen_by].append(candidate)
    hits = []
    for (_, wanted, _), group in groups.items():
        for part in _parts(group, max_candidates):
            hits.append(PackedHit(tuple(c.key for c in part), wanted))
    return [hits[index] for index in rng.permutation(len(hits))]


def _parts(group: list[PackingCandidate], max_candidates: int) -> list[list[PackingCandidate]]:
    """Divide the group into as few parts of even size as `max_candidates` and the pairs allow.

    A block has as many parts as a pair has members, and all members of a pair are in one block.
    So a worker who rated a part is excluded only from the other parts of its block, and twice as
    many workers as wanted can always rate everything, in any order.
    """
    members: dict[str, list[PackingCandidate]] = defaultdict(list)
    for candidate in group:
        members[candidate.apart].append(candidate)
    pairs = [pair for name, pair in members.items() if name and len(pair) > 1]
    width = max(map(len, pairs), default=1)
    blocks = -(-len(group) // (max_candidates * width))
    parts: list[list[PackingCandidate]] = [[] for _ in range(blocks * width)]
    for number, pair in enumerate(pairs):
        first = number % blocks * width
        for index, candidate in enumerate(pair):
            # Alternate, so that the better members are not all in one part.
            parts[first + (index + number // blocks) % width].append(candidate)
    for candidate in group:
        if not candidate.apart or len(members[candidate.apart]) == 1:
            min(parts, key=len).append(candidate)
    return [part for part in parts if part]


def presentation_order(count: int, seed: int) -> list[int]:
    """The order in which a worker sees the candidates of a HIT: a permutation by the seed."""
    return [int(index) for index in np.random.default_rng(seed).permutation(count)]


def assign_splits(
    clusters: Iterable[str], shares: Sequence[tuple[str, float]], rng: np.random.Generator
) -> dict[str, str]:
    """Assign a split to each passage.

    `shares` are (split, share of the passages); the last split gets the rest after rounding.
    """
    names = sorted(set(clusters))
    order = [names[index] for index in rng.permutation(len(names))]
    split_of: dict[str, str] = {}
    start, total = 0, 0.0
    for index, (split, share) in enumerate(shares):
        total += share
        stop = len(order) if index == len(shares) - 1 else round(total * len(order))
        split_of.update(dict.fromkeys(order[start:stop], split))
        start = stop
    return split_of


def drop_reason(
    candidate: str, references: Sequence[str], rules: DropRules, constituent: str = ""
) -> str:
    """Why a candidate is not rated; "" if it is. Case and outer white space are ignored."""
    text = fold_text(candidate)
    if rules.equal_to_reference and any(text == fold_text(r) for r in references):
        return "equal to a reference"
    names = [fold_text(name) for name in rules.number_constituents]
    if rules.number_against_number and (not names or fold_text(constituent) in names):
        units = rules.number_units
        if references and all(both_numbers(candidate, r, units=units) for r in references):
            return "a number against a number"
    return ""


def equals_reference(candidate: str, references: Sequence[str]) -> bool:
    """Whether the candidate is identical to a reference (KPQA, Section 4.2)."""
    return any(fold_text(candidate) == fold_text(reference) for reference in references)


def fold_text(text: str) -> str:
    """The text in case-folded form with single spaces, for comparisons."""
    return " ".join(text.casefold().split())
