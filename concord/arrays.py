"""Names of the types of arrays."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Counts = NDArray[np.int32]
"""How often each unit is in each draw: numpy sums 32-bit integers ten times as fast as floats."""
