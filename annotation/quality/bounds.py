"""Bounds of what people write about ratings, for pages and the API."""

from concord.bounds import Number, Text

KEY, WORKER = Text(1000), Text(100)
NOTE, REASON = Text(1000), Text(1000)
SETTLED_NOTE, ANSWER = Text(5000), Text(10_000)
SETTLED_VALUE = Number(-1e6, 1e6)
# The most ratings of a candidate that a z-score leaves out.
AT_MOST = Number(1, 1000)
