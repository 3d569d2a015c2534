"""The folder of a checkpoint: trained weights and their card."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict

from scorers.encoders import (
    Device,
    choose_device,
    file_sha256,
    locate,
    open_model,
    prepare_for_inference,
)
from scorers.errors import CheckpointError
from scorers.learned.card import CARD, CheckpointCard, KnownFailure, describe_card

if TYPE_CHECKING:
    import torch

WEIGHTS = "weights.safetensors"

_SHIPPED = Path(__file__).parent.parent / "checkpoints"

#: Former names of shipped checkpoints.
RENAMED: Mapping[str, str] = MappingProxyType({"lerc": "lerc-features", "ava": "ava-features"})

Finder = Callable[[str], Path | None]
_FINDERS: list[Finder] = []


def add_finder(find: Finder) -> None:
    """Register a function that finds checkpoints by name; it returns a folder or None."""
    if find not in _FINDERS:
        _FINDERS.append(find)


def current_name(name: str) -> str:
    """The present name of a renamed checkpoint; any other name or path unchanged."""
    return RENAMED.get(name, name)


def checkpoint_folder(name: str) -> Path:
    """The folder of a checkpoint.

    `name` is the present or former name of a shipped checkpoint, a name that a function registered
    by `add_finder` knows, or a path. Raises CheckpointError when there is no such checkpoint.
    """
    named = named_folder(name)
    if named is not None:
        return named
    if Path(name).is_dir():
        return Path(name)
    names = ", ".join(shipped_names())
    raise CheckpointError(
        f"there is no checkpoint {name!r}: give a folder written by `python -m scorers train`, "
        f"or the name of a shipped checkpoint: {names or 'none'}"
    )


def named_folder(name: str) -> Path | None:
    """The folder of a shipped or registered checkpoint; None for any other name, or a path."""
    if current_name(name) in shipped_names():
        return _SHIPPED / current_name(name)
    if os.sep in name:
        return None
    return next((folder for find in _FINDERS if (folder := find(name)) is not None), None)


def shipped_names() -> list[str]:
    """The names of the checkpoints that ship with Concord."""
    return sorted(path.parent.name for path in _SHIPPED.glob(f"*/{CARD}"))


class CheckpointDescription(TypedDict):
    name: str
    description: str
    known_failures: list[KnownFailure]


def describe_checkpoint(name: str) -> CheckpointDescription:
    """A checkpoint's name, description and known failures.

    Raises CheckpointError if it is missing.
    """
    card = CheckpointCard.read(checkpoint_folder(name))
    return {
        "name": name,
        "description": describe_card(card),
        "known_failures": list(card.known_failures),
    }


def shipped_checkpoints(kind: str) -> list[CheckpointDescription]:
    """The checkpoints of a kind that ship with Concord, as `describe_checkpoint`."""
    return [
        describe_checkpoint(name)
        for name in shipped_names()
        if CheckpointCard.read(checkpoint_folder(name)).kind == kind
    ]


def save_weights(weights: Mapping[str, torch.Tensor], folder: Path, *, half: bool) -> str:
    """Write weights, in half precision if `half`, and return the SHA-256 of their file."""
    import torch
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    dtype = torch.float16 if half else torch.float32
    partial = folder / f"{WEIGHTS}.partial"
    save_file(
        {name: value.detach().cpu().to(dtype).contiguous() for name, value in weights.items()},
        partial,
    )
    os.replace(partial, folder / WEIGHTS)
    return file_sha256(folder / WEIGHTS)


def load_weights(network: torch.nn.Module, folder: Path, card: CheckpointCard) -> None:
    """Load a checkpoint's weights into its network.

    Raises CheckpointError when the file is missing, has another hash than the card names, or does
    not fit the network.
    """
    path = folder / WEIGHTS
    weights = load_state(folder, card)
    parameters = dict(network.named_parameters())
    misfits = sorted(
        name
        for name, value in weights.items()
        if name not in parameters or parameters[name].shape != value.shape
    )
    if misfits:
        raise CheckpointError(
            f"{path} does not fit its encoder: the network has no parameters of the shape of "
            f"{', '.join(misfits[:3])}"
        )
    network.load_state_dict(weights, strict=False)


def load_state(folder: Path, card: CheckpointCard) -> dict[str, torch.Tensor]:
    """A checkpoint's weights by name, in float32 on the CPU.

    Raises CheckpointError when the file is missing or has another hash than the card names.
    """
    from safetensors.torch import load_file

    path = folder / WEIGHTS
    if not path.is_file():
        raise CheckpointError(f"{folder} has no {WEIGHTS}")
    sha256 = file_sha256(path)
    if sha256 != card.weights_sha256:
        raise CheckpointError(
            f"{path} is not the file that its card names: its SHA-256 is {sha256}, "
            f"the card's {card.weights_sha256}"
        )
    return {name: value.float() for name, value in load_file(path).items()}


class LoadedNetwork:
    """A checkpoint's network on its encoder, ready for inference.

    Threads may share it; its forward passes must hold `lock`.
    """

    def __init__(
        self,
        folder: Path,
        card: CheckpointCard,
        build: Callable[[Any, int], Any],
        device: Device = "auto",
        model: str = "",
        *,
        pack: bool = True,
    ) -> None:
        """Load a checkpoint. Raises CheckpointError or EncoderError when that is impossible.

        `build(encoder, lora_rank)` makes the untrained network, which has a method `merge`. `model`
        is the encoder's name or folder, if other than the name in the card; `pack` as in
        `prepare_for_inference`.
        """
        encoder_files = locate(model or card.encoder)
        if encoder_files.sha256 != card.encoder_sha256:
            raise CheckpointError(
                f"{folder} was trained on another {encoder_files.name}: its weights had the "
                f"SHA-256 {card.encoder_sha256}, these have {encoder_files.sha256}"
            )
        self.card = card
        self.device = choose_device(device)
        self.max_tokens = int(card.settings["max_tokens"])
        self.tokeniser, encoder = open_model(encoder_files)
        self.padding: int = self.tokeniser.pad_token_id or 0
        rank = int(card.settings["lora_rank"])
        network = build(encoder, rank)
        load_weights(network, folder, card)
        if rank:
            network.merge()
        self.network = prepare_for_inference(network, self.device, pack=pack)
        self.lock = threading.Lock()
