"""A trained judge: its checkpoint, opened and run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scorers.encoders import Device, Located, choose_device, locate, open_model, padded, run_places
from scorers.errors import CheckpointError
from scorers.judges.form import Form, Head, Readings, build_network
from scorers.judges.rows import Row
from scorers.learned.card import Card
from scorers.learned.checkpoint import load_weights

if TYPE_CHECKING:
    import torch

Outputs = NDArray[np.float64]
FormOf = Callable[[Card], Form]


class Judge:
    """A trained network. Threads may share one; its passes run one after another."""

    def __init__(
        self, folder: Path, card: Card, form: Form, device: Device = "auto", model: str = ""
    ) -> None:
        """Load a checkpoint; CheckpointError or EncoderError when it cannot be.

        `model` says where its encoder lies, if not under the name its card gives.
        """
        self.card = card
        self.form = form
        self.device = choose_device(device)
        self.head = Head.of(card.options)
        self.max_tokens = int(card.settings["max_tokens"])
        rank = int(card.settings["lora_rank"])
        self.tokeniser, encoder = open_model(checked_encoder(folder, card, model))
        network = build_network(form, self.head, encoder, rank)
        load_weights(network, folder, card)
        if rank:
            network.reader.merge()  # type: ignore[operator]
        self.network = network.to(self.device).eval()
        self._lock = threading.Lock()

    def outputs(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        done: Callable[[int], None] | None = None,
    ) -> Outputs:
        """What the network says of each row: float64 of shape (rows, outputs).

        A row's outputs depend on nothing but the row and its features, up to rounding. `done(rows
        so far)` is called after each; an exception it raises ends the work.
        """
        inputs = self.form.inputs(self.tokeniser, rows, self.max_tokens)
        found = np.empty((len(rows), self.head.outputs))
        with self._lock:
            run = network_pass(self.network, inputs, features, self.device, self._padding)
            lengths = [sum(map(len, readings)) for readings in inputs]
            for count, (place, output) in enumerate(run_places(lengths, run, self.device), 1):
                found[place] = output
                if done:
                    done(count)
        return found

    @property
    def _padding(self) -> int:
        return self.tokeniser.pad_token_id or 0


def network_pass(
    network: torch.nn.Module,
    inputs: Sequence[Readings],
    features: NDArray[np.float64],
    device: torch.device,
    padding: int,
) -> Callable[[Sequence[int]], torch.Tensor]:
    """A function from the places of some inputs to the network's outputs for them."""
    import torch

    readings = range(len(inputs[0]) if inputs else 0)

    def run(places: Sequence[int]) -> torch.Tensor:
        batches = [padded([inputs[at][k] for at in places], device, padding) for k in readings]
        beside = None
        if features.shape[1]:
            beside = torch.from_numpy(features[list(places)].astype(np.float32)).to(device)
        output: torch.Tensor = network(batches, beside)
        return output

    return run


def checked_encoder(folder: Path, card: Card, model: str = "") -> Located:
    """The encoder a checkpoint was trained on; CheckpointError when its weights are others."""
    located = locate(model or card.encoder)
    if located.sha256 != card.encoder_sha256:
        raise CheckpointError(
            f"{folder} was trained on another {located.name}: its weights had the SHA-256 "
            f"{card.encoder_sha256}, these have {located.sha256}"
        )
    return located


def read_card(folder: Path, kinds: Sequence[str], what: str) -> Card:
    """A checkpoint's card; CheckpointError where it is of another kind."""
    card = Card.read(folder)
    if card.kind not in kinds:
        raise CheckpointError(f"{folder} holds a {card.kind!r}, no {what}")
    return card


def card_options(head: Head, **others: Any) -> dict[str, Any]:
    """The options a card keeps, from which `Head.of` and a form's own reader take theirs."""
    return {
        "outputs": head.outputs,
        "features": list(head.features),
        "bound": head.bound,
        "held": head.held,
        **others,
    }
