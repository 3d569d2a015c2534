"""The keyphrase predictor's network: an encoder, a tanh layer and a classifier of tokens.

KPQA (Sections 3.1 and 5.1, appendix C.1): one fully connected layer of the encoder's width with
tanh, then a softmax over two classes for each token, keyphrase or not. This module needs torch
and is imported when a predictor is loaded.
"""

from __future__ import annotations

import torch

from scorers.encoders import supported_inputs

KEYPHRASE = 0


class KeyphraseNetwork(torch.nn.Module):
    """Logits of shape (batch, tokens, 2); class 0 is "keyphrase"."""

    def __init__(self, encoder: torch.nn.Module, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.dense = torch.nn.Linear(width, width)
        self.out = torch.nn.Linear(width, 2)

    def forward(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        hidden = self.encoder(**supported_inputs(self.encoder, inputs)).last_hidden_state
        logits: torch.Tensor = self.out(torch.tanh(self.dense(hidden)))
        return logits

    def weights(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """KPW: the probability that each token belongs to a keyphrase, shape (batch, tokens)."""
        weights: torch.Tensor = self(inputs).float().softmax(-1)[..., KEYPHRASE]
        return weights
