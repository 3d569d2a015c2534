"""How often each point of the scale was given."""

from __future__ import annotations

import numpy as np

from annotation.quality.services.collected import Collected
from annotation.studies.models import Study
from concord.plots import Panel, histogram_panels


def distribution_panels(study: Study, found: Collected) -> list[Panel]:
    """How often each point was given, a panel a stage."""
    protocol = study.current.protocol
    points = [str(point) for point in range(protocol.low, protocol.high + 1)]
    stages = {}
    for kind in found.stage_kinds:
        values = found.of_stage(kind).ratings.values.astype(np.int64) - protocol.low
        inside = values[(values >= 0) & (values <= protocol.high - protocol.low)]
        counts = np.bincount(inside, minlength=len(points))
        stages[kind] = counts.tolist()
    return histogram_panels(points, stages)
