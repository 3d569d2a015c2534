"""The network of a learned metric: its form, its head, and a trained one in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from scorers.encoders import Device, Pieces, pad_batch, position_limit, run_indices
from scorers.errors import EncoderError
from scorers.late_import import late_import
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import LoadedNetwork
from scorers.learned.features import FeatureMetrics, Features
from scorers.learned.rows import Row, Vector, to_scores

if TYPE_CHECKING:
    import torch

    from scorers.learned.networks import ScoringNetwork

Readings = tuple[Pieces, ...]
OnProgress = Callable[[int], None]

_ROUNDING = 1e-4  # the network adds its parts in float32


class Form(Protocol):
    """Makes the inputs of a network, and the part of it that encodes them. LERC and AVA have their
    own forms."""

    def inputs(self, tokeniser: Any, rows: Sequence[Row], max_tokens: int) -> list[Readings]:
        """One or several inputs for each row, each of at most `max_tokens` tokens."""
        ...

    def reader(self, encoder: Any, lora_rank: int) -> tuple[torch.nn.Module, int]:
        """The module that maps a padded batch of inputs to vectors, and the vectors' width.

        The module has a method `merge`, which adds adapters to the weights of their encoder.
        """
        ...

    def options(self) -> dict[str, Any]:
        """The form's options in a card."""
        ...


@dataclass(frozen=True, slots=True)
class Head:
    """The output layer on the reader; see `ScoringNetwork`. `features` are names of metrics."""

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

    def options(self) -> dict[str, Any]:
        """The head's options in a card."""
        return {**asdict(self), "features": list(self.features)}


def build_network(
    form: Form, head: Head, encoder: Any, lora_rank: int, max_tokens: int = 1
) -> ScoringNetwork:
    """An untrained network on an encoder, with adapters if the rank is above 0.

    Raises EncoderError when the encoder cannot read inputs of `max_tokens`.
    """
    if max_tokens > position_limit(encoder):
        raise EncoderError(
            f"the encoder reads {position_limit(encoder)} tokens at most, not {max_tokens}: "
            "choose a lower --max-tokens"
        )
    reader, width = form.reader(encoder, lora_rank)
    network: ScoringNetwork = late_import("scorers.learned.networks", "ScoringNetwork")(
        reader, width, head.outputs, len(head.features), head.bound, head.held
    )
    return network


class Scorer(Protocol):
    """A trained metric in memory, which scores rows."""

    def scores(
        self, rows: Sequence[Row], features: Features, on_progress: OnProgress | None = None
    ) -> Vector:
        """One float64 score for each row, which depends on the row alone."""
        ...

    def highest_scores(self, features: Features) -> Vector | None:
        """What each row's score is at most, by its features alone; None if that is not known."""
        ...


class LearnedModel(LoadedNetwork):
    """A trained network. Threads may share it; its forward passes run one after another.

    `rating`: whether its scores are ratings from 1 to 5, otherwise shares of the scale; see
    `to_scores`. With the precision `bf16` the encoder multiplies matrices in bfloat16; the head and
    the features stay in float32.
    """

    def __init__(
        self,
        folder: Path,
        card: CheckpointCard,
        form: Form,
        *,
        rating: bool,
        device: Device = "auto",
        model: str = "",
        precision: Literal["float32", "bf16"] = "float32",
    ) -> None:
        self.head = Head.of(card.options)

        def build(encoder: Any, lora_rank: int) -> ScoringNetwork:
            return build_network(form, self.head, encoder, lora_rank)

        super().__init__(folder, card, build, device, model, pack=precision == "float32")
        self.form = form
        self.precision = precision
        self.rating = rating

    def scores(
        self, rows: Sequence[Row], features: Features, on_progress: OnProgress | None = None
    ) -> Vector:
        """The score of each row, which depends on the row and its features alone, up to rounding.

        `on_progress(rows so far)` is called after each row; an exception it raises ends the work.
        """
        import torch

        inputs = self.form.inputs(self.tokeniser, rows, self.max_tokens)
        outputs = np.empty(len(rows))
        is_bf16 = self.precision == "bf16"
        with self.lock, torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=is_bf16):
            run = network_pass(self.network, inputs, features, self.device, self.padding)
            lengths = [sum(map(len, readings)) for readings in inputs]
            keys = [
                (*(reading.key for reading in readings), row.tobytes())
                for readings, row in zip(inputs, features, strict=True)
            ]
            results = run_indices(lengths, run, self.device, keys=keys)
            for count, (index, output) in enumerate(results, 1):
                outputs[index] = output[0]
                if on_progress:
                    on_progress(count)
        return self._to_scores(outputs)

    def highest_scores(self, features: Features) -> Vector | None:
        """What each row's score is at most, by its features alone; None if the head does not bound
        the encoder's part."""
        if self.head.bound is None:
            return None
        weights, bias = (
            value.detach().double().cpu().numpy()
            for value in (self.network.weights, self.network.bias)
        )
        highest = features @ weights.T + bias + self.head.bound + _ROUNDING
        return self._to_scores(highest[:, 0])

    def _to_scores(self, outputs: Vector) -> Vector:
        return to_scores(outputs, self.card.options["loss"], rating=self.rating)


def network_pass(
    network: torch.nn.Module,
    inputs: Sequence[Readings],
    features: Features,
    device: torch.device,
    padding: int,
) -> Callable[[Sequence[int]], torch.Tensor]:
    """A function from the indices of some inputs to the network's outputs for them."""
    import torch

    readings = range(len(inputs[0]) if inputs else 0)

    def run(indices: Sequence[int]) -> torch.Tensor:
        batches = [pad_batch([inputs[i][k] for i in indices], device, padding) for k in readings]
        batch_features = None
        if features.shape[1]:
            rows = features[list(indices)].astype(np.float32)
            batch_features = torch.from_numpy(rows).to(device)
        output: torch.Tensor = network(batches, batch_features)
        return output

    return run
