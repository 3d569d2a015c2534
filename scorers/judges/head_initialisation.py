"""Initial weights of a judge's head: the feature weights that fit the gold scores best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from scorers.judges.scale import Loss, to_targets

if TYPE_CHECKING:
    from scorers.judges.network import JudgeNetwork

Vector = NDArray[np.float64]

# Gives correlated features similar weights instead of large opposite ones.
_RIDGE = 1e-3
_MAX_LOG_ODDS = 6.0


def fit_features(features: Vector, gold: Vector, loss: Loss) -> tuple[Vector, float]:
    """Fit non-negative weights and a bias by the mean loss with a ridge penalty of 1e-3.

    `features` has shape (examples, features), `gold` (examples,) from 0 to 1. Weights are not
    negative because features are similarities, of which more is better.
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
    start = np.append(np.zeros(count), _constant_output(gold, loss))
    result = scipy.optimize.minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return result.x[:count], float(result.x[count])


def initialise_head(network: JudgeNetwork, features: Vector, gold: Vector, loss: Loss) -> None:
    """Set the initial weights of a judge's head.

    With features these are the weights that fit best. Without features the bias is the best
    constant, or the head maps the reader's own `initial_weights` linearly to the ends of the scale.
    """
    import torch

    if features.shape[1]:
        weights, bias = fit_features(features, gold, loss)
        network.set_feature_weights(
            torch.from_numpy(weights)[None].float(), torch.tensor([bias], dtype=torch.float32)
        )
        return
    initial_weights = getattr(network.reader, "initial_weights", None)
    if initial_weights is None:
        network.set_feature_weights(torch.empty(0), torch.tensor([_constant_output(gold, loss)]))
        return
    scale, low = (4.0, 1.0) if loss == "mse" else (2 * _MAX_LOG_ODDS, -_MAX_LOG_ODDS)
    with torch.no_grad():
        network.out.weight.copy_(scale * initial_weights()[None])
        network.bias.fill_(low)


def _constant_output(gold: Vector, loss: Loss) -> float:
    """The constant output that fits the gold scores best."""
    mean = float(gold.mean())
    if loss == "mse":
        return 1 + 4 * mean
    mean = float(np.clip(mean, 0.01, 0.99))
    return float(np.log(mean / (1 - mean)))
