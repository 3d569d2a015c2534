"""Items to score, and the corpus that set-dependent metrics compute statistics from."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from concord.documents.conversation import Conversation


@dataclass(frozen=True, slots=True)
class Item:
    """A candidate answer with its references and their context.

    `references` has at least one reference; scoring an item without any raises ValueError. The
    candidate and the references may be empty. `question` and `passage` are used by metrics that
    list them in `Metric.needs`. `short_answer` is the few words that answer the question, empty
    where unknown; only AVA's linear classifier uses it. `conversation` is for judges and submitted
    metrics that read its turns; others read its last question, which `question` is.
    """

    candidate: str
    references: tuple[str, ...]
    question: str = ""
    passage: str = ""
    short_answer: str = ""
    conversation: Conversation | None = field(default=None, hash=False)


class Corpus:
    """The references of a set, one document per candidate row.

    As in the COCO caption scripts: a row is an "image", its references together are one document,
    and rows with the same references are counted separately. The order of the rows does not
    matter: two corpora of the same rows are equal.
    """

    def __init__(self, documents: Mapping[tuple[str, ...], int]) -> None:
        self._documents = MappingProxyType(dict(documents))

    @classmethod
    def from_references(cls, references: Iterable[Sequence[str]]) -> Corpus:
        """The corpus of a set from the references of each candidate row.

        Raises ValueError where a row has no reference.
        """
        documents = Counter(tuple(row) for row in references)
        if () in documents:
            raise ValueError("a corpus row has no references")
        return cls(documents)

    @property
    def documents(self) -> Mapping[tuple[str, ...], int]:
        """How many rows have each distinct tuple of references."""
        return self._documents

    def __len__(self) -> int:
        """The number of rows."""
        return sum(self._documents.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Corpus) and self._documents == other._documents

    def __hash__(self) -> int:
        # A corpus is a key of a few that are kept; to hash each document costs more than it saves.
        return hash(len(self._documents))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the corpus, sixteen hexadecimal digits; independent of the order of rows."""
        digests = sorted(
            _document_digest(document, rows) for document, rows in self._documents.items()
        )
        return hashlib.blake2b(b"".join(digests), digest_size=8).hexdigest()


def _document_digest(document: tuple[str, ...], rows: int) -> bytes:
    """Hash a document with the lengths of its parts, so that different documents differ."""
    encoded = [reference.encode("utf-8", "surrogatepass") for reference in document]
    head = repr((rows, [len(part) for part in encoded])).encode()
    return hashlib.blake2b(head + b"".join(encoded), digest_size=16).digest()
