"""The protocol of a study. Money is in US cents, times are in minutes or seconds.

The bounds of a field are in its metadata (`concord.bounds`); forms and the REST API use them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from concord.bounds import (
    InputError,
    Metadata,
    Number,
    Text,
    choice,
    find_problems,
    flag,
    from_json,
    items,
    normalize,
    number,
    text,
)
from concord.protocols.criteria import (
    MAX_CRITERIA,
    MAX_KEY_TOLERANCE,
    MAX_POINTS,
    Criterion,
    ScalePoint,
    criteria_problems,
)
from concord.protocols.rules import RULES_ACROSS_FIELDS

Unit = Literal["candidate", "pair", "set"]
PairDesign = Literal["all", "balanced"]
ScaleKind = Literal["points", "slider"]
Aggregation = Literal["mean", "median", "trimmed", "z-mean", "dawid-skene", "mace"]

AGGREGATIONS: tuple[Aggregation, ...] = get_args(Aggregation)
MAX_DRAWN_QUESTIONS = 1_000_000
LONG_TEXT = 20_000
SPLIT_CHARS = 500


class ProtocolError(InputError):
    """An invalid protocol."""


@dataclass(frozen=True, slots=True)
class Qualification:
    """A test before rating. An answer to the main question is right within `tolerance` of its key.

    pass_share: the share of the keyed answers that must be right. The first try is paid like a HIT,
    a further one only with `pay_each_try`.
    """

    candidates: int = field(default=10, metadata=number(1, 100, label="Candidates in the test"))
    pass_share: float = field(
        default=0.8,
        metadata=number(0, 1, above=True, unit="share", label="Percent correct to pass"),
    )
    tolerance: int = field(
        default=0,
        metadata=number(
            0,
            MAX_KEY_TOLERANCE,
            label="Tolerance",
            help="Allowed distance from the correct rating: 0 or 1 scale points, on a slider any "
            "number.",
        ),
    )
    tries: int = field(default=2, metadata=number(1, 10, label="Tries"))
    pay_each_try: bool = field(
        default=False, metadata=flag(label="Every try is paid, not only the first")
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """A small collection before the full one, to check agreement and improve the instructions.

    Where it is `counted`, its ratings are part of the gold scores, and the full collection needs
    only the missing ratings of its candidates. Otherwise its ratings are not used.
    """

    candidates: int = field(
        default=200, metadata=number(1, 1_000_000, label="Candidates in the trial")
    )
    ratings: int = field(
        default=5, metadata=number(1, 100, label="Ratings per candidate in the trial")
    )
    counted: bool = field(
        default=True,
        metadata=flag(
            label="The trial's ratings count: the full stage requests only the missing ones"
        ),
    )


@dataclass(frozen=True, slots=True)
class RatingRule:
    """How many ratings a candidate gets; the first matching rule applies.

    An empty `split` matches every split, `span_based` None every kind of constituent.
    """

    ratings: int = field(metadata=number(1, 100))
    split: str = field(default="", metadata=text(SPLIT_CHARS))
    span_based: bool | None = None


@dataclass(frozen=True, slots=True)
class HitRules:
    """How candidates are packed. With `same_passage` all candidates of a HIT share a passage."""

    max_candidates: int = field(default=10, metadata=number(1, 50, label="Max. candidates per HIT"))
    same_passage: bool = field(
        default=True, metadata=flag(label="The candidates of a HIT share one passage")
    )


@dataclass(frozen=True, slots=True)
class Pay:
    """Cents for a HIT of `max_candidates`; smaller HITs pay pro rata, rounded up to a cent."""

    cents_per_full_hit: int = field(
        default=40,
        metadata=number(0, 1_000_000, unit="cents", label="Pay per full HIT in dollars"),
    )
    pro_rata: bool = field(
        default=True,
        metadata=flag(label="Smaller HITs pay proportionally less, rounded up to a cent"),
    )

    def cents(self, candidates: int, max_candidates: int) -> int:
        """Pay for a HIT of `candidates`, in cents."""
        if not self.pro_rata:
            return self.cents_per_full_hit
        return math.ceil(self.cents_per_full_hit * candidates / max_candidates)


@dataclass(frozen=True, slots=True)
class Requirements:
    """Requirements for workers on a crowd platform.

    approval_percent: the minimum approval rate; 0: any. With `approval_above` the rate must be
        above it.
    """

    approval_percent: int = field(
        default=0, metadata=number(0, 100, label="Min. approval rate in percent")
    )
    approved_hits: int = field(default=0, metadata=number(0, 10**9, label="Min. approved HITs"))
    locales: tuple[str, ...] = field(
        default=(),
        metadata=items(
            300,
            unit="codes",
            each=Text(20, required="needs a code", word=True),
            separator=",",
            label="Countries",
            help="Country codes such as US, GB.",
        ),
    )
    approval_above: bool = field(
        default=False,
        metadata=flag(label="The approval rate must be above this value, not equal to it"),
    )


@dataclass(frozen=True, slots=True)
class DropRules:
    """Which candidates are not rated.

    equal_to_reference: candidates that are identical to one of their references.
    question_when_equal: all candidates of a question if one is identical to a reference (KPQA).
    number_against_number: candidate and reference both numbers (MOCHA).
    number_constituents: the constituents to which that applies (MOCHA: DROP), ignoring case;
        empty: all.
    number_units: a number may have a unit, as in "24 yards" against "31 yards".
    second_reference_below: a second reference whose token F1 with the first is below this is
        rated as a candidate of the system `reference-2` and is no reference then (MOCHA, on
        NarrativeQA); None: never.
    """

    equal_to_reference: bool = field(
        default=False, metadata=flag(label="Skip candidates equal to a reference")
    )
    question_when_equal: bool = field(
        default=False,
        metadata=flag(label="Skip questions for which a system gave a reference word for word"),
    )
    number_against_number: bool = field(
        default=False, metadata=flag(label="Skip items where both answers are numbers")
    )
    second_reference_below: float | None = field(
        default=None,
        metadata=number(
            0,
            1,
            label="Rate second references whose token F1 with the first is below",
            help="They are then candidates instead of references. Null: never.",
        ),
    )
    number_constituents: tuple[str, ...] = field(
        default=(),
        metadata=items(
            100,
            unit="names",
            each=Text(500, required="must be the name of a constituent"),
            label="Constituents whose numbers are skipped",
            help="Constituents that `number_against_number` applies to; none: all.",
        ),
    )
    number_units: bool = field(
        default=False,
        metadata=flag(label="Numbers may have a unit, as in “24 yards” and “31 yards”"),
    )


@dataclass(frozen=True, slots=True)
class QualityRules:
    """Checks of raters during a study. They only flag; they never withhold pay.

    `gold_tolerance`: how far the answer to the main question of a hidden check may be from its key;
    None: as in the qualification test, and 0 without one.
    `zscore_threshold` 0 means no filter; `max_removed` is its maximum per candidate. With
    `zscore_from_start` the filter is a step of the ledger from the start; otherwise the quality
    page offers it. The step can be undone in both cases.
    """

    gold_share: float = field(
        default=0.0,
        metadata=number(0, 0.5, unit="share", label="Hidden checks: percent of HITs with one"),
    )
    spot_check_share: float = field(
        default=0.0,
        metadata=number(0, 1, unit="share", label="Spot checks: percent of ratings selected"),
    )
    min_seconds_per_rating: float = field(
        default=0.0,
        metadata=number(
            0,
            3600,
            label="Min. seconds per rating",
            help="Faster workers get a warning; pay is not affected. 0: no limit.",
        ),
    )
    straight_line_length: int = field(
        default=0,
        metadata=number(
            0, 1000, label="Equal ratings in a row that cause a warning", help="0: no limit."
        ),
    )
    zscore_threshold: float = field(
        default=0.0,
        metadata=number(
            0,
            100,
            label="z-score filter: threshold",
            help="0: no filter. The quality page shows what it removes, and can undo it.",
        ),
    )
    max_removed: int = field(
        default=5,
        metadata=number(1, 100, label="z-score filter: max. ratings removed per candidate"),
    )
    zscore_from_start: bool = field(
        default=False,
        metadata=flag(
            "It becomes a step of the ledger when the study is created. Otherwise the quality "
            "page suggests it.",
            label="Apply the z-score filter from the start",
        ),
    )
    gold_tolerance: int | None = field(
        default=None,
        metadata=number(
            0,
            MAX_KEY_TOLERANCE,
            label="Hidden checks: tolerance",
            help="Allowed distance from the key of a hidden check; null: as in the test.",
        ),
    )


@dataclass(frozen=True, slots=True)
class PairRules:
    """Which pairs of an instance's candidates are compared, where the unit is a pair.

    "all": every pair. "balanced": each candidate in `per_candidate` pairs, all connected.
    """

    design: PairDesign = field(
        default="all",
        metadata=choice(
            {"all": "every pair", "balanced": "a balanced part of them"},
            label="Pairs of a question's answers",
        ),
    )
    per_candidate: int = field(
        default=4, metadata=number(2, 50, label="Pairs of each answer, where balanced")
    )


@dataclass(frozen=True, slots=True)
class SetRules:
    """Which sets of an instance's candidates are compared, where the unit is a set.

    Every set where each candidate is in at most `per_candidate` of them; else a balanced part, in
    which each candidate is in as many, and each two candidates meet about equally often.
    """

    per_candidate: int = field(
        default=8,
        metadata=number(
            1,
            50,
            label="Sets of each answer",
            help="Every set where an answer is in no more of them; else a balanced part.",
        ),
    )


def markdown(label: str, help: str = "") -> Metadata:
    """Metadata of a long text in Markdown."""
    return text(LONG_TEXT, multiline=True, exact=True, label=label, help=f"{help}Markdown.")


@dataclass(frozen=True, slots=True)
class Protocol:
    """The protocol of a study. `validated()` checks it.

    scale_kind: raters choose one of the scale's points, which are consecutive; or a whole number on
    a slider, of which the points are labelled marks, the first and last its ends.

    unit: what is rated: a candidate, or a pair or set of candidates of one instance. Of a pair the
    scale's values are 1 (the first is better), 2 (the second), where ties are allowed 0, and then
    perhaps -1 (both are bad), a tie that is kept apart. Of a set of 3 to 5 candidates it has a
    point for each, from 1: the value is the best candidate, and a criterion of the kind "worst"
    asks for the worst. An instance with fewer candidates has smaller sets, of 3 or more.

    A rating's value answers `question` on `scale`; its answers are those to `criteria`.
    draw_questions: how many of the uploaded questions are rated, drawn at random; None: all.
    """

    scale: tuple[ScalePoint, ...] = field(metadata=items(MAX_POINTS, min_items=2, unit="points"))
    question: str = field(
        metadata=text(
            LONG_TEXT,
            multiline=True,
            exact=True,
            required="say what raters are to judge",
            label="Question to raters",
            help="One sentence, shown above the scale.",
        )
    )
    instructions: str = field(default="", metadata=markdown("Instructions"))
    examples: str = field(default="", metadata=markdown("Worked examples"))
    consent: str = field(
        default="", metadata=markdown("Consent", "Raters agree to it before their first task. ")
    )
    qualification: Qualification | None = field(
        default=None, metadata=flag(label="Raters take a qualification test first")
    )
    trial: Trial | None = field(
        default=None, metadata=flag(label="Run a trial before the full collection")
    )
    rating_rules: tuple[RatingRule, ...] = field(
        default=(RatingRule(3),),
        metadata=items(100, min_items=1, unit="rules", required="enter the number of ratings"),
    )
    hit: HitRules = field(default_factory=HitRules)
    pay: Pay = field(default_factory=Pay)
    time_limit_minutes: int = field(
        default=60, metadata=number(1, 7 * 24 * 60, label="Time limit in minutes")
    )
    requirements: Requirements = field(default_factory=Requirements)
    drop: DropRules = field(default_factory=DropRules)
    quality: QualityRules = field(default_factory=QualityRules)
    aggregation: Aggregation = field(
        default="mean", metadata=choice(AGGREGATIONS, label="Gold score")
    )
    split_shares: tuple[tuple[str, float], ...] = field(
        default=(),
        metadata=items(
            20,
            unit="splits",
            each=(Text(SPLIT_CHARS, required="enter the name of the split"), Number(0, 1)),
            help="Splits of instances without one: [name, share] each; the shares add up to 1.",
        ),
    )
    draw_questions: int | None = field(
        default=None,
        metadata=number(
            1,
            MAX_DRAWN_QUESTIONS,
            label="Number of questions to rate, selected at random",
            help="How many questions are rated, drawn at random from those uploaded; null: all.",
        ),
    )
    criteria: tuple[Criterion, ...] = field(
        default=(),
        metadata=items(
            MAX_CRITERIA,
            unit="criteria",
            help="What raters are asked beside `question`, in this order.",
        ),
    )
    scale_kind: ScaleKind = field(
        default="points",
        metadata=choice(
            {"points": "a point of the scale", "slider": "a number on a slider"},
            label="Raters choose",
        ),
    )
    unit: Unit = field(
        default="candidate",
        metadata=choice(
            {
                "candidate": "one answer at a time",
                "pair": "which of two answers is better",
                "set": "which of three to five answers is best, and which is worst",
            },
            label="Raters judge",
        ),
    )
    pairs: PairRules = field(default_factory=PairRules)
    sets: SetRules = field(default_factory=SetRules)

    @property
    def low(self) -> int:
        """The lowest point of the scale."""
        return self.scale[0].value

    @property
    def high(self) -> int:
        """The highest point of the scale."""
        return self.scale[-1].value

    @property
    def level(self) -> Literal["nominal", "ordinal"]:
        """The level of measurement of ratings: choices between candidates are names."""
        return "nominal" if self.compares else "ordinal"

    @property
    def has_ties(self) -> bool:
        """Whether raters may prefer neither candidate of a pair."""
        return self.unit == "pair" and self.low <= 0

    @property
    def has_both_bad(self) -> bool:
        """Whether raters may say that both candidates of a pair are bad."""
        return self.unit == "pair" and self.low < 0

    def counted(self, value: int) -> int:
        """The value as which a rating counts: that both candidates of a pair are bad is a tie."""
        return max(value, 0) if self.has_ties else value

    def needs_comment(self, value: int | None) -> bool:
        """Whether raters must explain this value of the main question; None: they cannot judge."""
        return value is None

    @property
    def compares(self) -> bool:
        """Whether raters compare candidates, in pairs or sets."""
        return self.unit != "candidate"

    @property
    def bin_width(self) -> int:
        """How many values a bar of a histogram of ratings holds: 1, but on a slider more."""
        return math.ceil((self.high - self.low + 1) / MAX_POINTS)

    def bins(self) -> list[str]:
        """The names of the bars of a histogram of ratings: values, or their ranges."""
        width, last = self.bin_width, self.high
        starts = range(self.low, last + 1, width)
        if width == 1:
            return [str(start) for start in starts]
        return [f"{start} to {min(start + width - 1, last)}" for start in starts]

    @property
    def check_tolerance(self) -> int:
        """How far an answer to the main question may be from the key of a hidden check."""
        if self.quality.gold_tolerance is not None:
            return self.quality.gold_tolerance
        return self.qualification.tolerance if self.qualification else 0

    @property
    def trial_counts(self) -> bool:
        """Whether the trial's ratings are part of the gold scores."""
        return self.trial is not None and self.trial.counted

    def ratings_for(self, split: str, *, span_based: bool) -> int:
        """Number of ratings for a candidate of `split`; 0 where no rule matches."""
        for rule in self.rating_rules:
            fits_split = not rule.split or rule.split == split
            if fits_split and rule.span_based in (None, span_based):
                return rule.ratings
        return 0

    def validated(self) -> Protocol:
        """This protocol in its normal form (`concord.bounds.normalize`).

        Raises ProtocolError, with all problems, where it is invalid.
        """
        protocol: Protocol = normalize(self)
        faults = find_problems(protocol)
        wrong_parts = {path.partition(".")[0] for path in faults}
        faults |= {
            rule.path: rule.sentence
            for rule in RULES_ACROSS_FIELDS
            if rule.path.partition(".")[0] not in wrong_parts and not rule.holds(protocol)
        }
        if not {"scale", "criteria"} & wrong_parts:
            faults |= dict(criteria_problems(protocol.scale, protocol.criteria))
        if faults:
            raise ProtocolError(faults)
        return protocol

    def to_json(self) -> dict[str, Any]:
        """The protocol as JSON; `from_json` reads it."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Protocol:
        """The validated protocol of a document written by `to_json`.

        Raises ProtocolError.
        """
        return cls.stored(data).validated()

    @classmethod
    def stored(cls, content: Mapping[str, Any]) -> Protocol:
        """A stored protocol, which was validated before it was stored.

        It is not validated again, because bounds may have become narrower since. Raises
        ProtocolError for a document of another structure.
        """
        try:
            protocol: Protocol = from_json(cls, content)
        except InputError as error:
            problems = {path or "protocol": text for path, text in error.problems.items()}
            raise ProtocolError(problems) from error
        return protocol
