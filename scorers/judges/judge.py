"""A trained judge: loading its checkpoint and running its network."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import Scores
from scorers.encoders import (
    Device,
    EncoderFiles,
    choose_device,
    locate,
    open_model,
    pad_batch,
    prepare_for_inference,
    run_indices,
)
from scorers.errors import CheckpointError
from scorers.judges.form import Form, Head, Readings, build_network
from scorers.judges.rows import Row
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import load_weights

if TYPE_CHECKING:
    import torch

Outputs = NDArray[np.float64]
JudgePrecision = Literal["float32", "bf16"]
_ROUNDING = 1e-4  # the network adds its parts in float32


class Judge:
    """A trained network. Threads may share it; its forward passes run one after another."""

    def __init__(
        self,
        folder: Path,
        card: CheckpointCard,
        form: Form,
        device: Device = "auto",
        model: str = "",
        precision: JudgePrecision = "float32",
    ) -> None:
        """Load a checkpoint. Raises CheckpointError or EncoderError when that is impossible.

        `model` is the encoder's name or folder, if other than the name in the card. With `bf16`
        the encoder multiplies matrices in bfloat16; the head and the features stay in float32.
        """
        self.card = card
        self.form = form
        self.device = choose_device(device)
        self.head = Head.of(card.options)
        self.max_tokens = int(card.settings["max_tokens"])
        rank = int(card.settings["lora_rank"])
        self.tokeniser, encoder = open_model(locate_encoder(folder, card, model))
        network = build_network(form, self.head, encoder, rank)
        load_weights(network, folder, card)
        if rank:
            network.reader.merge()  # type: ignore[operator]
        self.network = prepare_for_inference(network, self.device, pack=precision == "float32")
        self.precision = precision
        self._lock = threading.Lock()

    def outputs(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        on_progress: Callable[[int], None] | None = None,
    ) -> Outputs:
        """The network's outputs for each row: float64 of shape (rows, outputs).

        A row's outputs depend on the row and its features alone, up to rounding.
        `on_progress(rows so far)` is called after each row; an exception it raises ends the work.
        """
        inputs = self.form.inputs(self.tokeniser, rows, self.max_tokens)
        outputs = np.empty((len(rows), self.head.outputs))
        with self._lock, self._autocast():
            run = network_pass(self.network, inputs, features, self.device, self._padding)
            lengths = [sum(map(len, readings)) for readings in inputs]
            keys = [
                (*(reading.key for reading in readings), row.tobytes())
                for readings, row in zip(inputs, features, strict=True)
            ]
            results = run_indices(lengths, run, self.device, keys=keys)
            for count, (index, output) in enumerate(results, 1):
                outputs[index] = output
                if on_progress:
                    on_progress(count)
        return outputs

    def highest_outputs(self, features: NDArray[np.float64]) -> Outputs | None:
        """What each row's outputs are at most, by its features alone, shape (rows, outputs); None
        if the head does not bound the encoder's part."""
        if self.head.bound is None:
            return None
        weights, bias = (
            value.detach().double().cpu().numpy()
            for value in (self.network.weights, self.network.bias)
        )
        highest: Outputs = features @ weights.T + bias + self.head.bound + _ROUNDING
        return highest

    def _autocast(self) -> torch.autocast:
        import torch

        return torch.autocast(
            self.device.type, dtype=torch.bfloat16, enabled=self.precision == "bf16"
        )

    @property
    def _padding(self) -> int:
        return self.tokeniser.pad_token_id or 0


class ScoringJudge(Judge):
    """A judge whose one output becomes a metric's score."""

    @abstractmethod
    def scores_of(self, outputs: Outputs) -> Scores:
        """The scores of outputs of shape (rows,); a higher output has a higher score."""

    def scores(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        on_progress: Callable[[int], None] | None = None,
    ) -> Scores:
        """The score of each row."""
        return self.scores_of(self.outputs(rows, features, on_progress)[:, 0])

    def highest_scores(self, features: NDArray[np.float64]) -> Scores | None:
        """What each row's score is at most, by its features alone; None if that is not known."""
        highest = self.highest_outputs(features)
        return None if highest is None else self.scores_of(highest[:, 0])


def network_pass(
    network: torch.nn.Module,
    inputs: Sequence[Readings],
    features: NDArray[np.float64],
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


def locate_encoder(folder: Path, card: CheckpointCard, model: str = "") -> EncoderFiles:
    """The encoder that a checkpoint was trained on.

    Raises CheckpointError if its weights differ.
    """
    encoder_files = locate(model or card.encoder)
    if encoder_files.sha256 != card.encoder_sha256:
        raise CheckpointError(
            f"{folder} was trained on another {encoder_files.name}: its weights had the SHA-256 "
            f"{card.encoder_sha256}, these have {encoder_files.sha256}"
        )
    return encoder_files


def read_card(folder: Path, kinds: Sequence[str], what: str) -> CheckpointCard:
    """A checkpoint's card. Raises CheckpointError when it is of another kind."""
    card = CheckpointCard.read(folder)
    if card.kind not in kinds:
        raise CheckpointError(f"{folder} is a checkpoint of {card.kind!r}, not of {what}")
    return card


def card_options(head: Head, **others: Any) -> dict[str, Any]:
    """The options in a card, from which the head and the input form are built again."""
    return {
        "outputs": head.outputs,
        "features": list(head.features),
        "bound": head.bound,
        "held": head.held,
        **others,
    }
