"""Judgment files as training and test data.

The judgment formats are read by `concord.formats`, and sentence similarity sets (sts), which no
judgment set is made of, by `scorers.judgments.similarity`. A candidate without a score but with
ratings has their mean as its gold score; one with neither is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from concord import formats
from concord.formats import CandidateRecord, FormatError, InstanceRecord
from scorers.jsonl import FileError
from scorers.judgments import similarity
from scorers.judgments.records import Judgment
from scorers.judgments.scale import Scale, enclosing_scale, share_of_scale

SIMILARITY = "sts"
FORMATS = ("concord", "mocha", SIMILARITY)


def read_judgments(path: Path, format_: str) -> list[Judgment]:
    """Read the judged candidates of a file, in its order; `format_` is one of `FORMATS`.

    All or nothing: FileError, naming file, place and field, for a file that is not of the format
    or has no judged candidate.
    """
    if format_ not in FORMATS:
        raise FileError(f"there is no format {format_!r}; there are {', '.join(FORMATS)}")
    judgments = list(similarity.read(path) if format_ == SIMILARITY else _read(path, format_))
    if not judgments:
        raise FileError(f"{path} has no judged candidate")
    return judgments


def _read(path: Path, format_: str) -> Iterator[Judgment]:
    try:
        file = formats.read_judgments([path], format_)
    except FormatError as error:
        raise FileError(str(error)) from error
    judged = [(one, one.score) for one in file.candidates if one.score is not None]
    if not judged:
        return
    scale = file.scale or _unstated_scale([score for _, score in judged], path)
    for candidate, score in judged:
        yield _judgment(candidate, share_of_scale(score, scale))


def _unstated_scale(scores: list[float], path: Path) -> Scale:
    scale = enclosing_scale(scores)
    if scale is None:
        raise FileError(
            f"{path}: its scores lie between {min(scores):g} and {max(scores):g} and it names no "
            'scale: give each line a "scale", such as [1, 10]'
        )
    return scale


def _judgment(candidate: CandidateRecord, gold: float) -> Judgment:
    instance = candidate.instance
    return Judgment(
        id=candidate.key,
        question=instance.question,
        references=instance.references,
        candidate=candidate.text,
        gold=gold,
        passage=instance.passage,
        group=_group(instance),
        constituent=instance.constituent,
        split=instance.split,
        system=candidate.system,
        short_answer=instance.short_answer,
    )


def _group(instance: InstanceRecord) -> str:
    """What a split must not divide: the passage, else the instance that the file names.

    Where there is neither, the question, so that all its references stay in one part; else the
    references.
    """
    named = instance.key if instance.named_by_file else ""
    return instance.passage or named or instance.question or "\n".join(instance.references)
