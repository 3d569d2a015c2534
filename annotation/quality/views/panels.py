"""How often each point of the scale was given."""

from __future__ import annotations

import numpy as np

from annotation.quality.services.collected import Collected
from annotation.studies.models import Study
from concord.plots import ratings as plots


def distribution_panels(study: Study, found: Collected) -> list[plots.Distribution]:
    """How often each point was given, a panel a stage."""
    protocol = study.current.protocol
    rows = []
    for kind in found.stage_kinds:
        values = found.of_stage(kind).ratings.values.astype(np.int64) - protocol.low
        inside = values[(values >= 0) & (values <= protocol.high - protocol.low)]
        counts = np.bincount(inside, minlength=protocol.high - protocol.low + 1)
        rows.append((kind, counts.tolist()))
    return plots.distributions(rows, protocol.low)
