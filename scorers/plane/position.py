"""The position of an evaluation on the plane (Soricut and Brill, 2004, Section 2 and Figure 1).

Two axes. The guideline axis orders what people were asked to do by its precision/recall ratio: low
where content is rewarded and verbosity is not punished (adequacy, coverage), high where wording
counts and missing content does not (fluency). The application axis orders tasks by their
faithfulness/compactness ratio: summarisation lowest, then summarisation with a view-point, question
answering close to 1, paraphrasing, and machine translation highest. The paper predicts that people
are best approximated by the alpha that matches the guideline and the N that matches the
application (Section 3.3), in words: low, median, high.

The paper gives no numbers for these words; the following ones are ours. Both axes run from 0 to 1.
The paper's examples lie at 0, 1/2 and 1, and the two tasks in between at 1/4 and 3/4. The predicted
alphas are those within 0.2 of the guideline's coordinate, the predicted N those within 1 of 1 + 3
times the application's coordinate. All five findings of the paper agree: (1, 3) for fluency and
(0, 4) for adequacy of translations, (0, 1) for coverage of summaries, (0, 2) and (0.3, 2) for its
two evaluations of answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorers.aev.counts import NgramCounts
from scorers.plane.grid import ALPHAS, ORDERS, PlanePoint
from scorers.plane.statistics import PlaneError, PlaneSample

MAX_ALPHA_DISTANCE = 0.2
MAX_ORDER_DISTANCE = 1.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Landmark:
    """A named position on one axis: its coordinate from 0 to 1 and the reason for it."""

    name: str
    coordinate: float
    reason: str


#: By what people were asked to do: precision/recall, from 0 (recall) to 1 (precision).
GUIDELINES = {
    landmark.name: landmark
    for landmark in (
        Landmark("adequacy", 0.0, "content is rewarded, verbosity is not punished"),
        Landmark("coverage", 0.0, "content is rewarded, verbosity is not punished"),
        Landmark("content", 0.0, "a right answer stays right however much else is said"),
        Landmark("correctness", 0.5, "both right content and precise wording are rewarded"),
        Landmark("fluency", 1.0, "extraneous words are punished, missing content is not"),
    )
}

#: By task: faithfulness/compactness, from 0 (compact) to 1 (faithful).
APPLICATIONS = {
    landmark.name: landmark
    for landmark in (
        Landmark("summarization", 0.0, "as compact as possible a rendering of its input"),
        Landmark("summarization with view-points", 0.25, "compact, within a point of view"),
        Landmark("question answering", 0.5, "faithful to what is asked, yet concise"),
        Landmark("paraphrasing", 0.75, "says the same, with latitude"),
        Landmark("translation", 1.0, "as faithful as possible a rendering of its input"),
    )
}

# Words in a criterion's name and the guideline they suggest. Words that the paper does not mention
# are assigned by its descriptions of the guidelines.
_CRITERIA = {
    "adequacy": "adequacy",
    "coverage": "coverage",
    "recall": "coverage",
    "completeness": "coverage",
    "content": "content",
    "correctness": "correctness",
    "correct": "correctness",
    "accuracy": "correctness",
    "overall": "correctness",
    "quality": "correctness",
    "relevance": "correctness",
    "fluency": "fluency",
    "precision": "fluency",
    "conciseness": "fluency",
    "grammaticality": "fluency",
}

#: Texts of this many words are taken for summaries if nothing else indicates the task.
_SUMMARY_WORDS = 30
#: Output of at least this share of its input's length is a paraphrase, shorter output a summary.
_FAITHFUL_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Position:
    """A point of the plane; both coordinates from 0 to 1.

    precision: the guideline's coordinate (0 recall, 1 precision). faithfulness: the application's
    (0 compact, 1 faithful). Raises PlaneError for values outside.
    """

    precision: float
    faithfulness: float

    def __post_init__(self) -> None:
        for name in ("precision", "faithfulness"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise PlaneError(f"{name} must be from 0 to 1, not {value}")

    @property
    def region(self) -> Region:
        """The members of the family that the paper predicts to fit best here."""
        alphas = [a for a in ALPHAS if abs(a - self.precision) <= MAX_ALPHA_DISTANCE + _ROUNDING]
        middle = ORDERS[0] + self.faithfulness * (ORDERS[-1] - ORDERS[0])
        orders = [n for n in ORDERS if abs(n - middle) <= MAX_ORDER_DISTANCE + _ROUNDING]
        return Region(alphas[0], alphas[-1], orders[0], orders[-1])


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of the grid, ends included."""

    lowest_alpha: float
    highest_alpha: float
    lowest_n: int
    highest_n: int

    def __contains__(self, cell: PlanePoint) -> bool:
        within = self.lowest_alpha <= cell.alpha <= self.highest_alpha
        return within and self.lowest_n <= cell.n <= self.highest_n

    @property
    def index_ranges(self) -> tuple[int, int, int, int]:
        """Its first and last row and first and last column in a table of shape (11, 4)."""
        first, low = PlanePoint(self.lowest_alpha, self.lowest_n).grid_index
        last, high = PlanePoint(self.highest_alpha, self.highest_n).grid_index
        return first, last, low, high

    @property
    def cells(self) -> NDArray[np.bool_]:
        """The mask of its cells in the grid: (11, 4)."""
        return np.array([[PlanePoint(alpha, n) in self for n in ORDERS] for alpha in ALPHAS])


#: The paper's evaluations: name, position, and the member that fitted best.
PAPER_EVALUATIONS = (
    ("TIDES 2002, fluency", Position(1.0, 1.0), PlanePoint(1.0, 3)),
    ("TIDES 2002, adequacy", Position(0.0, 1.0), PlanePoint(0.0, 4)),
    ("DUC 2001, coverage", Position(0.0, 0.0), PlanePoint(0.0, 1)),
    ("Answers to FAQs, flooded ones correct", Position(0.0, 0.5), PlanePoint(0.0, 2)),
    ("Answers to FAQs, flooded ones somehow related", Position(0.5, 0.5), PlanePoint(0.3, 2)),
)


def look_up_position(guideline: str, application: str) -> Position:
    """The position of a named guideline and a named application.

    Raises PlaneError, which lists the valid names, for another name.
    """
    return Position(_look_up(guideline, GUIDELINES), _look_up(application, APPLICATIONS))


@dataclass(frozen=True, slots=True)
class PositionSuggestion:
    """A suggested guideline or application and the reason; name "" if there is none.

    Only a person knows what raters were asked and what the texts are for, so a suggestion is the
    initial value of a form and is shown with its reason.
    """

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class SetTextSizes:
    """Sizes of a set's texts, which indicate its task, in words as AEv counts them.

    candidate, reference: mean lengths, of the reference closest in length. references: the mean
    number of references. question_share: the share of instances with a question. source: the mean
    length of the source texts, None if the set has none.
    """

    candidate: float
    reference: float
    references: float
    question_share: float
    source: float | None = None

    @classmethod
    def of(
        cls,
        sample: PlaneSample,
        *,
        references: float,
        question_share: float = 0.0,
        source: float | None = None,
    ) -> SetTextSizes:
        """The sizes of a sample. Raises PlaneError for invalid shares and lengths."""
        if not (
            0.0 <= question_share <= 1.0 and references > 0 and (source is None or source >= 0)
        ):
            raise PlaneError("sizes must be 0 or above, and the share of questions at most 1")
        counts = NgramCounts(sample.counts)
        return cls(
            float(counts.candidate_length.mean()),
            float(counts.reference_length.mean()),
            references,
            question_share,
            source,
        )

    @property
    def compression(self) -> float | None:
        """Mean reference length over mean source length; None if that is unknown."""
        return self.reference / self.source if self.source else None


def suggest_guideline(criterion: str) -> PositionSuggestion:
    """Suggest a guideline by a criterion's name."""
    words = "".join(c if c.isalnum() else " " for c in criterion.lower()).split()
    for word in words:
        if word in _CRITERIA:
            landmark = GUIDELINES[_CRITERIA[word]]
            return PositionSuggestion(
                landmark.name, f"the criterion is {word}: as in {landmark.name}, {landmark.reason}"
            )
    return PositionSuggestion("", "the criterion's name indicates neither precision nor recall")


def suggest_application(sizes: SetTextSizes) -> PositionSuggestion:
    """Suggest an application by the sizes of a set's texts."""
    if sizes.question_share > 0.5:
        return PositionSuggestion("question answering", "the instances have questions")
    if sizes.compression is not None:
        share = f"references have {sizes.compression:.0%} of their source's length"
        faithful = sizes.compression >= _FAITHFUL_SHARE
        return PositionSuggestion("paraphrasing" if faithful else "summarization", share)
    if sizes.reference >= _SUMMARY_WORDS:
        words = f"the instances have no questions, and references have {sizes.reference:.0f} words"
        return PositionSuggestion("summarization", words)
    return PositionSuggestion("", "the set has neither questions nor source texts")


def _look_up(name: str, landmarks: dict[str, Landmark]) -> float:
    if name not in landmarks:
        raise PlaneError(f"{name!r} must be one of {', '.join(landmarks)}")
    return landmarks[name].coordinate
