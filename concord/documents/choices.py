"""People's choices between two answers of a stored set."""

from typing import Annotated, Any, TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class MarginRow(TypedDict):
    """Pairs of which the majority's share is from `low` up to, but not including, `high`."""

    low: float
    high: float | None
    n: int
    accuracy: FigureRow


class MetricChoicesRow(RunName):
    """A metric run on the pairs, as `concord.meta.judged_pairs.ChoiceAccuracy`."""

    accuracy: FigureRow
    margins: list[MarginRow]
    with_ties: FigureRow
    epsilon: float | None


class ChoicesAnalysis(TypedDict):
    """The analysis "choices" of a stored set.

    tied: the number of pairs without a majority. alpha: Krippendorff's, nominal, on the same two
    answers; where it is None, `alpha_reason` says why. first_wins: the share of decided choices for
    the answer that was shown first, with the p-value of one half, of sets as in the ranking; None
    where sides are unknown. side_note: this effect in a sentence.
    metrics: best first. ranking: `concord.preferences.Ranking` as JSON, None without two systems.
    """

    tied: int
    alpha: float | None
    alpha_reason: str | None
    first_wins: float | None
    first_wins_p: float | None
    side_note: str
    metrics: list[MetricChoicesRow]
    ranking: dict[str, Any] | None


class ChoicesDocument(TypedDict):
    """People's choices between two answers, metrics on them, and the ranking of systems by them.
    All but the counts is null or empty where labels are hidden from you."""

    pairs: int
    choices: int
    tied: Annotated[int | None, "Pairs without a majority."]
    alpha: Annotated[float | None, "Krippendorff's alpha (nominal) on the same two answers."]
    alpha_reason: Annotated[str | None, "Why it is undefined."]
    first_wins: Annotated[
        float | None,
        "Share of decided choices for the answer that was shown first; of sets, whose best was "
        "shown before the worst.",
    ]
    first_wins_p: float | None
    side_note: Annotated[str, "This effect in a sentence."]
    metrics: Annotated[
        list[MetricChoicesRow],
        "Accuracy on pairs with a majority, by the majority's share, and with ties.",
    ]
    ranking: Annotated[dict[str, Any] | None, "As `concord ranking --format json`."]
