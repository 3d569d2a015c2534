"""The order in which submitters see the members of minimal pairs.

The first member of a pair is the better one, so the order is the label. Of pairs with hidden
labels, a secret key of the set decides which ones are reversed. Submitted scores are brought back
to the set's order.
"""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden


def reversed_pairs(judgment_set: JudgmentSet, keys: list[str]) -> NDArray[np.bool_]:
    """Mask of the pairs that are shown with their second member first, shape (n_pairs,).

    keys: ids of the pairs by position. The mask is the same for everybody and in every version.
    """
    mask = np.zeros(len(keys), dtype=bool)
    masked = hidden.public_masks(judgment_set).pairs
    secrets = hidden.pair_keys(judgment_set)
    splits = frames.frame(judgment_set).pair_labels["split"]
    for position in np.flatnonzero(masked).tolist():
        secret = secrets.get(hidden.WHOLE) or secrets[str(splits[position])]
        key = keys[position].encode("utf-8", "surrogatepass")
        mask[position] = hmac.new(secret, key, hashlib.sha256).digest()[0] & 1
    return mask
