"""Starting a training from another checkpoint's encoder (intermediate training)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scorers.errors import TrainingError
from scorers.learned.card import Card
from scorers.learned.checkpoint import checkpoint_folder, load_state

if TYPE_CHECKING:
    import torch

_ENCODER = re.compile(r"(?:.*?\.)?(?:encoders\.\d+|encoder)\.(?P<rest>.*)")
_KEYPHRASES = re.compile(r"(?:.*\.)?(?P<rest>(?:dense|out)\.(?:weight|bias))")
_KEYPHRASE_KINDS = ("kpqa", "kp")


def start_from(network: torch.nn.Module, checkpoint: str, encoder_sha256: str) -> Card:
    """Give a network's encoders, and its keyphrase head if it has one, a checkpoint's weights.

    Whatever the checkpoint was trained for, its encoder's trained weights go to every encoder of
    the network; other heads start afresh. Returns the checkpoint's card. Raises CheckpointError
    where there is none, TrainingError where it stands on another encoder or was trained with
    adapters of another rank.
    """
    folder = checkpoint_folder(checkpoint)
    card = Card.read(folder)
    if card.encoder_sha256 != encoder_sha256:
        raise TrainingError(f"{checkpoint} stands on another encoder, {card.encoder}")
    weights = load_state(folder, card)
    given = {
        match["rest"]: value for name, value in weights.items() if (match := _ENCODER.match(name))
    }
    heads = {
        match["rest"]: value
        for name, value in weights.items()
        if (card.kind in _KEYPHRASE_KINDS or ".keyphrases." in name)
        and not _ENCODER.match(name)
        and (match := _KEYPHRASES.match(name))
    }
    _copy(network, given, heads, checkpoint)
    return card


def _copy(
    network: torch.nn.Module,
    given: dict[str, torch.Tensor],
    heads: dict[str, torch.Tensor],
    checkpoint: str,
) -> None:
    import torch

    with torch.no_grad():
        for name, value in network.named_parameters():
            if not value.requires_grad:
                continue
            if of_encoder := _ENCODER.match(name):
                found = given.get(of_encoder["rest"])
                if "crossattention" in name and found is None:
                    continue
                if found is None or found.shape != value.shape:
                    raise TrainingError(
                        f"{checkpoint} has no weights for {name}: train it and this one with the "
                        "same LoRA rank (0 is every weight)"
                    )
                value.copy_(found)
                continue
            of_head = _KEYPHRASES.match(name) if ".keyphrases." in name else None
            if of_head and (head := heads.get(of_head["rest"])) is not None:
                value.copy_(head)
