"""How the paper trains AVA."""

from __future__ import annotations

from scorers.learned.settings import TrainingSettings

#: Section 6.1: learning rate 1e-6, 128 tokens, two epochs, of which the one with the best F1 on
#: dev is kept. The batch size is not stated; 32 is taken.
SETTINGS = TrainingSettings(
    epochs=2, batch_size=32, learning_rate=1e-6, max_tokens=128, best_by="f1"
)
RATES = (1e-6,)
SEEDS = (1,)
