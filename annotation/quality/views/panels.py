"""Distributions of the ratings over the scale."""

from __future__ import annotations

import numpy as np

from annotation.quality.services.rating_data import CollectedRatings
from annotation.studies.models import Study
from concord.plots import HistogramPanel, histogram_panels


def distribution_panels(study: Study, data: CollectedRatings) -> list[HistogramPanel]:
    """How often each point of the scale, or range of a slider, was chosen; one panel per stage."""
    protocol = study.current.protocol
    bins = protocol.bins()
    stages = {}
    for kind in data.stage_kinds:
        values = data.of_stage(kind).ratings.values.astype(np.int64) - protocol.low
        inside = values[(values >= 0) & (values <= protocol.high - protocol.low)]
        counts = np.bincount(inside // protocol.bin_width, minlength=len(bins))
        stages[kind] = counts.tolist()
    return histogram_panels(bins, stages)
