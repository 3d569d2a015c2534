"""Between gold scores, what a network is trained to put out, and what a metric gives."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Loss = Literal["mse", "logistic"]


def to_targets(gold: NDArray[np.float64], loss: Loss) -> NDArray[np.float64]:
    """What the network's output should be: a rating from 1 to 5, or a probability."""
    return 1 + 4 * gold if loss == "mse" else gold


def to_scores(outputs: NDArray[np.float64], loss: Loss, *, rating: bool) -> NDArray[np.float64]:
    """The network's outputs as a metric gives them.

    As ratings from 1 to 5, which a regression may pass a little; else as shares of the scale, the
    probabilities of log-odds.
    """
    if loss == "mse":
        return outputs if rating else (outputs - 1) / 4
    probabilities: NDArray[np.float64] = 0.5 * (1 + np.tanh(outputs / 2))
    return 1 + 4 * probabilities if rating else probabilities
