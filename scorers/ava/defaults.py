"""The paper's settings for training AVA."""

from __future__ import annotations

from scorers.learned.settings import TrainingSettings

#: Section 6.1: learning rate 1e-6, 128 tokens, two epochs, of which the one with the best F1 on
#: dev is used. The paper does not state the batch size; 32 is our choice.
SETTINGS = TrainingSettings(
    epochs=2, batch_size=32, learning_rate=1e-6, max_tokens=128, best_by="f1"
)
RATES = (1e-6,)
SEEDS = (1,)
