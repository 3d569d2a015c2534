"""Low-rank adapters on an encoder, by peft."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from scorers.late_import import late_import

if TYPE_CHECKING:
    import torch


def with_adapters(encoder: torch.nn.Module, rank: int) -> torch.nn.Module:
    """The encoder with trainable adapters of the given rank on all its linear layers.

    LoRA (Hu et al., 2021) with scaling 2 and no dropout; the encoder's own weights are frozen.
    """
    settings = late_import("peft", "LoraConfig")(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules="all-linear"
    )
    with warnings.catch_warnings():
        # peft asks transformers for a property of an older name, at every load.
        warnings.simplefilter("ignore", FutureWarning)
        adapted: torch.nn.Module = late_import("peft", "get_peft_model")(encoder, settings)
    return adapted


def merged(encoder: torch.nn.Module) -> torch.nn.Module:
    """The encoder with its adapters added to its weights, so that they cost nothing more."""
    whole: torch.nn.Module = encoder.merge_and_unload()  # type: ignore[operator]
    return whole
