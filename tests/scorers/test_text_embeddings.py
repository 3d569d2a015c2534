"""Embeddings of texts."""

from __future__ import annotations

import numpy as np
import pytest

import scorers


def test_the_cosine_of_embeddings_is_sentence_similarity() -> None:
    (metric,) = scorers.parse_metrics("sentence-similarity")
    texts = ["a boat on the lake", "a ship at sea", ""]
    with scorers.Session(device="cpu") as session:
        vectors = session.embeddings(metric, texts)
        score = session.score(metric, [scorers.Item(texts[0], (texts[1],))])[0]
    assert vectors.shape == (3, 384) and vectors.dtype == np.float64
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert vectors[0] @ vectors[1] == pytest.approx(score, abs=1e-6)
