"""The evaluation plane of Soricut and Brill (2004): which member of AEv explains people best?

`statistics` counts texts once, `grid` makes the 11 x 4 table of R^2 over systems from the counts
and says how sure its best cell is, `position` says where the paper would have looked for it, and
`flooding` simulates raters who punish extraneous sentences. Pure numpy over `scorers.aev`; texts
are tokenised by a `scorers.Session`. Raises PlaneError for what cannot be answered.
"""

from scorers.plane.errors import PlaneError
from scorers.plane.flooding import FloodedAnswer, FloodedSet, Flooding, flood
from scorers.plane.grid import (
    ALPHAS,
    LEVELS,
    ORDERS,
    Cell,
    Grid,
    Level,
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
    Region,
    Suggestion,
    TextSizes,
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
    "Cell",
    "FloodedAnswer",
    "FloodedSet",
    "Flooding",
    "Grid",
    "Landmark",
    "Level",
    "PlaneError",
    "PlaneSample",
    "Position",
    "Region",
    "Suggestion",
    "TextSizes",
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
