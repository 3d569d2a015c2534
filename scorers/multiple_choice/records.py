"""The records of multiple-choice sets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question about a passage, with its right and its wrong answers in the file's order.

    `several` means that the set allows more than one right answer. `group` names the passage; a
    split never divides a group.
    """

    passage: str
    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    group: str
    several: bool = False
