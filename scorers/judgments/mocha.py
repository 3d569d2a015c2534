"""MOCHA's JSON documents (Chen et al., EMNLP 2020): `{constituent: {id: entry}}`.

An entry has context, question, reference, candidate and a score from 1 to 5; `metadata.source`
names the system. Entries without a score are left out. The split comes from the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from scorers.jsonl import FileError
from scorers.judgments.fields import Scale, number_field, share_of_scale, text_field
from scorers.judgments.records import Judgment
from scorers.keyphrases.sources.lines import json_document

_SCALE: Scale = (1.0, 5.0)
_SPLIT = re.compile(r"(?<![a-z])(train|dev|test)(?![a-z])")


def read(path: Path) -> Iterator[Judgment]:
    """The judged candidates of a file, in its order; FileError at the first fault."""
    document = json_document(path)
    if not isinstance(document, dict):
        raise FileError(f"{path}: must be an object of constituents")
    named = _SPLIT.findall(path.stem.lower())
    split = named[0] if len(named) == 1 else ""
    for constituent, entries in document.items():
        if not isinstance(entries, dict):
            raise FileError(f"{path}, {constituent}: must be an object of entries by id")
        for key, entry in entries.items():
            where = f"{path}, {constituent}.{key}"
            if not isinstance(entry, dict):
                raise FileError(f"{where}: must be an object")
            if entry.get("score") is None:
                continue
            score = number_field(entry["score"], "score", where)
            passage = text_field(entry, "context", where, required=True)
            metadata = entry.get("metadata")
            yield Judgment(
                id=f"{constituent}/{key}",
                question=text_field(entry, "question", where, required=True),
                references=(text_field(entry, "reference", where, required=True),),
                candidate=text_field(entry, "candidate", where, required=True),
                gold=share_of_scale(score, _SCALE, "score", where),
                passage=passage,
                group=passage or key,
                constituent=constituent,
                split=split,
                system=str(metadata.get("source") or "") if isinstance(metadata, dict) else "",
            )
