"""The networks of learned metrics, in torch.

`ScoringNetwork`: a reader encodes the item, and a head combines its vector with features. The
readers of LERC are `FirstStates`, `FirstStatesWithKeyphrases` and `MatchReader`, those of AVA
`FirstStates` and `PeerReader`. `KeyphraseNetwork` is the keyphrase predictor's. This module needs
torch and is imported when a network is made.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import torch

from scorers.encoders import supported_inputs
from scorers.errors import EncoderError
from scorers.late_import import late_import


def add_adapters(encoder: torch.nn.Module, rank: int) -> torch.nn.Module:
    """Add trainable adapters of a rank to all linear layers of an encoder; none for rank 0.

    LoRA (Hu et al., 2021) with scaling 2 and no dropout; the encoder's own weights are frozen.
    """
    if not rank:
        return encoder
    settings = late_import("peft", "LoraConfig")(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules="all-linear"
    )
    with warnings.catch_warnings():
        # peft reads a deprecated property of transformers each time it loads.
        warnings.simplefilter("ignore", FutureWarning)
        adapted: torch.nn.Module = late_import("peft", "get_peft_model")(encoder, settings)
    return adapted


def merge_adapters(encoder: torch.nn.Module) -> torch.nn.Module:
    """Add the adapters to the weights of their encoder, so that inference costs nothing more."""
    merged: torch.nn.Module = encoder.merge_and_unload()  # type: ignore[operator]
    return merged


def copy_encoder(encoder: Any, rank: int) -> Any:
    """A copy of an encoder, with adapters if the rank is above 0."""
    adapted: Any = add_adapters(copy.deepcopy(encoder), rank)
    if rank:
        for name, value in adapted.named_parameters():
            # The added cross-attention is untrained, and an adapter alone could not train it.
            if "crossattention" in name:
                value.requires_grad_(True)
    return adapted


KEYPHRASE = 0


class KeyphraseNetwork(torch.nn.Module):
    """Logits of shape (batch, tokens, 2); class 0 is "keyphrase".

    KPQA (Sections 3.1 and 5.1, appendix C.1): one fully connected layer of the encoder's width with
    tanh, then a softmax over two classes for each token, keyphrase or not.
    """

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

    def merge(self) -> None:
        """Add the adapters to the weights of their encoder, for inference."""
        self.encoder = merge_adapters(self.encoder)


Inputs = Sequence[dict[str, torch.Tensor]]


class ScoringNetwork(torch.nn.Module):
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

    def merge(self) -> None:
        """Add the adapters to the weights of their encoders, for inference."""
        self.reader.merge()  # type: ignore[operator]

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


class FirstStatesWithKeyphrases(FirstStates):
    """`FirstStates` of an encoder that also has a keyphrase head."""

    def __init__(self, encoder: torch.nn.Module, width: int) -> None:
        super().__init__([encoder])
        self.keyphrases = KeyphraseNetwork(encoder, width)

    def merge(self) -> None:
        """See `FirstStates.merge`."""
        super().merge()
        self.keyphrases.encoder = self.encoders[0]


class MatchReader(torch.nn.Module):
    """Matches two texts token by token; each is encoded after the question.

    This is a trainable form of KPQA's BERTScore (Sections 3.1 and 3.2). The weight w(i) is the
    keyphrase head's probability for a text's i-th wordpiece, and its vector that of hidden layer
    `layer`. Precision and recall are w-weighted means of best cosines. The result has 4 + 2 width
    numbers: precision, recall, their F1, the cosine of the w-weighted mean vectors u (reference)
    and v (candidate), u * v and |u - v|.
    """

    def __init__(self, encoder: torch.nn.Module, width: int, layer: int) -> None:
        super().__init__()
        self.keyphrases = KeyphraseNetwork(encoder, width)
        self.layer = layer

    def forward(self, inputs: Inputs) -> torch.Tensor:
        """Inputs are (question, reference) and (question, candidate) pairs."""
        reference, candidate = (self._weight_tokens(batch) for batch in inputs)
        cosines = candidate[0] @ reference[0].transpose(1, 2)
        precision = _weighted_mean(_best_weighted_cosines(cosines, reference[1]), candidate[1])
        recall = _weighted_mean(
            _best_weighted_cosines(cosines.transpose(1, 2), candidate[1]), reference[1]
        )
        f1 = 2 * precision * recall / (precision + recall).clamp_min(1e-6)
        u, v = reference[2], candidate[2]
        cosine = torch.nn.functional.cosine_similarity(u, v, dim=-1, eps=1e-6)
        scores = torch.stack([precision, recall, f1, cosine], dim=-1)
        return torch.cat([scores, u * v, (u - v).abs()], dim=-1)

    def initial_weights(self) -> torch.Tensor:
        """Weights over the result that select its F1."""
        width = self.keyphrases.dense.in_features
        weights = torch.zeros(4 + 2 * width)
        weights[2] = 1.0
        return weights

    def merge(self) -> None:
        """See `FirstStates.merge`."""
        self.keyphrases.merge()

    def _weight_tokens(self, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Unit vectors (batch, tokens, width), weights (batch, tokens), mean vector (batch, width).

        Only the text's tokens have a weight; all others, its separator included, have 0.
        """
        head = self.keyphrases
        output = head.encoder(**supported_inputs(head.encoder, batch), output_hidden_states=True)
        logits = head.out(torch.tanh(head.dense(output.last_hidden_state))).float()
        following = torch.nn.functional.pad(batch["attention_mask"][:, 1:], (0, 1))
        text = (batch["token_type_ids"] == 1) & (following == 1)
        weights = logits.softmax(-1)[..., KEYPHRASE] * text
        states = output.hidden_states[self.layer].float()
        shares = weights / weights.sum(-1, keepdim=True).clamp_min(1e-6)
        mean = (shares.unsqueeze(-1) * states).sum(1)
        unit = torch.nn.functional.normalize(states, dim=-1, eps=1e-6)
        return unit, weights, torch.nn.functional.normalize(mean, dim=-1, eps=1e-6)


def _best_weighted_cosines(cosines: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Each row's best cosine with a token of positive weight; 0 if there is no such token."""
    is_weighted = weights > 0
    best = cosines.masked_fill(~is_weighted.unsqueeze(1), -1.0).amax(-1)
    return best * is_weighted.any(-1, keepdim=True)


def _weighted_mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The weighted mean; 0 if all weights are 0."""
    return (values * weights).sum(-1) / weights.sum(-1).clamp_min(1e-6)


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
