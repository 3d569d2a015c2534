"""Freezing a study to a judgment set: preview, request, and work of a worker."""

from benchmarks.freezing.services.jobs import FREEZINGS, request, visible_set
from benchmarks.freezing.services.making import default_name, freeze, has_only_pairs
from benchmarks.freezing.services.preparing import Frozen, MixedRatingsError, prepare
from benchmarks.freezing.services.previews import FreezingPreview, is_small, preview

__all__ = [
    "FREEZINGS",
    "FreezingPreview",
    "Frozen",
    "MixedRatingsError",
    "default_name",
    "freeze",
    "has_only_pairs",
    "is_small",
    "prepare",
    "preview",
    "request",
    "visible_set",
]
