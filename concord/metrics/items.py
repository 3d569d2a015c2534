"""What is scored: items, and the corpus a set-dependent metric draws its statistics from."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Item:
    """One candidate answer and what it is compared with.

    `references` holds one reference or more; scoring an item without any is a ValueError. The
    candidate, and any reference, may be empty. `question` and `passage` matter only to metrics
    that list them in `Metric.needs`. `short_answer` is the few words that answer the question,
    empty where they are not known; only AVA's linear classifier reads it.
    """

    candidate: str
    references: tuple[str, ...]
    question: str = ""
    passage: str = ""
    short_answer: str = ""


class Corpus:
    """The reference texts of a whole set, one document per candidate row.

    This is how the COCO caption scripts count: a row is an "image", its references together are
    one document, and a row that repeats another's references counts again. Only how often each
    tuple of references occurs matters, never the order of the rows.
    """

    def __init__(self, documents: Mapping[tuple[str, ...], int]) -> None:
        self._documents = MappingProxyType(dict(documents))

    @classmethod
    def of(cls, references: Iterable[Sequence[str]]) -> Corpus:
        """The corpus of a set, given the references of each of its candidate rows.

        Raises ValueError when a row has no reference.
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

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits that pin the corpus, whatever the order of its rows."""
        digests = sorted(
            _document_digest(document, rows) for document, rows in self._documents.items()
        )
        return hashlib.blake2b(b"".join(digests), digest_size=8).hexdigest()


def _document_digest(document: tuple[str, ...], rows: int) -> bytes:
    """Hash a document with the lengths of its parts, so that no two documents run together."""
    encoded = [reference.encode("utf-8", "surrogatepass") for reference in document]
    head = repr((rows, [len(part) for part in encoded])).encode()
    return hashlib.blake2b(head + b"".join(encoded), digest_size=16).digest()
