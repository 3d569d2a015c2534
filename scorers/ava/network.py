"""Peer attention (AVA, Section 5.2, A2). Needs torch; imported when a judge is loaded."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

from scorers.encoders import supported_inputs
from scorers.errors import EncoderError
from scorers.judges.network import FirstStates, Inputs


class PeerReader(FirstStates):
    """Encodes two pairs a and b in two passes: the concatenated [CLS] states of a0, a1, b0 and b1.

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
    """The last hidden states of inputs extended by one embedding: (batch, tokens + 1, width).

    `state`, of shape (batch, width), is inserted after each input's last token, with that token's
    type and before the padding.
    """
    mask = batch["attention_mask"]
    ends = mask.sum(1)
    rows = torch.arange(len(mask), device=mask.device)
    embedded = encoder.get_input_embeddings()(batch["input_ids"])
    extended = torch.nn.functional.pad(embedded, (0, 0, 0, 1))
    is_end = torch.nn.functional.one_hot(ends, mask.shape[1] + 1).bool()
    extended = torch.where(is_end.unsqueeze(-1), state.to(extended.dtype).unsqueeze(1), extended)
    types = torch.nn.functional.pad(batch["token_type_ids"], (0, 1))
    types[rows, ends] = batch["token_type_ids"][rows, ends - 1]
    extended_mask = torch.nn.functional.pad(mask, (0, 1))
    extended_mask[rows, ends] = 1
    inputs = supported_inputs(encoder, {"token_type_ids": types, "attention_mask": extended_mask})
    states: torch.Tensor = encoder(inputs_embeds=extended, **inputs).last_hidden_state
    return states


def add_cross_attention(encoder: Any) -> Any:
    """A copy of an encoder whose layers also have cross-attention, with untrained weights.

    Self-attention stays bidirectional. Raises EncoderError for a kind of encoder that does not
    support cross-attention.
    """
    config = copy.deepcopy(encoder.config)
    config.is_decoder = True
    config.add_cross_attention = True
    copied = type(encoder)(config)
    if not any("crossattention" in name for name, _ in copied.named_parameters()):
        raise EncoderError(
            f"{type(encoder).__name__} does not support cross-attention: choose another --peer"
        )
    copied.load_state_dict(encoder.state_dict(), strict=False)
    # A decoder's token would attend only to earlier tokens, and [CLS] only to itself.
    copied.config.is_decoder = False
    copied.config.use_cache = False
    for module in copied.modules():
        if hasattr(module, "is_causal"):
            module.is_causal = False
    return copied


def _encode_with_cross_attention(
    encoder: Any, batch: dict[str, torch.Tensor], states: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    output: torch.Tensor = encoder(
        **supported_inputs(encoder, batch),
        encoder_hidden_states=states,
        encoder_attention_mask=mask,
    ).last_hidden_state
    return output
