"""AVA's linear classifier (Section 5.1): an SVM over four similarities, with Platt scaling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from concord.word_overlap import is_included, sim_text
from scorers.errors import TrainingError
from scorers.judges.rows import Row
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import load_state

Vector = NDArray[np.float64]

_FOLDS = 5


@dataclass(frozen=True)
class LinearJudge:
    """The probability of being correct: 1 / (1 + exp(slope * distance + offset)).

    The distance is `weights` . x + `bias`, with x and `weights` of shape (4,).
    """

    weights: Vector
    bias: float
    slope: float
    offset: float

    @classmethod
    def read(cls, folder: Path, card: CheckpointCard) -> LinearJudge:
        """Load a checkpoint. Raises CheckpointError when that is impossible."""
        values = load_state(folder, card)["linear"].double().numpy()
        return cls(values[:4], float(values[4]), float(values[5]), float(values[6]))

    def values(self) -> Vector:
        """All parameters as one vector, as a checkpoint stores them."""
        return np.array([*self.weights, self.bias, self.slope, self.offset])

    def scores(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        on_progress: Callable[[int], None] | None = None,
    ) -> Vector:
        """The probability of each row. `features` are not used."""
        return self.probabilities(similarities(rows))

    def highest_scores(self, features: NDArray[np.float64]) -> None:
        """Not known without the rows."""

    def probabilities(self, similarity: Vector) -> Vector:
        """The probabilities for similarities of shape (rows, 4)."""
        log_odds = -(self.slope * (similarity @ self.weights + self.bias) + self.offset)
        probabilities: Vector = 0.5 * (1 + np.tanh(log_odds / 2))
        return probabilities


def similarities(rows: Sequence[Row]) -> Vector:
    """x1 to x4 of each row, float64 of shape (rows, 4), each in [0, 1] (AVA, Section 5.1).

    x1: whether t includes s, the short answer; x2, x3, x4: sim-text of (r, t), (r, q), (q, t).
    For a row without a short answer, s is the reference.
    """
    values = np.zeros((len(rows), 4))
    for index, row in enumerate(rows):
        values[index] = (
            is_included(row.short_answer or row.reference, row.candidate),
            sim_text(row.reference, row.candidate),
            sim_text(row.reference, row.question),
            sim_text(row.question, row.candidate),
        )
    return values


def fit_linear(similarity: Vector, correct: NDArray[np.bool_], seed: int) -> LinearJudge:
    """Train on similarities of shape (rows, 4) and verdicts of shape (rows,).

    Uses scikit-learn's linear SVM with Platt scaling by five-fold cross-validation. Raises
    TrainingError with fewer than five correct or five wrong answers.
    """
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import LinearSVC

    if min(int(correct.sum()), int((~correct).sum())) < _FOLDS:
        raise TrainingError(
            f"the linear classifier needs at least {_FOLDS} correct and {_FOLDS} wrong answers: "
            "give more data"
        )
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    classifier = LinearSVC(dual=False, random_state=seed)
    calibrated = CalibratedClassifierCV(classifier, method="sigmoid", cv=folds, ensemble=False)
    calibrated.fit(similarity, correct)
    (fitted,) = calibrated.calibrated_classifiers_
    (platt,) = fitted.calibrators
    return LinearJudge(
        weights=np.asarray(fitted.estimator.coef_[0], dtype=np.float64),
        bias=float(fitted.estimator.intercept_[0]),
        slope=float(platt.a_),
        offset=float(platt.b_),
    )
