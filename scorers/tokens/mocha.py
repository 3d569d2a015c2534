"""The tokeniser of MOCHA's baselines (Chen et al., 2020, appendix B).

The baselines only remove the characters `?`, `.` and `!`, keep the case, and leave splitting to the
metric. BLEU, CIDEr and METEOR split at white space. COCO's ROUGE-L splits at each single space, so
two adjacent spaces, or one at the end ("he left ." becomes "he left "), give an empty token.
MOCHA's published figures were computed so, and Concord does the same.
"""

from __future__ import annotations

_REMOVED = str.maketrans("", "", "?.!")


def tokenise(text: str) -> str:
    """The text without the characters `?`, `.` and `!`."""
    return text.translate(_REMOVED)
