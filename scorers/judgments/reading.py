"""Reading judgment files as training and evaluation data.

`concord.formats` reads the judgment formats, `scorers.judgments.similarity` sentence similarity
sets (sts). The gold score of a candidate with ratings but without a score is the mean of the
ratings; a candidate with neither is left out.
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
    """Read the judged candidates of a file, in order; `format_` is one of `FORMATS`.

    Raises FileError, which names file, line and field, for an invalid file and for a file without a
    judged candidate.
    """
    if format_ not in FORMATS:
        raise FileError(f"the format must be one of {', '.join(FORMATS)}, not {format_!r}")
    judgments = list(similarity.read(path) if format_ == SIMILARITY else _read(path, format_))
    if not judgments:
        raise FileError(f"{path} has no judged candidate")
    return judgments


def _read(path: Path, format_: str) -> Iterator[Judgment]:
    try:
        file = formats.read_judgments([path], format_)
    except FormatError as error:
        raise FileError(str(error)) from error
    judged = [
        (candidate, candidate.score) for candidate in file.candidates if candidate.score is not None
    ]
    if not judged:
        return
    scale = file.scale or _unstated_scale([score for _, score in judged], path)
    for candidate, score in judged:
        yield _judgment(candidate, share_of_scale(score, scale))


def _unstated_scale(scores: list[float], path: Path) -> Scale:
    scale = enclosing_scale(scores)
    if scale is None:
        raise FileError(
            f"{path} states no scale, and its scores ({min(scores):g} to {max(scores):g}) fit no "
            'common one: add a "scale" to each line, such as [1, 10]'
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
    """The group that a split must not divide: the passage, or the instance that the file names.

    If there is neither, it is the question, so that all its references stay in one part; otherwise
    the references.
    """
    instance_name = instance.key if instance.named_by_file else ""
    return instance.passage or instance_name or instance.question or "\n".join(instance.references)
