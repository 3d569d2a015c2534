"""The protocol of a study. Money is in cents (of a US dollar), times in minutes or seconds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FEWEST_POINTS, MOST_POINTS = 2, 11
LABEL_CHARS = 80
TEXT_CHARS = 20_000
MOST_CANDIDATES_A_HIT = 50
MAX_DRAWN_QUESTIONS = 1_000_000
AGGREGATIONS = ("mean", "median", "trimmed", "z-mean", "dawid-skene", "mace")

Aggregation = Literal["mean", "median", "trimmed", "z-mean", "dawid-skene", "mace"]


class ProtocolError(ValueError):
    """A protocol that cannot be run. `problems` maps a field's path to a sentence for people."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name}: {text}" for name, text in self.problems.items()))


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """One point of the scale: its value and what it means."""

    value: int
    label: str


@dataclass(frozen=True, slots=True)
class Qualification:
    """A test before any rating. An answer passes within `tolerance` scale points of its key."""

    candidates: int = 10
    pass_share: float = 0.8
    tolerance: int = 0
    tries: int = 2


@dataclass(frozen=True, slots=True)
class Trial:
    """A small collection before the full one, to see agreement and mend the instructions.

    Where it is `counted`, its ratings belong to the gold, and the full collection asks only for
    what its candidates lack; else it stays apart from both.
    """

    candidates: int = 200
    ratings: int = 5
    counted: bool = True


@dataclass(frozen=True, slots=True)
class RatingRule:
    """How many ratings a candidate gets; the first rule that fits it counts.

    An empty `split` fits every split, `span_based` None every kind of constituent.
    """

    ratings: int
    split: str = ""
    span_based: bool | None = None


@dataclass(frozen=True, slots=True)
class HitRules:
    """How candidates are packed. Those of one HIT share a passage where `same_passage`."""

    most_candidates: int = 10
    same_passage: bool = True


@dataclass(frozen=True, slots=True)
class Pay:
    """Cents for a HIT of `most_candidates`; a smaller one pays pro rata, rounded up to a cent."""

    cents_a_full_hit: int = 40
    pro_rata: bool = True

    def cents(self, candidates: int, most_candidates: int) -> int:
        """Pay for a HIT of `candidates`, in cents."""
        if not self.pro_rata:
            return self.cents_a_full_hit
        return math.ceil(self.cents_a_full_hit * candidates / most_candidates)


@dataclass(frozen=True, slots=True)
class Requirements:
    """Whom a crowd platform should let in.

    approval_percent: the least approval rate; 0: any. Where `approval_above`, the rate must be
        higher than that.
    """

    approval_percent: int = 0
    approved_hits: int = 0
    locales: tuple[str, ...] = ()
    approval_above: bool = False


@dataclass(frozen=True, slots=True)
class DropRules:
    """Which candidates are not rated, as the papers left them out.

    equal_to_reference: a candidate that is one of its references word for word.
    question_when_equal: the whole question when a system gave a reference word for word (KPQA).
    number_against_number: candidate and reference both numbers (MOCHA).
    number_constituents: the constituents to which that applies (MOCHA: DROP), ignoring case;
        empty: all.
    number_units: a number may have a unit, as in "24 yards" against "31 yards".
    second_reference_below: a second reference whose token F1 with the first is below this is
        rated as a candidate of the system `reference-2` and is no reference then (MOCHA, on
        NarrativeQA); None: never.
    """

    equal_to_reference: bool = False
    question_when_equal: bool = False
    number_against_number: bool = False
    second_reference_below: float | None = None
    number_constituents: tuple[str, ...] = ()
    number_units: bool = False


@dataclass(frozen=True, slots=True)
class QualityRules:
    """Checks on raters while a study runs; they flag, and never withhold pay.

    `zscore_threshold` 0 means no filter; `at_most_removed` bounds what it takes of one candidate.
    The filter is a step of the ledger from the start where `zscore_from_start`; else the quality
    page offers it. The step can be undone either way.
    """

    gold_share: float = 0.0
    spot_check_share: float = 0.0
    fewest_seconds_a_rating: float = 0.0
    straight_line_length: int = 0
    zscore_threshold: float = 0.0
    at_most_removed: int = 5
    zscore_from_start: bool = False


@dataclass(frozen=True, slots=True)
class Protocol:
    """Everything a study asks of its raters. `validated()` says what is wrong with one.

    draw_questions: how many questions are rated, drawn at random from those uploaded; None: all.
    """

    scale: tuple[ScalePoint, ...]
    question: str
    instructions: str = ""
    examples: str = ""
    consent: str = ""
    qualification: Qualification | None = None
    trial: Trial | None = None
    rating_rules: tuple[RatingRule, ...] = (RatingRule(3),)
    hit: HitRules = field(default_factory=HitRules)
    pay: Pay = field(default_factory=Pay)
    time_limit_minutes: int = 60
    requirements: Requirements = field(default_factory=Requirements)
    drop: DropRules = field(default_factory=DropRules)
    quality: QualityRules = field(default_factory=QualityRules)
    aggregation: Aggregation = "mean"
    split_shares: tuple[tuple[str, float], ...] = ()
    draw_questions: int | None = None

    @property
    def low(self) -> int:
        return self.scale[0].value

    @property
    def high(self) -> int:
        return self.scale[-1].value

    @property
    def trial_counts(self) -> bool:
        """Whether a trial's ratings belong to the gold."""
        return self.trial is not None and self.trial.counted

    def ratings_for(self, split: str, *, span_based: bool) -> int:
        """Ratings wanted for a candidate of `split`; 0 when no rule fits it."""
        for rule in self.rating_rules:
            fits_split = not rule.split or rule.split == split
            if fits_split and rule.span_based in (None, span_based):
                return rule.ratings
        return 0

    def validated(self) -> Protocol:
        """This protocol, when it can be run; raises ProtocolError naming every fault."""
        problems = {**_scale_problems(self.scale), **_text_problems(self), **_rule_problems(self)}
        if problems:
            raise ProtocolError(problems)
        return self

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Protocol:
        """The protocol that `to_json` wrote. Raises ProtocolError for anything else."""
        try:
            return _from_json(cls, given).validated()
        except ProtocolError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ProtocolError({"protocol": f"not of the expected form ({error})"}) from error


def _from_json(cls: type[Protocol], given: Mapping[str, Any]) -> Protocol:
    parts = {
        "qualification": Qualification,
        "trial": Trial,
        "hit": HitRules,
        "pay": Pay,
        "drop": DropRules,
        "quality": QualityRules,
    }
    values: dict[str, Any] = dict(given)
    if "drop" in given:
        names = list(given["drop"].get("number_constituents", ()))
        values["drop"] = {**given["drop"], "number_constituents": tuple(names)}
    for name, part in parts.items():
        if values.get(name) is not None:
            values[name] = part(**values[name])
    values["scale"] = tuple(ScalePoint(**point) for point in given["scale"])
    values["rating_rules"] = tuple(RatingRule(**rule) for rule in given["rating_rules"])
    if "requirements" in given:
        required = dict(given["requirements"])
        required["locales"] = tuple(required.get("locales", ()))
        values["requirements"] = Requirements(**required)
    values["split_shares"] = tuple((str(n), float(s)) for n, s in given.get("split_shares", ()))
    return cls(**values)


def _scale_problems(scale: tuple[ScalePoint, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    if not FEWEST_POINTS <= len(scale) <= MOST_POINTS:
        found["scale"] = f"has {len(scale)} points; it needs {FEWEST_POINTS} to {MOST_POINTS}"
    values = [point.value for point in scale]
    if values != list(range(values[0], values[0] + len(values))) if values else True:
        found["scale"] = "its points must be whole numbers, one apart, lowest first"
    for point in scale:
        if not point.label.strip():
            found[f"scale.{point.value}"] = "needs a label"
        elif len(point.label) > LABEL_CHARS:
            found[f"scale.{point.value}"] = (
                f"its label has {len(point.label)} characters, more than {LABEL_CHARS}"
            )
    return found


def _text_problems(protocol: Protocol) -> dict[str, str]:
    found = {}
    if not protocol.question.strip():
        found["question"] = "say what raters are to judge"
    for name in ("question", "instructions", "examples", "consent"):
        if len(getattr(protocol, name)) > TEXT_CHARS:
            found[name] = f"is longer than {TEXT_CHARS:,} characters"
    return found


def _rule_problems(protocol: Protocol) -> dict[str, str]:
    test, quality, required = protocol.qualification, protocol.quality, protocol.requirements
    checks: list[tuple[str, bool, str]] = [
        ("rating_rules", bool(protocol.rating_rules), "say how many ratings a candidate gets"),
        (
            "rating_rules",
            all(1 <= rule.ratings <= 100 for rule in protocol.rating_rules),
            "a candidate gets 1 to 100 ratings",
        ),
        (
            "hit.most_candidates",
            1 <= protocol.hit.most_candidates <= MOST_CANDIDATES_A_HIT,
            f"a HIT holds 1 to {MOST_CANDIDATES_A_HIT} candidates",
        ),
        ("pay.cents_a_full_hit", protocol.pay.cents_a_full_hit >= 0, "pay cannot be negative"),
        (
            "time_limit_minutes",
            1 <= protocol.time_limit_minutes <= 7 * 24 * 60,
            "give raters one minute to one week",
        ),
        ("aggregation", protocol.aggregation in AGGREGATIONS, f"one of {', '.join(AGGREGATIONS)}"),
        ("quality.gold_share", 0 <= quality.gold_share <= 0.5, "from 0 to 0.5"),
        ("quality.spot_check_share", 0 <= quality.spot_check_share <= 1, "from 0 to 1"),
        ("quality.zscore_threshold", quality.zscore_threshold >= 0, "0 (none) or above"),
        (
            "quality.zscore_from_start",
            not quality.zscore_from_start or quality.zscore_threshold > 0,
            "a filter from the start needs a threshold",
        ),
        (
            "requirements.approval_above",
            not required.approval_above or 0 < required.approval_percent < 100,
            "only a rate from 1 to 99 per cent can be exceeded",
        ),
        (
            "drop.number_constituents",
            all(isinstance(n, str) and n.strip() for n in protocol.drop.number_constituents),
            "each must be the name of a constituent",
        ),
        (
            "draw_questions",
            protocol.draw_questions is None or 1 <= protocol.draw_questions <= MAX_DRAWN_QUESTIONS,
            f"draw 1 to {MAX_DRAWN_QUESTIONS:,} questions, or none",
        ),
        (
            "split_shares",
            not protocol.split_shares
            or abs(sum(share for _, share in protocol.split_shares) - 1) < 1e-9,
            "the shares must add up to 1",
        ),
    ]
    if test is not None:
        checks += [
            ("qualification.candidates", 1 <= test.candidates <= 100, "1 to 100 candidates"),
            ("qualification.pass_share", 0 < test.pass_share <= 1, "above 0, at most 1"),
            ("qualification.tolerance", test.tolerance in (0, 1), "0 or 1 scale points"),
            ("qualification.tries", 1 <= test.tries <= 10, "1 to 10 tries"),
        ]
    if protocol.trial is not None:
        checks += [
            ("trial.candidates", protocol.trial.candidates >= 1, "at least one candidate"),
            ("trial.ratings", 1 <= protocol.trial.ratings <= 100, "1 to 100 ratings"),
        ]
    return {name: text for name, fits, text in checks if not fits}
