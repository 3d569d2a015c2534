"""The meanings of columns."""

from __future__ import annotations

# What a column can hold. Several columns can be references. Several candidate columns are the
# answers of several systems, which their headings name.
MEANINGS = (
    "id",
    "instance",
    "passage",
    "question",
    "reference",
    "candidate",
    "system",
    "score",
    "constituent",
    "split",
    "category",
    "short_answer",
)
# The correct answer to the criterion that the heading names, where keys are read.
KEY = "key"
SEVERAL = ("reference", "candidate", KEY)
# The meanings of texts that are read or compared.
TEXTS = ("passage", "question", "reference", "candidate", "short_answer")
# A column that is not read.
IGNORED = "ignore"
