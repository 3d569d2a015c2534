"""What a reader of a multiple-choice set gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question to a passage, its right answers and its wrong ones, in the file's order.

    `several` says that the set allows more than one right answer. `group` names the passage: a
    split never divides one.
    """

    passage: str
    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    group: str
    several: bool = False
