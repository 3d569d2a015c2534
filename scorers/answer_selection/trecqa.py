"""TREC-QA (Wang et al., 2007) as an answer sentence selection set.

The format is described in `scorers.keyphrases.sources.trecqa`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scorers.answer_selection.records import LabelledSentence
from scorers.keyphrases.sources.trecqa import read_sentences


def read(path: Path) -> Iterator[LabelledSentence]:
    """All sentences, positive and negative, detokenised."""
    for sentence in read_sentences(path):
        yield LabelledSentence(sentence.question, sentence.text, sentence.positive)
