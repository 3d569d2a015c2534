"""Bounds of texts and values in quality control, for pages and the API."""

from concord.bounds import Number, Text
from concord.protocols.criteria import NAME_CHARS

KEY, WORKER = Text(1000), Text(100)
NOTE, REASON = Text(1000), Text(1000)
REASON_IS_SHOWN = "The worker reads this text word for word, and may appeal."
ADJUDICATION_NOTE, ANSWER = Text(5000), Text(10_000)
CRITERION = Text(NAME_CHARS)
ADJUDICATED_VALUE = Number(-1e6, 1e6)
# The maximum number of ratings of a candidate that a z-score filter removes.
AT_MOST = Number(1, 1000)
