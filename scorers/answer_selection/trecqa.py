"""TREC-QA (Wang et al., 2007) as answer sentence selection; its form is told of in keyphrases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scorers.answer_selection.records import LabelledSentence
from scorers.keyphrases.sources.trecqa import read_sentences


def read(path: Path) -> Iterator[LabelledSentence]:
    """Every sentence, positive or negative, as ordinary text."""
    for sentence in read_sentences(path):
        yield LabelledSentence(sentence.question, sentence.text, sentence.positive)
