"""A judge's network: a reader encodes the item, and a head combines its vector with features.

This module needs torch and is imported when a judge is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from scorers.encoders import supported_inputs
from scorers.learned.adapters import merge_adapters

Inputs = Sequence[dict[str, torch.Tensor]]


class JudgeNetwork(torch.nn.Module):
    """Outputs of shape (batch, outputs), linear in the reader's vector and the features.

    output = bias + features . weights + residual, where the residual is a linear layer over the
    reader's vector. Without features this is the regression or classification layer of the
    papers. With features the linear layer starts at zero, so training starts from the features
    alone. A `bound` b limits the residual to [-b, b] by b tanh(x / b); bound 0 leaves the reader
    out. With `held` the feature weights stay at their initial values.
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
        """`inputs` are the reader's inputs of a batch; `features` has shape (batch, features)."""
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

    def set_feature_weights(self, weights: torch.Tensor, bias: torch.Tensor) -> None:
        """Set the features' weights, of shape (outputs, features), and the bias."""
        with torch.no_grad():
            if self.weights is not None:
                self.weights.copy_(weights)
            self.bias.copy_(bias)


class FirstStates(torch.nn.Module):
    """The concatenated last hidden states of the first token of each input.

    `instances` are the encoders: one for each input, or one for all.
    """

    def __init__(self, instances: Sequence[torch.nn.Module]) -> None:
        super().__init__()
        self.encoders = torch.nn.ModuleList(instances)

    def forward(self, inputs: Inputs) -> torch.Tensor:
        """Shape (batch, inputs times width)."""
        states = []
        for index, batch in enumerate(inputs):
            encoder = self.encoders[index % len(self.encoders)]
            states.append(encoder(**supported_inputs(encoder, batch)).last_hidden_state[:, 0])
        return torch.cat(states, dim=-1)

    def merge(self) -> None:
        """Merge low-rank adapters into the encoders' weights, for inference."""
        for index, encoder in enumerate(self.encoders):
            self.encoders[index] = merge_adapters(encoder)
