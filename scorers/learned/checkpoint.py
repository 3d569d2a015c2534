"""The folder a learned metric is kept in: its trained weights and its card."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from scorers.errors import CheckpointError
from scorers.learned.card import CARD, Card

if TYPE_CHECKING:
    import torch

WEIGHTS = "weights.safetensors"

_SHIPPED = Path(__file__).parent.parent / "checkpoints"

#: Names under which shipped checkpoints were known before they were named after what they are.
RENAMED: Mapping[str, str] = MappingProxyType({"lerc": "lerc-features", "ava": "ava-features"})

Finder = Callable[[str], Path | None]
_FINDERS: list[Finder] = []


def add_finder(find: Finder) -> None:
    """Have checkpoints looked up by name in one more place; `find` gives the folder, or None."""
    if find not in _FINDERS:
        _FINDERS.append(find)


def current_name(name: str) -> str:
    """The name a checkpoint has now; other names and paths stay as they are."""
    return RENAMED.get(name, name)


def checkpoint_folder(name: str) -> Path:
    """The folder of a checkpoint: by the name, present or earlier, of one that ships with Concord,
    by a name that a place added by `add_finder` knows, or as a path.

    Raises CheckpointError when there is none.
    """
    if os.sep not in name:
        shipped = _SHIPPED / current_name(name)
        if (shipped / CARD).is_file():
            return shipped
        for find in _FINDERS:
            found = find(name)
            if found is not None:
                return found
    if Path(name).is_dir():
        return Path(name)
    known = ", ".join(shipped_names())
    raise CheckpointError(
        f"there is no checkpoint {name!r}: give a folder made by `python -m scorers train`, "
        f"or one of those in the box: {known or 'none'}"
    )


def shipped_names() -> list[str]:
    """The names of the checkpoints in the box."""
    return sorted(path.parent.name for path in _SHIPPED.glob(f"*/{CARD}"))


def save_weights(weights: Mapping[str, torch.Tensor], folder: Path, *, half: bool) -> str:
    """Write weights, in half precision where asked, and return the SHA-256 of their file."""
    import torch
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    kind = torch.float16 if half else torch.float32
    partial = folder / f"{WEIGHTS}.partial"
    save_file(
        {name: value.detach().cpu().to(kind).contiguous() for name, value in weights.items()},
        partial,
    )
    os.replace(partial, folder / WEIGHTS)
    return file_sha256(folder / WEIGHTS)


def load_weights(network: torch.nn.Module, folder: Path, card: Card) -> None:
    """Put a checkpoint's weights into the network they were trained in.

    Raises CheckpointError when the file is missing, is not the one the card names, or does not
    fit the network.
    """
    path = folder / WEIGHTS
    weights = load_state(folder, card)
    places = dict(network.named_parameters())
    strange = sorted(
        name
        for name, value in weights.items()
        if name not in places or places[name].shape != value.shape
    )
    if strange:
        raise CheckpointError(f"{path} does not fit its encoder: {', '.join(strange[:3])}")
    network.load_state_dict(weights, strict=False)


def load_state(folder: Path, card: Card) -> dict[str, torch.Tensor]:
    """A checkpoint's weights by name, in float32 on the CPU.

    Raises CheckpointError when the file is missing or is not the one the card names.
    """
    from safetensors.torch import load_file

    path = folder / WEIGHTS
    if not path.is_file():
        raise CheckpointError(f"{folder} has no {WEIGHTS}")
    found = file_sha256(path)
    if found != card.weights_sha256:
        raise CheckpointError(
            f"{path} is not the file its card names: its SHA-256 is {found}, "
            f"the card's {card.weights_sha256}"
        )
    return {name: value.float() for name, value in load_file(path).items()}


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
