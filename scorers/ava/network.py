"""Peer attention (AVA, Section 5.2, A2). Needs torch; imported only when a judge is."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

from scorers.encoders import supported_inputs
from scorers.errors import EncoderError
from scorers.judges.network import FirstStates, Inputs


class PeerReader(FirstStates):
    """Two pairs a and b, read in two passes: the [CLS] states of a0, a1, b0 and b1, side by side.

    `instances` are the encoders of a0, b0, a1 and b1, or one for all. See `AvaForm` for `peer`.
    """

    def __init__(self, instances: Sequence[torch.nn.Module], peer: str) -> None:
        super().__init__(instances)
        self.peer = peer

    def forward(self, inputs: Inputs) -> torch.Tensor:
        """Shape (batch, 4 times width)."""
        a, b = inputs
        count = len(self.encoders)
        first = [self.encoders[k % count] for k in (0, 1)]
        second = [self.encoders[k % count] for k in (2, 3)]
        encoded = [
            encoder(**supported_inputs(encoder, batch)).last_hidden_state
            for encoder, batch in zip(first, (a, b), strict=True)
        ]
        decoded = []
        for k, batch in enumerate((a, b)):
            source = k if self.peer == "own" else 1 - k
            if self.peer == "cross":
                states, mask = encoded[source], inputs[source]["attention_mask"]
                decoded.append(_encode_with_cross_attention(second[k], batch, states, mask))
            else:
                decoded.append(encode_with_state(second[k], batch, encoded[source][:, 0]))
        return torch.cat(
            [encoded[0][:, 0], decoded[0][:, 0], encoded[1][:, 0], decoded[1][:, 0]], dim=-1
        )


def encode_with_state(
    encoder: Any, batch: dict[str, torch.Tensor], state: torch.Tensor
) -> torch.Tensor:
    """Last hidden states of inputs with one more embedding, `state` of shape (batch, width).

    It takes the place of a word's embedding right after each input's last token, wherever its
    padding starts, with that token's type; shape (batch, tokens + 1, width).
    """
    mask = batch["attention_mask"]
    ends = mask.sum(1)
    rows = torch.arange(len(mask), device=mask.device)
    embedded = encoder.get_input_embeddings()(batch["input_ids"])
    longer = torch.nn.functional.pad(embedded, (0, 0, 0, 1))
    place = torch.nn.functional.one_hot(ends, mask.shape[1] + 1).bool()
    longer = torch.where(place.unsqueeze(-1), state.to(longer.dtype).unsqueeze(1), longer)
    types = torch.nn.functional.pad(batch["token_type_ids"], (0, 1))
    types[rows, ends] = batch["token_type_ids"][rows, ends - 1]
    wider = torch.nn.functional.pad(mask, (0, 1))
    wider[rows, ends] = 1
    inputs = supported_inputs(encoder, {"token_type_ids": types, "attention_mask": wider})
    states: torch.Tensor = encoder(inputs_embeds=longer, **inputs).last_hidden_state
    return states


def add_cross_attention(encoder: Any) -> Any:
    """A copy of an encoder whose layers attend to given states as well.

    What is added starts untrained; the attention among an input's own tokens stays one in both
    directions. Raises EncoderError for an encoder of a kind that has no such form.
    """
    config = copy.deepcopy(encoder.config)
    config.is_decoder = True
    config.add_cross_attention = True
    whole = type(encoder)(config)
    if not any("crossattention" in name for name, _ in whole.named_parameters()):
        raise EncoderError(
            f"{type(encoder).__name__} takes no cross-attention: choose another peer"
        )
    whole.load_state_dict(encoder.state_dict(), strict=False)
    # As a decoder a token would see only those before it, and [CLS] nothing but itself.
    whole.config.is_decoder = False
    whole.config.use_cache = False
    for module in whole.modules():
        if hasattr(module, "is_causal"):
            module.is_causal = False
    return whole


def _encode_with_cross_attention(
    encoder: Any, batch: dict[str, torch.Tensor], states: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    found: torch.Tensor = encoder(
        **supported_inputs(encoder, batch),
        encoder_hidden_states=states,
        encoder_attention_mask=mask,
    ).last_hidden_state
    return found
