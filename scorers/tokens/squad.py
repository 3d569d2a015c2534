"""SQuAD's answer normalisation (the official evaluation script, version 1.1)."""

from __future__ import annotations

import re
import string

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalise(text: str) -> str:
    """Lower-case, then remove ASCII punctuation, articles and extra white space.

    A text of articles and punctuation alone becomes "".
    """
    without_punctuation = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", without_punctuation).split())
