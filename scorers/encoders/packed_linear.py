"""A linear layer that oneDNN computes. This module needs torch and is imported with a model."""

from __future__ import annotations

import torch

# The number of tokens for which oneDNN chooses the layout of the weights.
_TOKENS = 4096


class PackedLinear(torch.nn.Module):
    """A linear layer in float32, for inference on a CPU."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight, _TOKENS)
        self._bias = None if linear.bias is None else linear.bias.detach()

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """`states` has shape (..., inputs), the result (..., outputs)."""
        result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
            states, self._weight, self._bias, "none", [], ""
        )
        return result
