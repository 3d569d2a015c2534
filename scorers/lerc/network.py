"""What reads LERC's inputs. Needs torch; imported only when a judge is."""

from __future__ import annotations

import torch

from scorers.encoders import accepted
from scorers.judges.network import FirstStates, Inputs
from scorers.keyphrases.network import KEYPHRASE, KeyphraseNetwork
from scorers.learned.adapters import merged


class FirstStatesWithKeyphrases(FirstStates):
    """The first hidden state, of an encoder that learns to find keyphrases too."""

    def __init__(self, encoder: torch.nn.Module, width: int) -> None:
        super().__init__([encoder])
        self.keyphrases = KeyphraseNetwork(encoder, width)

    def merge(self) -> None:
        """As `FirstStates.merge`."""
        super().merge()
        self.keyphrases.encoder = self.encoders[0]


class MatchReader(torch.nn.Module):
    """Two texts read apart, each after the question, and matched token by token.

    KPQA's BERTScore (Sections 3.1 and 3.2) with everything in it learned: w(i) is the keyphrase
    head's probability for a text's i-th wordpiece, its vector that of hidden layer `layer`, and
    precision and recall are w-weighted means of best cosines. The result has precision, recall
    and their F1, the cosine of the w-weighted mean vectors u (reference) and v (candidate), and
    u * v and |u - v|: 4 + 2 width numbers.
    """

    def __init__(self, encoder: torch.nn.Module, width: int, layer: int) -> None:
        super().__init__()
        self.keyphrases = KeyphraseNetwork(encoder, width)
        self.layer = layer

    def forward(self, inputs: Inputs) -> torch.Tensor:
        """Inputs are (question, reference) and (question, candidate), the text's type 1."""
        reference, candidate = (self._weighted(batch) for batch in inputs)
        cosines = candidate[0] @ reference[0].transpose(1, 2)
        precision = _mean(_best(cosines, reference[1]), candidate[1])
        recall = _mean(_best(cosines.transpose(1, 2), candidate[1]), reference[1])
        f1 = 2 * precision * recall / (precision + recall).clamp_min(1e-6)
        u, v = reference[2], candidate[2]
        cosine = torch.nn.functional.cosine_similarity(u, v, dim=-1, eps=1e-6)
        scores = torch.stack([precision, recall, f1, cosine], dim=-1)
        return torch.cat([scores, u * v, (u - v).abs()], dim=-1)

    def starting_weights(self) -> torch.Tensor:
        """Weights over the result with which it is the F1 alone."""
        width = self.keyphrases.dense.in_features
        weights = torch.zeros(4 + 2 * width)
        weights[2] = 1.0
        return weights

    def merge(self) -> None:
        """As `FirstStates.merge`."""
        self.keyphrases.encoder = merged(self.keyphrases.encoder)

    def _weighted(self, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Unit vectors (batch, tokens, width), weights (batch, tokens), mean vector (batch, width).

        Only the text's tokens have a weight; its separator, the last token, has none.
        """
        head = self.keyphrases
        found = head.encoder(**accepted(head.encoder, batch), output_hidden_states=True)
        logits = head.out(torch.tanh(head.dense(found.last_hidden_state))).float()
        following = torch.nn.functional.pad(batch["attention_mask"][:, 1:], (0, 1))
        text = (batch["token_type_ids"] == 1) & (following == 1)
        weights = logits.softmax(-1)[..., KEYPHRASE] * text
        states = found.hidden_states[self.layer].float()
        shares = weights / weights.sum(-1, keepdim=True).clamp_min(1e-6)
        mean = (shares.unsqueeze(-1) * states).sum(1)
        unit = torch.nn.functional.normalize(states, dim=-1, eps=1e-6)
        return unit, weights, torch.nn.functional.normalize(mean, dim=-1, eps=1e-6)


def _best(cosines: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Each row's best cosine with a token that has a weight; 0 where there is none."""
    there = weights > 0
    best = cosines.masked_fill(~there.unsqueeze(1), -1.0).amax(-1)
    return best * there.any(-1, keepdim=True)


def _mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The weighted mean; 0 where nothing has a weight."""
    return (values * weights).sum(-1) / weights.sum(-1).clamp_min(1e-6)
