"""What weighs in a text, word by word: by the question, by rarity, by contextual likeness.

The three views of KPQA's Table 5 and Figure 3, for a candidate and its references.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Corpus, Item
from concord.metrics.metric import EncoderKey
from scorers.bertscore.matching import best_cosines, unit_vectors
from scorers.encoders import DEFAULT
from scorers.keyphrases.predictor import Keyphrases
from scorers.models import Models, States

_ENCODER: EncoderKey = (DEFAULT, "float32")
_LAYER = 6
STEPS = 3

Vector = NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class WordImportance:
    """A text's words, and three weights of each, in [0, 1] and float64, of shape (words,).

    `keyphrase` is the mean KPW of the word's wordpieces, question-aware; `rarity` their mean
    inverse document frequency over the largest in the item's texts; `likeness` the mean of their
    best cosines with the other side, floored at 0: what plain BERTScore counts. The other side is
    the candidate for a reference, and the references together for the candidate. A text longer
    than the models read is shown by its beginning.
    """

    words: tuple[str, ...]
    keyphrase: Vector
    rarity: Vector
    likeness: Vector


def word_importance(
    models: Models, item: Item, corpus: Corpus, progress: Progress | None = None
) -> tuple[WordImportance, list[WordImportance]]:
    """The candidate's words and each reference's, weighed.

    `progress(done, total)` is called after each of three steps: the words' weights for the
    question, their vectors, and their rarity in the corpus. An exception it raises ends the work.
    Raises ModelError when a model cannot be loaded.
    """
    report = progress or (lambda done, total: None)
    texts = [item.candidate, *item.references]
    keyphrases = models.keyphrases("kpqa", [(item.question, text) for text in texts])
    report(1, STEPS)
    states = models.states(_ENCODER, (_LAYER,), texts)
    report(2, STEPS)
    frequencies = models.frequencies(_ENCODER, corpus)
    report(3, STEPS)
    rarity = {
        text: frequencies.weights(states[text].ids[states[text].start : states[text].end])
        for text in texts
    }
    most = max((float(values.max()) for values in rarity.values() if len(values)), default=0.0)
    likeness = _similarities(states, item)
    weighed = [
        _pool_by_word(
            keyphrases[item.question, text], rarity[text] / max(most, 1e-12), likeness[place]
        )
        for place, text in enumerate(texts)
    ]
    return weighed[0], weighed[1:]


def _similarities(states: Mapping[str, States], item: Item) -> list[Vector]:
    """Each wordpiece's best cosine: the candidate's first, then each reference's."""
    vectors = [
        unit_vectors(states[text], _LAYER, special=False)
        for text in (item.candidate, *item.references)
    ]
    ours, theirs = vectors[0], vectors[1:]
    of_candidate = np.zeros(len(ours))
    of_references = []
    for other in theirs:
        if not len(ours) or not len(other):
            of_references.append(np.zeros(len(other)))
            continue
        forward, backward = best_cosines(ours, other)
        of_candidate = np.maximum(of_candidate, forward)
        of_references.append(np.clip(backward, 0.0, 1.0))
    return [np.clip(of_candidate, 0.0, 1.0), *of_references]


def _pool_by_word(keyphrases: Keyphrases, rarity: Vector, likeness: Vector) -> WordImportance:
    """Wordpieces' weights as words'; the shortest reading of the text is what all have."""
    length = min(len(keyphrases.weights), len(rarity), len(likeness))
    words: list[str] = []
    rows: list[list[float]] = []
    for _, group in groupby(range(length), key=lambda place: keyphrases.words[place]):
        places = list(group)
        start, end = keyphrases.spans[places[0]][0], keyphrases.spans[places[-1]][1]
        words.append(keyphrases.text[start:end])
        rows.append(
            [float(values[places].mean()) for values in (keyphrases.weights, rarity, likeness)]
        )
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return WordImportance(tuple(words), columns[0], columns[1], columns[2])
