"""SQuAD's answer normalisation (the official evaluation script, version 1.1)."""

from __future__ import annotations

import re
import string

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalise(text: str) -> str:
    """Lower-case, drop ASCII punctuation, then the articles, then surplus white space.

    Normalising "" or a text of nothing but articles and punctuation gives "".
    """
    without_punctuation = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", without_punctuation).split())
