"""What the training loop needs to know of the network it trains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch


class Task(Protocol):
    """A network and its examples, which the loop knows by their places in two lists."""

    @property
    def network(self) -> torch.nn.Module: ...

    @property
    def lengths(self) -> Sequence[int]:
        """The tokens of each training example."""
        ...

    @property
    def fingerprint(self) -> str:
        """Pins the examples, and everything but the settings that shapes their inputs."""
        ...

    def start_epoch(self, epoch: int) -> None:
        """Called before an epoch's first step, and again where one is taken up in the middle.

        What an epoch draws (an order of answers, say) must follow from `epoch` and the seed alone.
        """
        ...

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        """The mean loss of some training examples, a scalar to differentiate."""
        ...

    def evaluate(self) -> Mapping[str, float]:
        """Figures on the dev examples; "loss" among them, and the one the settings select by."""
        ...
