"""Criteria: what raters are asked about a candidate beyond the protocol's main question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from concord.bounds import Text, choice, flag, items, number, text
from concord.formats.numbers import read_whole_number

CriterionKind = Literal["scale", "slider", "choice", "choices", "yes-no", "text", "spans", "worst"]
Severity = Literal["minor", "major", "critical"]
Relation = Literal["below", "above", "equal"]

CRITERION_KINDS: tuple[CriterionKind, ...] = get_args(CriterionKind)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
NUMERIC: tuple[CriterionKind, ...] = ("scale", "slider")
YES, NO = "yes", "no"
MAX_CRITERIA = 12
QUESTION_CHARS = 2_000
NAME_CHARS = 60
MAX_POINTS = 11
# The fields that only some kinds have.
FIELDS_OF_KINDS: dict[str, tuple[CriterionKind, ...]] = {
    "points": NUMERIC,
    "options": ("choice", "choices"),
    "severities": ("spans",),
    "categories": ("spans",),
    "key_tolerance": NUMERIC,
    "key_f1": ("spans",),
}
OPTIONAL_FIELDS = ("categories", "key_tolerance", "key_f1")
MAX_KEY_TOLERANCE = 1000
DEFAULT_KEY_F1 = 0.5


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """One point of the scale: its value and what it means."""

    value: int = field(metadata=number(-1000, 1000))
    label: str = field(metadata=text(80, required="needs a label"))


@dataclass(frozen=True, slots=True)
class Condition:
    """When a criterion is asked: the answer to an earlier question is `relation` `value`.

    criterion: the name of an earlier criterion; "": the main question. relation: "below" and
    "above" only for numbers; "equal" on "choices" means that the option is among those chosen.
    value: a number, an option, "yes" or "no", as text. Without an answer to the earlier question
    the criterion is not asked.
    """

    value: str = field(metadata=text(200, required="needs a value to compare with", label="value"))
    criterion: str = field(
        default="",
        metadata=text(
            NAME_CHARS,
            label="asked only if the answer to criterion",
            help="The name of an earlier criterion; empty: the question.",
        ),
    )
    relation: Relation = field(
        default="equal",
        metadata=choice(
            {"below": "is below", "above": "is above", "equal": "is"}, label="relation"
        ),
    )


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that raters are asked about a candidate beside the main question.

    points: of a "scale" its points, consecutive and lowest first; of a "slider" the labelled marks,
        of which the first and last are its ends. A slider takes the whole numbers between them.
    options: what a "choice" (one) or "choices" (any number) offers.
    A "worst" is the worst candidate of a set; the main question is about the best.
    severities, categories: what a marked part of the candidate can be. With categories, each part
        has one.
    required: whether an answer is needed where the criterion is asked. "choices" may be empty
        only where it is not required.
    condition: when it is asked; None: always.
    above: whether it is asked above the main question, such as marks before a score.
    key_tolerance: of a scale or slider, how far a right answer may be from the key of a test item
        or hidden check.
    key_f1: of spans, the least character F1 of a right answer with the key; None: DEFAULT_KEY_F1.
    """

    name: str = field(metadata=text(NAME_CHARS, required="needs a name", label="name"))
    question: str = field(
        metadata=text(QUESTION_CHARS, required="needs a question", label="question")
    )
    kind: CriterionKind = field(
        default="scale",
        metadata=choice(
            {
                "scale": "Scale with labelled points",
                "slider": "Slider",
                "choice": "One of several options",
                "choices": "Any of several options",
                "yes-no": "Yes or no",
                "text": "Free text",
                "spans": "Marked parts of the answer",
                "worst": "Worst of a set",
            },
            label="answer",
        ),
    )
    points: tuple[ScalePoint, ...] = field(
        default=(), metadata=items(MAX_POINTS, unit="points", help="Of a scale or slider.")
    )
    options: tuple[str, ...] = field(
        default=(),
        metadata=items(
            20,
            unit="options",
            each=Text(200, required="must not be empty"),
            help="Of a choice or choices.",
        ),
    )
    severities: tuple[Severity, ...] = field(
        default=(), metadata=items(len(SEVERITIES), unit="severities", help="Of spans.")
    )
    categories: tuple[str, ...] = field(
        default=(),
        metadata=items(
            60,
            unit="categories",
            each=Text(200, required="must not be empty"),
            help="Of spans; may be empty.",
        ),
    )
    required: bool = field(default=True, metadata=flag(label="an answer is required"))
    condition: Condition | None = None
    above: bool = field(default=False, metadata=flag(label="asked above the scale"))
    key_tolerance: int = field(
        default=0,
        metadata=number(
            0,
            MAX_KEY_TOLERANCE,
            label="tolerance of test items",
            help="How far a right answer to a test item or hidden check may be from the correct "
            "one, on a scale or slider.",
        ),
    )
    key_f1: float | None = field(
        default=None,
        metadata=number(
            0,
            1,
            above=True,
            label="least character F1 of test items",
            help="Of right spans, in a test item or hidden check, with the correct ones. Null or "
            f"empty: {DEFAULT_KEY_F1:g}.",
        ),
    )

    @property
    def low(self) -> int:
        """The lowest value of a scale or slider."""
        return self.points[0].value

    @property
    def high(self) -> int:
        """The highest value of a scale or slider."""
        return self.points[-1].value


def are_consecutive(points: Sequence[ScalePoint]) -> bool:
    """Whether the values are consecutive whole numbers, lowest first."""
    start = points[0].value
    return [point.value for point in points] == list(range(start, start + len(points)))


def are_ascending(points: Sequence[ScalePoint]) -> bool:
    """Whether the values are different, lowest first."""
    values = [point.value for point in points]
    return values == sorted(set(values))


def criteria_problems(
    scale: Sequence[ScalePoint], criteria: Sequence[Criterion]
) -> Iterator[tuple[str, str]]:
    """(path, message) of each problem across the fields of criteria that are within their bounds.

    scale: the points of the main question.
    """
    main = Criterion("", "", "scale", tuple(scale))
    earlier = {"": main}
    for index, criterion in enumerate(criteria):
        path = f"criteria.{index}"
        if criterion.name in earlier:
            yield f"{path}.name", "is the name of another criterion"
        for name, problem in _part_problems(criterion):
            yield f"{path}.{name}", problem
        if criterion.condition is not None:
            for name, problem in _condition_problems(criterion.condition, earlier):
                yield f"{path}.condition.{name}", problem
        earlier.setdefault(criterion.name, criterion)


def _part_problems(criterion: Criterion) -> Iterator[tuple[str, str]]:
    for name, kinds in FIELDS_OF_KINDS.items():
        is_given = bool(getattr(criterion, name))
        if is_given and criterion.kind not in kinds:
            yield name, f"are only for the kinds {' and '.join(kinds)}"
        elif not is_given and criterion.kind in kinds and name not in OPTIONAL_FIELDS:
            yield name, f"are needed for the kind {criterion.kind}"
    if criterion.kind in NUMERIC and criterion.points:
        values = [point.value for point in criterion.points]
        if len(values) < 2:
            yield "points", "must be two or more"
        elif criterion.kind == "scale" and not are_consecutive(criterion.points):
            yield "points", "must be consecutive whole numbers, lowest first"
        elif not are_ascending(criterion.points):
            yield "points", "must be different, lowest first"
    if criterion.options and len(criterion.options) < 2:
        yield "options", "must be two or more"
    if [one for one in SEVERITIES if one in criterion.severities] != [*criterion.severities]:
        yield "severities", "must be different, in the order minor, major, critical"
    for name in ("options", "categories"):
        if len(set(getattr(criterion, name))) < len(getattr(criterion, name)):
            yield name, "must be different"


def _condition_problems(
    condition: Condition, earlier: dict[str, Criterion]
) -> Iterator[tuple[str, str]]:
    on = earlier.get(condition.criterion)
    if on is None:
        yield "criterion", "must be the name of an earlier criterion, or empty for the question"
    elif on.kind in ("text", "spans", "worst"):
        yield "criterion", "must not be a free text, spans or the worst candidate"
    elif on.kind in NUMERIC:
        value = whole_number(condition.value)
        if value is None or str(value) != condition.value or not _is_on(on.points, value):
            ends = f" from {on.low} to {on.high}" if on.points else ""
            yield "value", f"must be a whole number{ends}"
    elif condition.relation != "equal":
        yield "relation", f"must be equal for the kind {on.kind}"
    elif on.kind == "yes-no" and condition.value not in (YES, NO):
        yield "value", f"must be {YES} or {NO}"
    elif on.options and condition.value not in on.options:
        yield "value", "must be one of the options"


def _is_on(points: Sequence[ScalePoint], value: int) -> bool:
    """Whether a value is between the ends of a scale; True without points."""
    return not points or points[0].value <= value <= points[-1].value


def whole_number(value: str) -> int | None:
    """The whole number of at most nine digits that a text is; None for another text."""
    number = read_whole_number(value)
    return number if isinstance(number, int) and abs(number) < 10**9 else None
