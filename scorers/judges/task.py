"""The training task of a judge: inputs, loss and dev figures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scorers.encoders.batching import batches_by_length
from scorers.errors import TrainingError
from scorers.judges.auxiliary_task import AuxiliaryTask
from scorers.judges.examples import Combine, Examples, combine_scores
from scorers.judges.figures import correlations, f1_threshold, is_binary, verdict_figures
from scorers.judges.judge import network_pass
from scorers.judges.plan import JudgePlan
from scorers.judges.scale import to_scores, to_targets

if TYPE_CHECKING:
    import torch

    from scorers.judges.network import JudgeNetwork

_DEV_TOKENS_PER_BATCH = 8192


class JudgeTask:
    """The task of the training loop (`scorers.learned.task.LearningTask`) for a judge.

    The loss "mse" is a regression on ratings from 1 to 5 (LERC, Section 3.1). The loss "logistic"
    is the cross-entropy of the log-odds of being correct; gold scores may be graded. Dev figures
    are of items, as the metric scores them.
    """

    def __init__(
        self,
        network: JudgeNetwork,
        plan: JudgePlan,
        tokeniser: Any,
        train: Examples,
        dev: Examples,
        *,
        max_tokens: int,
        auxiliary_task: AuxiliaryTask | None = None,
    ) -> None:
        if not len(train) or not len(dev):
            raise TrainingError(
                f"{len(train)} training and {len(dev)} dev examples are too few: "
                "at least one of each is needed, from different passages"
            )
        self.network = network
        self.plan = plan
        self.device = next(network.parameters()).device
        self.auxiliary_task = auxiliary_task
        self.dev = dev
        self.targets = train.gold
        padding = tokeniser.pad_token_id or 0
        inputs = plan.form.inputs(tokeniser, train.rows, max_tokens)
        dev_inputs = plan.form.inputs(tokeniser, dev.rows, max_tokens)
        self.lengths = [sum(map(len, readings)) for readings in inputs]
        self._dev_lengths = [sum(map(len, readings)) for readings in dev_inputs]
        self._run = network_pass(network, inputs, train.features, self.device, padding)
        self._run_dev = network_pass(network, dev_inputs, dev.features, self.device, padding)
        parts = (train.fingerprint(), dev.fingerprint(), plan.loss, plan.combine, repr(plan.form))
        joined = "\n".join((*parts, auxiliary_task.fingerprint if auxiliary_task else ""))
        self.fingerprint = hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()

    def start_epoch(self, epoch: int) -> None:
        """Draw the epoch's keyphrase examples of the auxiliary task."""
        if self.auxiliary_task:
            self.auxiliary_task.start_epoch(epoch)

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        loss = self._losses(self._run(indices), self.targets[list(indices)]).mean()
        if self.auxiliary_task:
            loss = loss + self.auxiliary_task.loss(indices)
        return loss

    def evaluate(self) -> Mapping[str, float]:
        """The loss of the dev rows, and the items' correlations and, for binary gold, verdicts."""
        outputs, total = np.empty(len(self.dev)), 0.0
        for batch in batches_by_length(self._dev_lengths, _DEV_TOKENS_PER_BATCH):
            batch_outputs = self._run_dev(batch)
            total += float(self._losses(batch_outputs, self.dev.gold[batch]).sum())
            outputs[batch] = batch_outputs[:, 0].float().cpu().numpy()
        figures = {"loss": total / len(self.dev)}
        scores = to_scores(outputs, self.plan.loss, rating=self.plan.rating)
        return {**figures, **dev_figures(scores, self.dev, self.plan.combine)}

    def _losses(self, outputs: torch.Tensor, gold: NDArray[np.float64]) -> torch.Tensor:
        import torch

        values = outputs[:, 0].float()
        targets = torch.from_numpy(to_targets(gold, self.plan.loss).astype(np.float32)).to(
            self.device
        )
        if self.plan.loss == "mse":
            return (values - targets) ** 2
        return torch.nn.functional.binary_cross_entropy_with_logits(
            values, targets, reduction="none"
        )


def dev_figures(scores: NDArray[np.float64], dev: Examples, combine: Combine) -> dict[str, float]:
    """Figures of items from the scores of their rows. The threshold is the one with the best F1."""
    items = combine_scores(scores, dev.owners, combine)
    gold = combine_scores(dev.gold, dev.owners, "max")
    figures = correlations(items, gold)
    if is_binary(gold):
        threshold = f1_threshold(items, gold > 0.5)
        figures |= {**verdict_figures(items, gold > 0.5, threshold), "threshold": threshold}
    return figures
