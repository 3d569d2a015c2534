"""The settings of a training, the same for every learned metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Precision = Literal["float32", "bf16"]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a network is trained; the defaults are those of KPQA (Section 5.1 and appendix C.1).

    `scorers.training_defaults` has the settings of each metric.

    The learning rate rises linearly over the first `warmup` share of the steps and then falls
    linearly to zero. `lora_rank` 0 trains every weight; a positive rank trains low-rank adapters of
    all the encoder's linear layers, and the head. The training stops after `patience` epochs
    without a better one; None never stops it early. `best_by` names the dev figure by which the
    best epoch is selected: the lowest "loss", or the highest value of any other figure.
    """

    epochs: int = 5
    batch_size: int = 16
    learning_rate: float = 2e-5
    weight_decay: float = 0.01
    warmup: float = 0.05
    clip: float = 1.0
    max_tokens: int = 256
    lora_rank: int = 0
    precision: Precision = "float32"
    patience: int | None = None
    seed: int = 1
    best_by: str = "loss"

    def __post_init__(self) -> None:
        positive = {
            "epochs": self.epochs,
            "batch size": self.batch_size,
            "learning rate": self.learning_rate,
            "clip": self.clip,
            "max tokens": self.max_tokens,
        }
        for name, value in positive.items():
            if not value > 0:
                raise ValueError(f"{name} must be above 0, not {value}")
        if not 0 <= self.warmup <= 1:
            raise ValueError(f"warm-up must be a share of the steps from 0 to 1, not {self.warmup}")
        if self.lora_rank < 0 or self.weight_decay < 0:
            raise ValueError("LoRA's rank and the weight decay must be 0 or above")
        if self.seed < 0:
            raise ValueError(f"the seed must be 0 or above, not {self.seed}")
