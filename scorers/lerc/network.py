"""The networks that encode LERC's inputs. Needs torch; imported when a judge is loaded."""

from __future__ import annotations

import torch

from scorers.encoders import supported_inputs
from scorers.judges.network import FirstStates, Inputs
from scorers.keyphrases.network import KEYPHRASE, KeyphraseNetwork
from scorers.learned.adapters import merge_adapters


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
        self.keyphrases.encoder = merge_adapters(self.keyphrases.encoder)

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
