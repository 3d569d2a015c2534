"""MOCHA's own text preparation.

MOCHA's baselines (Chen et al., 2020, appendix B) remove only the characters `?`, `.` and `!`,
keep the case, and leave splitting to the metric: BLEU, CIDEr and METEOR split at white space;
COCO's ROUGE-L splits at each single space, so that two spaces in a row, or one at the end
("he left ." becomes "he left "), count as an empty token there. That is how MOCHA's published
baseline figures were made, so it is kept.
"""

from __future__ import annotations

_REMOVED = str.maketrans("", "", "?.!")


def tokenise(text: str) -> str:
    """The text without the characters `?`, `.` and `!`."""
    return text.translate(_REMOVED)
