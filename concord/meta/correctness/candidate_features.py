"""Features of a candidate for rerankers, without references."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concord.arrays import Floats
from concord.word_overlap import sim_text

FEATURES = ("length in words", "overlap with the question")


def candidate_features(questions: Sequence[str], candidates: Sequence[str]) -> Floats:
    """FEATURES of n candidates, (2, n): log(1 + words), and AVA's sim-text, from 0 to 1."""
    words = [np.log1p(len(candidate.split())) for candidate in candidates]
    overlap = [
        sim_text(question, candidate)
        for question, candidate in zip(questions, candidates, strict=True)
    ]
    return np.array([words, overlap], dtype=np.float64)
