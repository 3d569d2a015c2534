"""A judge's network: what a reader makes of an item, with features beside it, as a score.

This module needs torch and is imported only when a judge is.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from scorers.encoders import accepted
from scorers.learned.adapters import merged

Inputs = Sequence[dict[str, torch.Tensor]]


class JudgeNetwork(torch.nn.Module):
    """Outputs of shape (batch, outputs), linear in the reader's vector and the features.

    output = bias + features . weights + residual, the residual being a linear layer over the
    reader's vector. Without features this is the regression or classification layer of the
    papers. With them that layer starts at zero, so that training starts from the features alone;
    a `bound` b then holds what it adds within b of nothing, by b tanh(x / b), and bound 0 leaves
    the reader out. `held` features keep the weights they start from.
    """

    def __init__(
        self,
        reader: torch.nn.Module,
        width: int,
        outputs: int = 1,
        features: int = 0,
        bound: float | None = None,
        held: bool = False,
    ) -> None:
        super().__init__()
        self.reader = reader
        self.out = torch.nn.Linear(width, outputs, bias=False)
        self.bias = torch.nn.Parameter(torch.zeros(outputs))
        self.weights = torch.nn.Parameter(torch.zeros(outputs, features)) if features else None
        self.bound = bound
        self.held = held
        if features:
            torch.nn.init.zeros_(self.out.weight)

    def forward(self, inputs: Inputs, features: torch.Tensor | None = None) -> torch.Tensor:
        """Inputs are the reader's readings of a batch; features of shape (batch, features)."""
        device = self.bias.device.type
        if self.bound == 0:
            residual = self.bias.new_zeros((len(inputs[0]["input_ids"]), len(self.bias)))
        else:
            vector = self.reader(inputs)
            with torch.autocast(device, enabled=False):
                residual = self.out(vector.float())
        if self.bound:
            residual = self.bound * torch.tanh(residual / self.bound)
        output = residual + self.bias
        if self.weights is None or features is None:
            return output
        weights = self.weights.detach() if self.held else self.weights
        with torch.autocast(device, enabled=False):
            return output + features.to(weights.dtype) @ weights.T

    def start_from(self, weights: torch.Tensor, bias: torch.Tensor) -> None:
        """Give the features' weights, of shape (outputs, features), and the bias a value."""
        with torch.no_grad():
            if self.weights is not None:
                self.weights.copy_(weights)
            self.bias.copy_(bias)


class FirstStates(torch.nn.Module):
    """The first token's last hidden state of each reading, side by side.

    `instances` are the encoders: one for each reading, or one that all share.
    """

    def __init__(self, instances: Sequence[torch.nn.Module]) -> None:
        super().__init__()
        self.encoders = torch.nn.ModuleList(instances)

    def forward(self, inputs: Inputs) -> torch.Tensor:
        """Shape (batch, readings times width)."""
        states = []
        for place, batch in enumerate(inputs):
            encoder = self.encoders[place % len(self.encoders)]
            states.append(encoder(**accepted(encoder, batch)).last_hidden_state[:, 0])
        return torch.cat(states, dim=-1)

    def merge(self) -> None:
        """Add low-rank adapters to the encoders' weights, for serving."""
        for place, encoder in enumerate(self.encoders):
            self.encoders[place] = merged(encoder)
