"""Pairs that an adaptive comparison chose."""

from typing import Annotated, TypedDict

from concord.documents.conversion import Timestamp


class BatchStrengthDocument(TypedDict):
    """What was known of a system."""

    system: str
    log_strength: float
    sd: Annotated[float, "Standard deviation of the log strength."]


class BatchPairDocument(TypedDict):
    """A chosen pair."""

    pair: Annotated[str, "Key of the pair."]
    systems_probability: Annotated[
        float, "Probability with which its two systems were drawn, given the earlier pairs."
    ]
    question_probability: Annotated[float, "Probability of its question, given the systems."]
    information: Annotated[float, "Variance of the difference of log strengths times p (1 - p)."]


class PairBatchDocument(TypedDict):
    """Pairs that were chosen together."""

    number: int
    seed: int
    choices: Annotated[int, "Number of choices that were known."]
    strengths: list[BatchStrengthDocument]
    pairs: list[BatchPairDocument]
    is_last: bool
    created_at: Timestamp
