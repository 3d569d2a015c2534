"""Where a judge's head starts: the weights of its features that fit the gold scores best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from scorers.judges.scale import Loss, to_targets

if TYPE_CHECKING:
    from scorers.judges.network import JudgeNetwork

Vector = NDArray[np.float64]

# Holds features that say the same thing to equal weights instead of great opposite ones.
_RIDGE = 1e-3
_LOG_ODDS_MOST = 6.0


def fit_features(features: Vector, gold: Vector, loss: Loss) -> tuple[Vector, float]:
    """Weights, none below zero, and a bias with the least mean loss, ridge 1e-3.

    `features` has shape (examples, features), `gold` (examples,) from 0 to 1. A feature is a
    similarity: that more of it should be worse is an accident of the examples.
    """
    targets = to_targets(gold, loss)
    count = features.shape[1]

    def cost(values: Vector) -> tuple[float, Vector]:
        weights, bias = values[:count], values[count]
        outputs = features @ weights + bias
        if loss == "mse":
            errors = outputs - targets
            value, slope = float((errors**2).mean()), 2 * errors
        else:
            value = float((np.logaddexp(0, outputs) - targets * outputs).mean())
            slope = 0.5 * (1 + np.tanh(outputs / 2)) - targets
        gradient = np.append(features.T @ slope / len(slope), slope.mean())
        gradient[:count] += 2 * _RIDGE * weights
        return value + _RIDGE * float(weights @ weights), gradient

    bounds = [(0.0, None)] * count + [(None, None)]
    start = np.append(np.zeros(count), _constant(gold, loss))
    found = scipy.optimize.minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return found.x[:count], float(found.x[count])


def start_head(network: JudgeNetwork, features: Vector, gold: Vector, loss: Loss) -> None:
    """Set a judge's head to where its training starts.

    With features, to the weights that fit best. Without, the bias is the best constant; a reader
    that has `starting_weights` of its own starts as the line through a scale's ends by them.
    """
    import torch

    if features.shape[1]:
        weights, bias = fit_features(features, gold, loss)
        network.start_from(
            torch.from_numpy(weights)[None].float(), torch.tensor([bias], dtype=torch.float32)
        )
        return
    starting = getattr(network.reader, "starting_weights", None)
    if starting is None:
        network.start_from(torch.empty(0), torch.tensor([_constant(gold, loss)]))
        return
    scale, low = (4.0, 1.0) if loss == "mse" else (2 * _LOG_ODDS_MOST, -_LOG_ODDS_MOST)
    with torch.no_grad():
        network.out.weight.copy_(scale * starting()[None])
        network.bias.fill_(low)


def _constant(gold: Vector, loss: Loss) -> float:
    """The output that fits best when it is the same for all."""
    mean = float(gold.mean())
    if loss == "mse":
        return 1 + 4 * mean
    mean = float(np.clip(mean, 0.01, 0.99))
    return float(np.log(mean / (1 - mean)))
