"""Judgment files as training and evaluation data: people's scores of candidate answers.

`concord.formats` reads the judgment formats, `read_similarity` sentence similarity sets (sts). The
gold score of a candidate with ratings but without a score is the mean of the ratings; a candidate
with neither is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from concord import formats
from concord.formats import CandidateRecord, FormatError, InstanceRecord
from concord.formats.fields import scale_fault
from concord.formats.numbers import read_number
from concord.metrics.items import Item
from scorers.datasets.lines import read_records, text_lines
from scorers.errors import FileError

Scale = tuple[float, float]

#: The scales that a file need not state, in the order in which they are tried.
_COMMON_SCALES: tuple[Scale, ...] = ((0.0, 1.0), (1.0, 5.0))


@dataclass(frozen=True, slots=True)
class Judgment:
    """A candidate answer with its gold score.

    gold: the score as a share of its scale, from 0 (worst) to 1 (best). group: the group that a
    split must not divide, usually the passage. split, constituent: empty if the file does not state
    them. short_answer: the few words that answer the question, if the file has them.
    """

    id: str
    question: str
    references: tuple[str, ...]
    candidate: str
    gold: float
    passage: str = ""
    group: str = ""
    constituent: str = ""
    split: str = ""
    system: str = ""
    short_answer: str = ""

    @property
    def item(self) -> Item:
        """The item that a metric scores."""
        return Item(self.candidate, self.references, self.question, self.passage, self.short_answer)


def read_judgments(path: Path, format_: str) -> list[Judgment]:
    """Read the judged candidates of a file, in order; `format_` is one of `FORMATS`.

    Raises FileError, which names file, line and field, for an invalid file and for a file without a
    judged candidate.
    """
    return read_records(path, format_, _READERS, "judged candidate")


def _read(format_: str, path: Path) -> Iterator[Judgment]:
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
        yield _judgment(candidate, _share_of_scale(score, scale))


def _unstated_scale(scores: list[float], path: Path) -> Scale:
    """The first of the scales 0 to 1 and 1 to 5 that contains all scores."""
    for low, high in _COMMON_SCALES:
        if all(low <= score <= high for score in scores):
            return low, high
    raise FileError(
        f"{path} states no scale, and its scores ({min(scores):g} to {max(scores):g}) fit no "
        'common one: add a "scale" to each line, such as [1, 10]'
    )


def _share_of_scale(score: float, scale: Scale) -> float:
    """A score as a share of its scale, from 0 (lowest) to 1 (highest)."""
    low, high = scale
    return (score - low) / (high - low)


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


_SIMILARITY_SCALE: Scale = (0.0, 5.0)

# The minimum number of columns, and the columns of score, reference and candidate: of the GLUE
# copy, of STS-B, with the score first and last.
_LAYOUTS = ((10, (9, 7, 8)), (7, (4, 5, 6)), (3, (0, 1, 2)), (3, (2, 0, 1)))


def read_similarity(path: Path) -> Iterator[Judgment]:
    """Sentence similarity sets as tab-separated values, read as judgments without a question.

    The published formats of STS-B have seven or more columns (genre, file, year, number, score, two
    sentences), nine or more columns (the GLUE copy, with the score last), or three columns (two
    sentences with the score first or last). A first line whose score is not a number is a heading.
    Scores are from 0 to 5. The first sentence is the reference, the second the candidate. Raises
    FileError at the first error.
    """
    lines = [(number, line.split("\t")) for number, line in text_lines(path)]
    positions = _layout(path, lines)
    for index, (number, columns) in enumerate(lines):
        where = f"{path}, line {number}"
        if len(columns) <= max(positions):
            raise FileError(f"{where}: has {len(columns)} columns, but needs {max(positions) + 1}")
        score = read_number(columns[positions[0]])
        if isinstance(score, str):
            if index == 0:
                continue
            raise FileError(f"{where}, field score: {score}")
        if fault := scale_fault(score, _SIMILARITY_SCALE):
            raise FileError(f"{where}, field score: {fault}")
        reference, candidate = columns[positions[1]], columns[positions[2]]
        yield Judgment(
            id=str(number),
            question="",
            references=(reference,),
            candidate=candidate,
            gold=_share_of_scale(score, _SIMILARITY_SCALE),
            group=reference,
        )


def _layout(path: Path, lines: Sequence[tuple[int, list[str]]]) -> tuple[int, int, int]:
    """The layout of the second line, because the first may be a heading."""
    for _, columns in lines[1:2] or lines[:1]:
        for min_columns, positions in _LAYOUTS:
            if len(columns) < min_columns:
                continue
            if isinstance(read_number(columns[positions[0]]), float):
                return positions
    raise FileError(f"{path} is not a table of sentence pairs with scores in the format of STS-B")


_READERS: Mapping[str, Callable[[Path], Iterator[Judgment]]] = MappingProxyType(
    {
        "concord": partial(_read, "concord"),
        "mocha": partial(_read, "mocha"),
        "sts": read_similarity,
    }
)
FORMATS = tuple(_READERS)


@dataclass(frozen=True, slots=True)
class Split:
    """How judgments are split: by the split that they state, otherwise at random.

    `dev` and `test` are shares of the groups (passages, or questions where there are none), drawn
    by `seed`. A judgment that states the split "test" is never used for training.
    """

    dev: float = 0.1
    test: float = 0.0
    seed: int = 1

    def part(self, judgments: Sequence[Judgment], name: str) -> list[Judgment]:
        """The judgments of the part "train", "dev" or "test", or of "all".

        If no judgment states "dev", the dev judgments are drawn from those for training; likewise
        for "test". Raises ValueError for another name and for shares that leave no training data.
        """
        if name == "all":
            return list(judgments)
        if name not in ("train", "dev", "test"):
            raise ValueError(f"the part must be train, dev, test or all, not {name!r}")
        stated = {judgment.split for judgment in judgments}
        if name in stated and name != "train":
            return [judgment for judgment in judgments if judgment.split == name]
        others = [judgment for judgment in judgments if judgment.split not in ("dev", "test")]
        parts = split_judgments(
            others,
            0.0 if "dev" in stated else self.dev,
            0.0 if "test" in stated else self.test,
            self.seed,
        )
        return parts[("train", "dev", "test").index(name)]


Parts = tuple[list[Judgment], list[Judgment], list[Judgment]]


def split_judgments(
    judgments: Sequence[Judgment], dev: float, test: float = 0.0, seed: int = 1
) -> Parts:
    """Train, dev and test judgments by shares of the groups; no group is divided.

    The part of a group depends on its name and the seed alone, not on the order or on the other
    judgments. Raises ValueError when the shares leave no training data.
    """
    if min(dev, test) < 0 or dev + test >= 1:
        raise ValueError(
            f"the shares of dev and test must be 0 or above, with a sum below 1: {dev}, {test}"
        )
    parts: Parts = ([], [], [])
    for judgment in judgments:
        position = _group_position(judgment.group, seed)
        parts[2 if position < test else 1 if position < test + dev else 0].append(judgment)
    return parts


def is_in_share(group: str, share: float, seed: int) -> bool:
    """Whether a group belongs to a share of the groups, drawn by a seed."""
    return _group_position(group, seed) < share


def is_drawn(group: str, share: float, seed: int) -> bool:
    """Whether a group belongs to a share of the training groups, independent of the split."""
    return is_in_share(f"training\n{group}", share, seed)


def _group_position(group: str, seed: int) -> float:
    """A uniform pseudo-random number from 0 to 1 for a group."""
    key = f"{seed}\n{group}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest()) / 2**64
