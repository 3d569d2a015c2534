"""Agreement over systems."""

from typing import TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class SystemGoldRow(TypedDict):
    """A system with its `n` judged candidates and their mean gold score; None where withheld."""

    system: str
    n: int
    gold: float | None


class TieCalibratedRow(FigureRow):
    """Accuracy among an instance's candidates, distances up to `epsilon` being ties."""

    epsilon: float | None
    in_sample: bool
    tied: float | None
    pairs: int


class SystemsRow(RunName):
    """One metric run over systems; `means` has its mean by system."""

    pearson: FigureRow
    spearman: FigureRow
    kendall_b: FigureRow
    r_squared: FigureRow
    pairwise_accuracy: FigureRow
    soft_pairwise: FigureRow
    tie_calibrated: TieCalibratedRow
    means: list[float | None]


class SystemsDraws(TypedDict):
    """Draws of the bootstrap, and of the swaps behind soft pairwise accuracy."""

    bootstrap: int
    soft: int


class SystemsAnalysis(TypedDict):
    """The analysis "systems" of a stored set."""

    n: int
    unnamed: int
    systems: list[SystemGoldRow]
    pairs: int
    apart: int
    draws: SystemsDraws
    metrics: list[SystemsRow]
