"""The folder of a checkpoint: trained weights and their card."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from scorers.errors import CheckpointError
from scorers.learned.card import CARD, CheckpointCard

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


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
