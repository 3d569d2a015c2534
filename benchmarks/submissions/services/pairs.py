"""In which order the members of a minimal pair are shown to people who score them.

A pair's first member is the better one: of a pair whose label is hidden, the order itself is the
label. Such a pair is shown turned or not, as a key of the set's decides, and scores that come in
are turned back.
"""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden


def turned(judgment_set: JudgmentSet, keys: list[str]) -> NDArray[np.bool_]:
    """Which pairs are shown with their second member first, (n_pairs,); `keys` by position.

    The same for everybody and in every version of the set.
    """
    found = np.zeros(len(keys), dtype=bool)
    masked = hidden.public_masks(judgment_set).pairs
    secrets = hidden.pair_keys(judgment_set)
    splits = frames.frame(judgment_set).pair_labels["split"]
    for at in np.flatnonzero(masked).tolist():
        secret = secrets.get(hidden.WHOLE) or secrets[str(splits[at])]
        name = keys[at].encode("utf-8", "surrogatepass")
        found[at] = hmac.new(secret, name, hashlib.sha256).digest()[0] & 1
    return found
