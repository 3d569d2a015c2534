"""Packing candidates into HITs, and what goes into them: pure, seeded, the same every time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from concord.protocols import DropRules
from concord.protocols.quantities import both_numbers


@dataclass(frozen=True, slots=True)
class Packable:
    """What packing needs to know of a candidate. `cluster` names its passage.

    `apart` names what a worker may see one member of only: a minimal pair, or nothing ("").
    `seen_by` are the workers who had it before and cannot have it again.
    """

    key: int
    cluster: str
    wanted: int
    apart: str = ""
    seen_by: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PackedHit:
    """Keys of the candidates rated together, in order, and how many workers are wanted."""

    keys: tuple[int, ...]
    wanted: int


def pack(
    candidates: Sequence[Packable],
    most: int,
    rng: np.random.Generator,
    *,
    same_passage: bool = True,
) -> list[PackedHit]:
    """Cut candidates into HITs of at most `most`, of one passage and one number of ratings each.

    Those of a HIT were also seen by the same workers before, if by any: else the HIT would be out
    of reach to all who saw one of them, and a small team could leave it stranded. HITs of one kind
    differ in size by one at most, so that none is a remainder of one candidate where it could be
    avoided. The members of a pair lie in different HITs. The order of HITs is shuffled, so that a
    collection that stops early has seen every constituent. Candidates with `wanted` 0 are in no
    HIT. Raises ValueError when `most` is below 1.
    """
    if most < 1:
        raise ValueError(f"a HIT holds one candidate at least, not {most}")
    groups: dict[tuple[str, int, frozenset[int]], list[Packable]] = defaultdict(list)
    for candidate in candidates:
        if candidate.wanted > 0:
            cluster = candidate.cluster if same_passage else ""
            groups[cluster, candidate.wanted, candidate.seen_by].append(candidate)
    hits = []
    for (_, wanted, _), group in groups.items():
        for part in _parts(group, most):
            hits.append(PackedHit(tuple(c.key for c in part), wanted))
    return [hits[at] for at in rng.permutation(len(hits))]


def _parts(group: list[Packable], most: int) -> list[list[Packable]]:
    """The group in as few parts of even size as `most` and the pairs allow.

    Parts come in blocks, as many to a block as a pair has members, and all members of a pair lie
    in one block. So a part is out of reach to a worker only for another part of its own block, and
    workers twice as many as wanted can always rate everything, whatever the order they come in.
    """
    members: dict[str, list[Packable]] = defaultdict(list)
    for candidate in group:
        members[candidate.apart].append(candidate)
    pairs = [found for name, found in members.items() if name and len(found) > 1]
    width = max(map(len, pairs), default=1)
    blocks = -(-len(group) // (most * width))
    parts: list[list[Packable]] = [[] for _ in range(blocks * width)]
    for number, pair in enumerate(pairs):
        first = number % blocks * width
        for at, candidate in enumerate(pair):
            # In turn, so that the better members do not all lie in one part.
            parts[first + (at + number // blocks) % width].append(candidate)
    for candidate in group:
        if not candidate.apart or len(members[candidate.apart]) == 1:
            min(parts, key=len).append(candidate)
    return [part for part in parts if part]


def shuffled(count: int, seed: int) -> list[int]:
    """The order in which one worker sees a HIT's candidates: a permutation by the seed."""
    return [int(at) for at in np.random.default_rng(seed).permutation(count)]


def split_passages(
    clusters: Iterable[str], shares: Sequence[tuple[str, float]], rng: np.random.Generator
) -> dict[str, str]:
    """A split for each passage, so that all candidates of one passage are in one split.

    `shares` names the splits and what part of the passages each gets; the last takes what
    rounding leaves.
    """
    names = sorted(set(clusters))
    order = [names[at] for at in rng.permutation(len(names))]
    found: dict[str, str] = {}
    start, total = 0, 0.0
    for at, (split, share) in enumerate(shares):
        total += share
        stop = len(order) if at == len(shares) - 1 else round(total * len(order))
        found.update(dict.fromkeys(order[start:stop], split))
        start = stop
    return found


def drop_reason(
    candidate: str, references: Sequence[str], rules: DropRules, constituent: str = ""
) -> str:
    """Why a candidate is not rated; empty when it is. Compared without case and outer space."""
    text = folded(candidate)
    if rules.equal_to_reference and any(text == folded(r) for r in references):
        return "equal to a reference"
    names = [folded(name) for name in rules.number_constituents]
    if rules.number_against_number and (not names or folded(constituent) in names):
        units = rules.number_units
        if references and all(both_numbers(candidate, r, units=units) for r in references):
            return "a number against a number"
    return ""


def equals_a_reference(candidate: str, references: Sequence[str]) -> bool:
    """Whether the candidate is one of the references word for word (KPQA, Section 4.2)."""
    return any(folded(candidate) == folded(reference) for reference in references)


def folded(text: str) -> str:
    """The text without case and with single spaces, for comparing."""
    return " ".join(text.casefold().split())
