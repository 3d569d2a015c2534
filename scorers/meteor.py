"""METEOR 1.5, computed by its authors' program.

METEOR aligns the words of candidate and reference by exact form, stem, synonym and paraphrase,
and combines precision and recall of the weighted matches with a penalty for scattered ones
(Denkowski and Lavie, 2014), here with the parameters of the English ranking task (alpha 0.85,
beta 0.2, gamma 0.6, delta 0.75). The jar runs with the options of the COCO caption scripts,
`-l en -norm`, so it normalises the tokens again (and keeps punctuation).

Input: a candidate and its references after tokenisation (option `tokens`). Range [0, 1]; higher
is better. Joint references are handled by the jar: the highest of the single-reference scores,
so `joint` and `max` agree item by item. An empty candidate scores 0.0, also against an empty
reference. `|||` is removed from all texts; see `scorers.batch`. Raises JavaError when the Java
helper fails. The corpus-level value is METEOR's own, from the summed statistics of all items.

The nltk implementation of METEOR has other parameters, no paraphrases and other scores.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concord.metrics.metric import MetricInfo, Scores
from concord.metrics.registration import Registration
from scorers.batch import Batch, Services
from scorers.tokens import TOKENS, CocoMetric, java_versions


class Meteor(CocoMetric):
    """METEOR 1.5; see the module."""

    seconds_per_comparison = 2e-3

    info = MetricInfo(
        title="METEOR 1.5",
        summary=(
            "Word alignment by form, stem, synonym and paraphrase with a fragmentation "
            "penalty, by the authors' program."
        ),
        family="word alignment",
        range=(0.0, 1.0),
        has_corpus_score=True,
    )

    def settings(self) -> dict[str, str]:
        return {"meteor": "1.5", "lang": "en", "norm": "yes", **super().settings()}

    def versions(self) -> dict[str, str]:
        return java_versions()

    def compare(self, batch: Batch) -> Scores:
        return np.array([score for score, _ in self._results(batch)], dtype=np.float64)

    def corpus_statistics(self, batch: Batch) -> list[str]:
        """METEOR's statistics line of each item."""
        return [line for _, line in self._results(batch)]

    def aggregate(self, parts: Sequence[list[str]], services: Services) -> float:
        return services.meteor_aggregate([line for part in parts for line in part])

    def _results(self, batch: Batch) -> list[tuple[float, str]]:
        texts = batch.texts(self.tokeniser)
        references = [texts.distinct[index] for index in texts.reference.tolist()]
        offsets = texts.offsets.tolist()
        return batch.services.meteor(
            [
                (texts.distinct[candidate], tuple(references[offsets[i] : offsets[i + 1]]))
                for i, candidate in enumerate(texts.candidate.tolist())
            ]
        )


REGISTRATIONS = (Registration("meteor", Meteor, TOKENS),)
