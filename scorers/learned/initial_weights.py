"""Initial weights of a training from another checkpoint (intermediate training)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scorers.errors import TrainingError
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, load_state

if TYPE_CHECKING:
    import torch

_ENCODER = re.compile(r"(?:.*?\.)?(?:encoders\.\d+|encoder)\.(?P<rest>.*)")
_KEYPHRASES = re.compile(r"(?:.*\.)?(?P<rest>(?:dense|out)\.(?:weight|bias))")
_KEYPHRASE_KINDS = ("kpqa", "kp")


def load_initial_weights(
    network: torch.nn.Module, checkpoint: str, encoder_sha256: str
) -> CheckpointCard:
    """Copy a checkpoint's weights to a network's encoders and to its keyphrase head, if it has one.

    Every encoder of the network receives the checkpoint's encoder weights, whatever the checkpoint
    was trained for; other heads keep their initial weights. Returns the checkpoint's card. Raises
    CheckpointError when there is no such checkpoint, TrainingError when it was trained on another
    encoder or with adapters of another rank.
    """
    folder = checkpoint_folder(checkpoint)
    card = CheckpointCard.read(folder)
    if card.encoder_sha256 != encoder_sha256:
        raise TrainingError(
            f"{checkpoint} was trained on another encoder, {card.encoder}: train on that encoder, "
            "or start from another checkpoint"
        )
    weights = load_state(folder, card)
    encoder_weights = {
        match["rest"]: value for name, value in weights.items() if (match := _ENCODER.match(name))
    }
    head_weights = {
        match["rest"]: value
        for name, value in weights.items()
        if (card.kind in _KEYPHRASE_KINDS or ".keyphrases." in name)
        and not _ENCODER.match(name)
        and (match := _KEYPHRASES.match(name))
    }
    _copy(network, encoder_weights, head_weights, checkpoint)
    return card


def _copy(
    network: torch.nn.Module,
    encoder_weights: dict[str, torch.Tensor],
    head_weights: dict[str, torch.Tensor],
    checkpoint: str,
) -> None:
    import torch

    with torch.no_grad():
        for name, value in network.named_parameters():
            if not value.requires_grad:
                continue
            if encoder_match := _ENCODER.match(name):
                initial = encoder_weights.get(encoder_match["rest"])
                if "crossattention" in name and initial is None:
                    continue
                if initial is None or initial.shape != value.shape:
                    raise TrainingError(
                        f"{checkpoint} has no weights for {name}: train both with the same LoRA "
                        "rank (0 trains every weight)"
                    )
                value.copy_(initial)
                continue
            head_match = _KEYPHRASES.match(name) if ".keyphrases." in name else None
            if head_match and (head := head_weights.get(head_match["rest"])) is not None:
                value.copy_(head)
