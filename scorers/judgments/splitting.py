"""Splitting judgments into parts that share no passage."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from scorers.judgments.records import Judgment

Parts = tuple[list[Judgment], list[Judgment], list[Judgment]]


def split_judgments(
    judgments: Sequence[Judgment], dev: float, test: float = 0.0, seed: int = 1
) -> Parts:
    """Train, dev and test judgments by shares of the groups; no group is divided.

    The part of a group depends on its name and the seed alone, not on the order or on the other
    judgments. Raises ValueError when the shares leave no training data.
    """
    if min(dev, test) < 0 or dev + test >= 1:
        raise ValueError(
            f"the shares of dev and test must be 0 or above, with a sum below 1: {dev}, {test}"
        )
    parts: Parts = ([], [], [])
    for judgment in judgments:
        position = _group_position(judgment.group, seed)
        parts[2 if position < test else 1 if position < test + dev else 0].append(judgment)
    return parts


def is_in_share(group: str, share: float, seed: int) -> bool:
    """Whether a group belongs to a share of the groups, drawn by a seed."""
    return _group_position(group, seed) < share


def is_drawn(group: str, share: float, seed: int) -> bool:
    """Whether a group belongs to a share of the training groups, independent of the split."""
    return is_in_share(f"training\n{group}", share, seed)


def _group_position(group: str, seed: int) -> float:
    """A uniform pseudo-random number from 0 to 1 for a group."""
    key = f"{seed}\n{group}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest()) / 2**64
