"""Search of words in texts of any script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db.models import JSONField, Model, Q, QuerySet, TextField, Transform

MAX_WORDS = 8
T = TypeVar("T", bound=Model)


@JSONField.register_lookup
class TurnTexts(Transform):
    """The texts of the turns of a stored `Conversation`, as one text to search."""

    lookup_name = "turn_texts"
    template = "jsonb_path_query_array(%(expressions)s, '$.messages[*].content')::text"
    output_field = TextField()


def with_words(rows: QuerySet[T], words: str, fields: Sequence[str]) -> QuerySet[T]:
    """The rows in which every word occurs in one of the fields, in any case.

    Part of a word suffices: PostgreSQL's parser does not split Chinese or Thai into words, so that
    its full-text search would find nothing there. Words after the first MAX_WORDS are ignored.
    """
    for word in words.split()[:MAX_WORDS]:
        anywhere = Q()
        for field in fields:
            anywhere |= Q(**{f"{field}__icontains": word})
        rows = rows.filter(anywhere)
    return rows
