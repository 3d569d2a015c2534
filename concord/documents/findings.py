"""What a judgment set shows, in sentences."""

from typing import Annotated, Literal, TypedDict

from concord.documents.agreement import AlphaRow, Level

Topic = Literal["ranking", "errors", "agreement", "metrics", "judges", "ratings"]
# The analysis or page that a sentence is read from, or that has to be made first.
Evidence = Literal[
    "ratings", "agreement", "choices", "spans", "scores", "comparison", "judges", "judge", "plan"
]


class GroupAlphaRow(AlphaRow):
    """Krippendorff's alpha of the ratings of one group of raters. `units` are candidates with two
    ratings or more, `ratings` are those in them."""

    group: str
    level: Level
    units: int
    ratings: int


class RatersAnalysis(TypedDict):
    """The analysis "raters" of a stored set: a row for each group of raters with ratings."""

    raters: list[GroupAlphaRow]


class FindingHeadline(TypedDict):
    """An answer in a few words, and a sentence that says what it means."""

    text: str
    meaning: str
    value: Annotated[float | None, "Its figure, from -1 to 1; null for others."]
    ci: Annotated[list[float] | None, "The 95% interval of the value."]


class FindingRow(TypedDict):
    """One sentence or two about a set."""

    topic: Topic
    headline: Annotated[FindingHeadline | None, "The answer in a few words; null for others."]
    text: str
    evidence: Annotated[Evidence, "What the text is read from; what to make if it is missing."]
    run: Annotated[int | None, "The metric run that it is about; null for others."]
    missing: Annotated[bool, "Whether the text says what there is not yet."]


class FindingsDocument(TypedDict):
    """What a set shows, by topic; figures that are not computed yet are missing."""

    findings: list[FindingRow]
