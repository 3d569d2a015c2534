"""Low-rank adapters (LoRA) on an encoder, by the library peft."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from scorers.late_import import late_import

if TYPE_CHECKING:
    import torch


def add_adapters(encoder: torch.nn.Module, rank: int) -> torch.nn.Module:
    """Add trainable adapters of a rank to all linear layers of an encoder.

    LoRA (Hu et al., 2021) with scaling 2 and no dropout; the encoder's own weights are frozen.
    """
    settings = late_import("peft", "LoraConfig")(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules="all-linear"
    )
    with warnings.catch_warnings():
        # peft reads a deprecated property of transformers each time it loads.
        warnings.simplefilter("ignore", FutureWarning)
        adapted: torch.nn.Module = late_import("peft", "get_peft_model")(encoder, settings)
    return adapted


def merge_adapters(encoder: torch.nn.Module) -> torch.nn.Module:
    """Add the adapters to the weights of their encoder, so that inference costs nothing more."""
    merged: torch.nn.Module = encoder.merge_and_unload()  # type: ignore[operator]
    return merged
