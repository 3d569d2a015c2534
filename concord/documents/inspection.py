"""The document of `concord inspect`: what was understood of a file."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class InspectionCounts(TypedDict):
    """Numbers of what a file holds.

    pairs: 0 for judgments. ratings: those of all criteria, or choices between the candidates of
    pairs. missing: places of ratings without a value, where a recipe reads them. ties: choices of
    neither candidate.
    """

    instances: int
    candidates: int
    pairs: int
    systems: int
    raters: int
    criteria: int
    ratings: int
    missing: int
    ties: int


class Inspection(TypedDict):
    """What was understood of a file.

    recipe: the recipe or format that it was read by; kind: "judgments" or "pairs". fits: the
    recipes in the box that fit it, the best first. near: those that nearly do, and why they do not.
    columns: what each column or member was taken for. missing_words: how many places of ratings
    have each word that says that a value is missing. values: the first twelve different ratings
    that are numbers, by criterion, "" for the score. unordered: the words without an order that
    ratings are, by criterion, "" for the score. left_out: counts by reason. first: the first
    three candidates or pairs, as lines of the format concord.
    """

    file: str
    recipe: str
    kind: str
    fits: list[str]
    near: dict[str, str]
    columns: dict[str, str]
    ignored: list[str]
    counts: InspectionCounts
    missing_words: dict[str, int]
    values: dict[str, list[float]]
    unordered: dict[str, list[str]]
    left_out: dict[str, int]
    notes: list[str]
    first: list[dict[str, Any]]
    ignored_more: NotRequired[int]
