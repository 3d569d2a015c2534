"""Matrix products on one thread, with the same order of summation on every machine.

A multi-threaded BLAS waits for all its threads by spinning. On a server whose processors are busy
with other workers, a product of a millisecond then takes a second. BLAS uses one thread for small
products, so large ones are divided into such pieces. Parallel work uses processes.
"""

from __future__ import annotations

import numpy as np

from concord.arrays import Floats

# Multiplications up to which OpenBLAS keeps to one thread (its interface/gemm.c).
ONE_THREAD = 1 << 18
PIECES_AT_ONCE = 32


def stacked_product(left: Floats, right: Floats) -> Floats:
    """(k, R, S) times (k, S, D): (k, R, D)."""
    k, rows, size = left.shape
    columns = right.shape[2]
    depth = max(1, ONE_THREAD // max(1, rows * columns))
    if size <= depth:
        return np.asarray(left @ right)
    total = np.zeros((k, rows, columns))
    whole = size - size % depth
    step = depth * max(1, PIECES_AT_ONCE // k)
    for start in range(0, whole, step):
        stop = min(whole, start + step)
        first = left[:, :, start:stop].reshape(k, rows, -1, depth).transpose(0, 2, 1, 3)
        second = right[:, start:stop].reshape(k, -1, depth, columns)
        total += (first @ second).sum(axis=1)
    if whole < size:
        total += left[:, :, whole:] @ right[:, whole:]
    return np.asarray(total)


def product(left: Floats, right: Floats) -> Floats:
    """(R, S) times (S, D)."""
    return np.asarray(stacked_product(left[None], right[None])[0])
