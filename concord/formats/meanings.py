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
# What else a column of judgments can hold. The heading of a rating names its rater; beside a column
# of raters, its criterion. The headings of several scores name their criteria.
RATING_MEANINGS = ("rating", "rater", "criterion")
# What else a column of pairs that people judged can hold.
PAIR_MEANINGS = ("candidate1", "candidate2", "system1", "system2", "choice")
JUDGED_MEANINGS = (*MEANINGS, *RATING_MEANINGS, *PAIR_MEANINGS)
# The correct answer to the criterion that the heading names, where keys are read.
KEY = "key"
SEVERAL = ("reference", "candidate", "rating", KEY)
# The meanings of texts that are read or compared.
TEXTS = ("passage", "question", "reference", "candidate", "short_answer")
# A column that is not read.
IGNORED = "ignore"
