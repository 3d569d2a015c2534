"""Embeddings of texts and what they predict."""

from __future__ import annotations

import numpy as np
import pytest

import scorers
from scorers.text_embeddings import predict_out_of_fold


def test_the_cosine_of_embeddings_is_sentence_similarity() -> None:
    (metric,) = scorers.parse_metrics("sentence-similarity")
    texts = ["a boat on the lake", "a ship at sea", ""]
    with scorers.Session(device="cpu") as session:
        vectors = session.embeddings(metric, texts)
        score = session.score(metric, [scorers.Item(texts[0], (texts[1],))])[0]
    assert vectors.shape == (3, 384) and vectors.dtype == np.float64
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert vectors[0] @ vectors[1] == pytest.approx(score, abs=1e-6)


def test_predictions_follow_a_linear_signal_and_nothing_else() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(400, 20))
    clusters = np.repeat(np.arange(100), 4)
    signal = features[:, 0] + 0.5 * rng.normal(size=400)
    assert np.corrcoef(predict_out_of_fold(features, signal, clusters), signal)[0, 1] > 0.8
    # Gold is a property of the passage, and so are the features, but they are not related.
    by_passage = rng.normal(size=(100, 20))[clusters]
    gold = rng.normal(size=100)[clusters]
    assert abs(np.corrcoef(predict_out_of_fold(by_passage, gold, clusters), gold)[0, 1]) < 0.35


def test_one_passage_is_refused() -> None:
    with pytest.raises(ValueError, match="two passages"):
        predict_out_of_fold(np.zeros((4, 2)), np.arange(4.0), np.zeros(4, dtype=np.int64))
