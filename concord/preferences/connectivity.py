"""Whether strengths are finite: every system must be able to reach every other by wins."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.preferences.bradley_terry import SystemPairCounts


def strong_components(counts: SystemPairCounts, data_set: int = 0) -> NDArray[np.int64]:
    """A code (S,) for each system: equal where each can be reached from the other by wins.

    A win leads from the winner to the loser, and a tie both ways. Strengths are finite only where
    all codes are equal.
    """
    forth = counts.wins[data_set] + counts.ties[data_set] > 0
    back = counts.losses[data_set] + counts.ties[data_set] > 0
    tails = np.concatenate([counts.first[forth], counts.second[back]])
    heads = np.concatenate([counts.second[forth], counts.first[back]])
    shape = (counts.systems, counts.systems)
    graph = scipy.sparse.coo_matrix((np.ones(len(tails)), (tails, heads)), shape=shape)
    return scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")[
        1
    ].astype(np.int64)
