"""Conversions between gold scores, the targets of a network, and the scores of a metric."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Loss = Literal["mse", "logistic"]


def to_targets(gold: NDArray[np.float64], loss: Loss) -> NDArray[np.float64]:
    """The targets of the network's output: ratings from 1 to 5, or probabilities."""
    return 1 + 4 * gold if loss == "mse" else gold


def to_scores(outputs: NDArray[np.float64], loss: Loss, *, rating: bool) -> NDArray[np.float64]:
    """The scores of a metric from the network's outputs.

    With `rating` they are ratings from 1 to 5, which a regression may exceed a little; otherwise
    shares of the scale. Log-odds become probabilities.
    """
    if loss == "mse":
        return outputs if rating else (outputs - 1) / 4
    probabilities: NDArray[np.float64] = 0.5 * (1 + np.tanh(outputs / 2))
    return 1 + 4 * probabilities if rating else probabilities
