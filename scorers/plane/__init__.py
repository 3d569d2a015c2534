"""The evaluation plane of Soricut and Brill (2004): which member of AEv explains people best?

`statistics` counts texts once, `grid` makes the 11 x 4 table of R^2 over systems from the counts
and says how sure its best cell is, `position` says where the paper would have looked for it, and
`flooding` simulates raters who punish extraneous sentences. Pure numpy over `scorers.aev`; texts
are tokenised by a `scorers.Session`. Raises PlaneError for what cannot be answered.
"""

from scorers.plane.errors import PlaneError
from scorers.plane.flooding import Flooded, FloodedSet, Flooding, flood
from scorers.plane.grid import (
    ALPHAS,
    LEVELS,
    ORDERS,
    Cell,
    Grid,
    Level,
    Uncertainty,
    make_grid,
    uncertainty,
)
from scorers.plane.position import (
    APPLICATIONS,
    GUIDELINES,
    PAPER,
    Landmark,
    Place,
    Region,
    Sizes,
    Suggestion,
    place,
    suggest_application,
    suggest_guideline,
    weighing,
)
from scorers.plane.statistics import FEWEST_SYSTEMS, PlaneSample, count_candidates

__all__ = [
    "ALPHAS",
    "APPLICATIONS",
    "FEWEST_SYSTEMS",
    "GUIDELINES",
    "LEVELS",
    "ORDERS",
    "PAPER",
    "Cell",
    "Flooded",
    "FloodedSet",
    "Flooding",
    "Grid",
    "Landmark",
    "Level",
    "Place",
    "PlaneError",
    "PlaneSample",
    "Region",
    "Sizes",
    "Suggestion",
    "Uncertainty",
    "count_candidates",
    "flood",
    "make_grid",
    "place",
    "suggest_application",
    "suggest_guideline",
    "uncertainty",
    "weighing",
]
