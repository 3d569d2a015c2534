"""The input form of a judge: how it encodes an item. LERC and AVA have their own forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from scorers.encoders import Pieces, position_limit
from scorers.errors import EncoderError
from scorers.judges.features import FeatureMetrics
from scorers.judges.rows import Row
from scorers.late_import import late_import

if TYPE_CHECKING:
    import torch

    from scorers.judges.network import JudgeNetwork

Readings = tuple[Pieces, ...]


class Form(Protocol):
    """Makes a judge's inputs, and the part of the network that encodes them."""

    def inputs(self, tokeniser: Any, rows: Sequence[Row], max_tokens: int) -> list[Readings]:
        """One or several inputs for each row, each of at most `max_tokens` tokens."""
        ...

    def reader(self, encoder: Any, lora_rank: int) -> tuple[torch.nn.Module, int]:
        """The module that maps a padded batch of inputs to vectors, and the vectors' width.

        The module has a method `merge`, which adds adapters to the weights of their encoder.
        """
        ...


@dataclass(frozen=True, slots=True)
class Head:
    """The output layer on the reader; see `JudgeNetwork`. `features` are names of metrics."""

    outputs: int = 1
    features: tuple[str, ...] = ()
    bound: float | None = None
    held: bool = False

    def __post_init__(self) -> None:
        FeatureMetrics(self.features)
        if self.bound is not None and not 0 <= self.bound < float("inf"):
            raise ValueError(f"the bound must be 0 or above, not {self.bound}")
        if (self.bound is not None or self.held) and not self.features:
            raise ValueError("a bound and fixed feature weights need features: name some")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Head:
        """The head that a card's options describe."""
        bound = options["bound"]
        return cls(
            outputs=int(options["outputs"]),
            features=tuple(options["features"]),
            bound=None if bound is None else float(bound),
            held=bool(options["held"]),
        )


def build_network(
    form: Form, head: Head, encoder: Any, lora_rank: int, max_tokens: int = 1
) -> JudgeNetwork:
    """An untrained judge on an encoder, with adapters if the rank is above 0.

    Raises EncoderError when the encoder cannot read inputs of `max_tokens`.
    """
    if max_tokens > position_limit(encoder):
        raise EncoderError(
            f"the encoder reads {position_limit(encoder)} tokens at most, not {max_tokens}: "
            "choose a lower --max-tokens"
        )
    reader, width = form.reader(encoder, lora_rank)
    network: JudgeNetwork = late_import("scorers.judges.network", "JudgeNetwork")(
        reader, width, head.outputs, len(head.features), head.bound, head.held
    )
    return network
