"""One metric or judge in the place of people, of a stored set."""

from typing import Literal, TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow
from concord.documents.judges import BaselineRow, JudgeFigures


class UseRow(TypedDict):
    """Whether the judge may be used so: see docs/explanation/judges.md."""

    answer: Literal["yes", "no", "open"]
    reason: str
    passages: int | None


class CoefficientRow(TypedDict):
    """Agreement of the judge, of one rater, and of a perfect judge.

    judge: with people's gold scores, on `n` candidates. ceiling: a perfect judge's with the mean of
    these raters; without a value where it is not defined. same: the judge's on the candidates of
    `ceiling`, None where these are all or unknown. rater: one rater's with the mean of the others,
    on `rated` candidates, which the judge scored. others: the judge's with the same means of the
    others, on the same candidates; None where they are unknown, and for kappas, where the judge and
    each rater are compared with single raters.
    """

    name: str
    n: int
    judge: FigureRow
    rated: int | None
    same: FigureRow | None
    rater: FigureRow
    others: FigureRow | None
    ceiling: FigureRow


class RaterRow(TypedDict):
    """The alternative annotator test of one rater, by passage, without the rater's name."""

    items: int
    judge_wins: float | None
    rater_wins: float | None
    p: float | None
    rejected: bool
    reason: str


class RatersPart(TypedDict):
    """What needs single ratings. judge: the test of its labels, its own scores where they are on
    people's scale. off_scale: why they are fitted grades, else "". verdict, z: as in Judge's
    Verdict. warnings: baselines that pass the test or beat the judge."""

    raters: int
    items: int
    passages: int
    judge: JudgeFigures
    off_scale: str
    baselines: list[BaselineRow]
    rater_tests: list[RaterRow]
    verdict: str | None
    z: FigureRow
    warnings: list[str]


class BinRow(TypedDict):
    """Candidates of neighbouring grades: see `concord.meta.correctness.Bin`."""

    low: float
    high: float
    n: int
    grade: float
    gold: FigureRow


class CalibrationPart(TypedDict):
    """Of the judge's labels: see `concord.meta.correctness.Calibration`. own: whether they are its
    own scores; else they are grades that are fitted on other passages."""

    own: bool
    bins: list[BinRow]
    error: float
    expected: float


class ConfusionPart(TypedDict):
    """counts[i][j]: candidates with people's label points[i] and the judge's points[j]."""

    points: list[float]
    counts: list[list[int]]


class RateRow(TypedDict):
    """The share of a system's answers that are correct: see `concord.judges.SystemRates`. truth:
    people's share where labels were hidden for the check, else None."""

    system: str
    labelled: int
    unlabelled: int
    raw: float
    corrected: FigureRow
    powered: FigureRow
    plain: FigureRow
    tpr: float | None
    tnr: float | None
    truth: float | None


class RatesPart(TypedDict):
    """is_check: every candidate is rated, and the labels of half of the passages were hidden.
    threshold: the lowest score of people for a correct answer. reason: why there are no rates."""

    is_check: bool
    threshold: float
    tpr_p: float | None
    tnr_p: float | None
    systems: list[RateRow]
    reason: str


class DifferenceRow(TypedDict):
    """Two systems: see `concord.judges.SystemDifference`."""

    first: str
    second: str
    people: float
    judge: float
    p: float
    judge_p: float
    passages: int
    verdict: str


class ProbeRow(TypedDict):
    """A probe of a judge's habits: see `concord.judges.Probe`."""

    name: str
    figure: FigureRow
    meaning: str
    verdict: str


class JudgeAnalysis(TypedDict):
    """The analysis "judge" of a stored set. unscored: judged candidates without the judge's score,
    which are left out. raters: None where the set has no single ratings, for the `no_raters`."""

    metric: RunName
    judged: int
    unscored: int
    passages: int
    scale: list[float]
    sentence: str
    for_items: UseRow | None
    for_systems: UseRow | None
    agreement: list[CoefficientRow]
    raters: RatersPart | None
    no_raters: str
    calibration: CalibrationPart
    confusion: ConfusionPart | None
    rates: RatesPart
    differences: list[DifferenceRow]
    probes: list[ProbeRow]


class VersionsRow(TypedDict):
    """Two versions of a judge on held-out candidates: see `concord.judges.VersionComparison`. seen:
    candidates that were seen when the prompt was changed. reason: why there are no figures."""

    items: int
    passages: int
    seen: int
    old: FigureRow | None
    new: FigureRow | None
    difference: FigureRow | None
    error_difference: FigureRow | None
    verdict: str
    reason: str
