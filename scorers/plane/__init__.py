"""The evaluation plane of Soricut and Brill (2004): which member of AEv explains ratings best?

`statistics` counts the texts once. `grid` computes the 11 x 4 table of R^2 over systems from the
counts, and the uncertainty of its best cell. `position` predicts that cell by the paper's rules.
`flooding` simulates raters who penalise extraneous sentences. Raises PlaneError for invalid data.
"""

from scorers.plane.errors import PlaneError
from scorers.plane.flooding import FloodedAnswer, FloodedSet, Flooding, flood
from scorers.plane.grid import (
    ALPHAS,
    LEVELS,
    ORDERS,
    Grid,
    Level,
    PlanePoint,
    Uncertainty,
    bootstrap_grid,
    compute_grid,
)
from scorers.plane.position import (
    APPLICATIONS,
    GUIDELINES,
    PAPER_EVALUATIONS,
    Landmark,
    Position,
    PositionSuggestion,
    Region,
    SetTextSizes,
    look_up_position,
    precision_share,
    suggest_application,
    suggest_guideline,
)
from scorers.plane.statistics import MIN_SYSTEMS, PlaneSample, count_candidates

__all__ = [
    "ALPHAS",
    "APPLICATIONS",
    "GUIDELINES",
    "LEVELS",
    "MIN_SYSTEMS",
    "ORDERS",
    "PAPER_EVALUATIONS",
    "FloodedAnswer",
    "FloodedSet",
    "Flooding",
    "Grid",
    "Landmark",
    "Level",
    "PlaneError",
    "PlanePoint",
    "PlaneSample",
    "Position",
    "PositionSuggestion",
    "Region",
    "SetTextSizes",
    "Uncertainty",
    "bootstrap_grid",
    "compute_grid",
    "count_candidates",
    "flood",
    "look_up_position",
    "precision_share",
    "suggest_application",
    "suggest_guideline",
]
