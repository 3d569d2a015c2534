"""Items for Potato, whose ratings the recipe `potato` reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from concord.formats.records import CandidateRecord

# The name of each rater's file, in a folder of the rater's.
STATE_FILE = "user_state.json"


def item_rows(candidates: Iterable[CandidateRecord]) -> Iterator[dict[str, object]]:
    """Items of a `data_files` of Potato: id, and text with passage, question and answer."""
    for candidate in candidates:
        instance = candidate.instance
        parts = (instance.passage, instance.question_text, candidate.text)
        yield {"id": candidate.key, "text": "\n\n".join(part for part in parts if part)}
