"""Word importance in a candidate and its references: for the question, by rarity, by similarity.

These are the three views of KPQA's Table 5 and Figure 3.
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
    """The words of a text with three weights each: float64 of shape (words,), in [0, 1].

    keyphrase: the mean keyphrase weight (KPW) of the word's wordpieces, given the question. rarity:
    their mean inverse document frequency, divided by the largest one in the item's texts. likeness:
    the mean of their best cosines with the other side, at least 0, which plain BERTScore counts.
    The other side of a reference is the candidate; that of the candidate are all references. A text
    longer than the models read has the words of its beginning.
    """

    words: tuple[str, ...]
    keyphrase: Vector
    rarity: Vector
    likeness: Vector


def word_importance(
    models: Models, item: Item, corpus: Corpus, progress: Progress | None = None
) -> tuple[WordImportance, list[WordImportance]]:
    """The word importance of the candidate and of each reference.

    `progress(done, total)` is called after each of three steps: keyphrase weights, hidden states
    and document frequencies. An exception it raises ends the work. Raises ModelError when a model
    cannot be loaded.
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
    maxima = [float(values.max()) for values in rarity.values() if len(values)]
    max_rarity = max(maxima, default=0.0)
    likeness = _similarities(states, item)
    texts_importance = [
        _pool_by_word(
            keyphrases[item.question, text], rarity[text] / max(max_rarity, 1e-12), likeness[index]
        )
        for index, text in enumerate(texts)
    ]
    return texts_importance[0], texts_importance[1:]


def _similarities(states: Mapping[str, States], item: Item) -> list[Vector]:
    """Each wordpiece's best cosine: the candidate's first, then each reference's."""
    vectors = [
        unit_vectors(states[text], _LAYER, special=False)
        for text in (item.candidate, *item.references)
    ]
    candidate, references = vectors[0], vectors[1:]
    of_candidate = np.zeros(len(candidate))
    of_references = []
    for reference in references:
        if not len(candidate) or not len(reference):
            of_references.append(np.zeros(len(reference)))
            continue
        forward, backward = best_cosines(candidate, reference)
        of_candidate = np.maximum(of_candidate, forward)
        of_references.append(np.clip(backward, 0.0, 1.0))
    return [np.clip(of_candidate, 0.0, 1.0), *of_references]


def _pool_by_word(keyphrases: Keyphrases, rarity: Vector, likeness: Vector) -> WordImportance:
    """The means of the wordpieces' weights by word, up to the shortest of the three arrays."""
    length = min(len(keyphrases.weights), len(rarity), len(likeness))
    words: list[str] = []
    rows: list[list[float]] = []
    for _, group in groupby(range(length), key=lambda i: keyphrases.words[i]):
        pieces = list(group)
        start, end = keyphrases.spans[pieces[0]][0], keyphrases.spans[pieces[-1]][1]
        words.append(keyphrases.text[start:end])
        rows.append(
            [float(values[pieces].mean()) for values in (keyphrases.weights, rarity, likeness)]
        )
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return WordImportance(tuple(words), columns[0], columns[1], columns[2])
