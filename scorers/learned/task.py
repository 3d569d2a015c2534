"""The interface between the training loop and the network it trains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch


class LearningTask(Protocol):
    """A network and its examples, which the loop addresses by their indices."""

    @property
    def network(self) -> torch.nn.Module:
        """The network to train."""
        ...

    @property
    def lengths(self) -> Sequence[int]:
        """The number of tokens of each training example."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of the examples and of all that determines their inputs, the settings excepted."""
        ...

    def start_epoch(self, epoch: int) -> None:
        """Prepare an epoch; also called when a training resumes in the middle of one.

        All draws of an epoch (such as an order of answers) must depend on `epoch` and the seed
        alone.
        """
        ...

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        """The mean loss of some training examples, a differentiable scalar."""
        ...

    def evaluate(self) -> Mapping[str, float]:
        """Dev figures by name; they include "loss" and the one that `best_by` names."""
        ...
