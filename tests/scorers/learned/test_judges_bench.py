"""The table of `bench.judges` equals the library's figures, also in draws of questions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from bench import judges
from concord import meta
from concord.meta.correctness import FIGURES, auc, count_confusion, metric_verdicts, system_errors
from scorers.datasets.judgments import Judgment


def answers(rng: np.random.Generator) -> list[Judgment]:
    """Answers of three systems to twenty questions, right or wrong."""
    return [
        Judgment(f"{k}-{s}", f"q{k}", ("r",), "c", float(rng.random() < 0.4 + s / 5), group=f"{k}",
                 system=f"s{s}")
        for k in range(20) for s in range(3)
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_a_draw_has_the_library_figures_of_the_answers_it_repeats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = judges.Part.of(answers(rng))
    scores = np.round(rng.random((2, 60)), 1) + 0.3 * part.gold  # with ties
    thresholds = np.array([[0.5, 0.6], [0.7, 0.4]])
    weights = np.bincount(rng.integers(20, size=20), minlength=20)
    indices = np.stack([rankdata(row, "dense").astype(np.int64) - 1 for row in scores])
    figures = judges._figures(scores, indices, part, thresholds, weights.astype(float))
    drawn = np.repeat(np.arange(60), weights[part.questions])
    right, systems = part.gold[drawn] > 0.5, part.systems[drawn]
    for m, row in enumerate(scores[:, drawn]):
        counts = count_confusion(metric_verdicts(row, thresholds[m, 0]), right).counts
        shares, people = (
            np.array([values[systems == k].mean() for k in range(3)])
            for values in (metric_verdicts(row, thresholds[m, 1]), right)
        )
        expected = {
            "pearson": meta.pearson(row, part.gold[drawn]).value,
            "auc": auc(row, right, np.arange(len(row))).value,
            "balanced accuracy": float(FIGURES["balanced_accuracy"](counts)),
            "f1": float(FIGURES["f1"](counts)),
            "rmse": system_errors(shares, people).rmse.value,
        }
        for name, value in expected.items():
            assert figures[name][m] == pytest.approx(value, abs=1e-12), name
