"""The paper's settings for training LERC, its pre-training and the similarity baseline."""

from __future__ import annotations

from scorers.learned.settings import TrainingSettings

#: Appendix A: batches of 32, three epochs, the best of three learning rates by Pearson on dev,
#: three runs. BERT reads 512 tokens.
LERC_SETTINGS = TrainingSettings(epochs=3, batch_size=32, max_tokens=512, best_by="pearson")
#: Appendix B: the similarity baseline is trained for four epochs.
STS_SETTINGS = TrainingSettings(epochs=4, batch_size=32, max_tokens=256, best_by="pearson")
RATES = (1e-5, 2e-5, 3e-5)
SEEDS = (1, 2, 3)

#: Appendix A: pre-training takes four epochs, and a single run for each learning rate.
CHOICES_SETTINGS = TrainingSettings(epochs=4, batch_size=32, max_tokens=512, best_by="accuracy")
CHOICES_SEEDS = (1,)
