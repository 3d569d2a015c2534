"""The plan of a judge's training: its data, examples, network and loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scorers.errors import TrainingError
from scorers.judges.examples import (
    Combine,
    References,
    check_augmentations,
    check_graded,
)
from scorers.judges.form import Form, Head
from scorers.judges.scale import Loss
from scorers.judgments import Judgment, read_judgments, split_judgments
from scorers.judgments.splitting import is_drawn
from scorers.learned.card import CardSource
from scorers.learned.checkpoint import file_sha256

# A path and its format.
File = tuple[Path, str]


@dataclass(frozen=True, slots=True)
class TrainingFiles:
    """The files of a training, and its dev files; without these a share is drawn."""

    train: Sequence[File]
    dev: Sequence[File] = ()


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


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """How examples are made from judgments, and the initial weights.

    references: which references of a judgment make a row. augment: methods of augmentation. graded:
    the share by which gold scores move to the mean of the features. without: constituents that are
    left out of training and dev (MOCHA's OOD setting). start: a checkpoint whose encoder weights
    are the initial ones. keyphrases: question answering files for the auxiliary task, whose loss is
    multiplied by keyphrase_weight. train_share: the share of the training groups that is used.
    """

    references: References = "all"
    augment: tuple[str, ...] = ()
    graded: float = 0.0
    without: tuple[str, ...] = ()
    split: Split = field(default_factory=Split)
    start: str = ""
    keyphrases: tuple[File, ...] = ()
    keyphrase_weight: float = 0.5
    train_share: float = 1.0

    def __post_init__(self) -> None:
        check_augmentations(self.augment)
        check_graded(self.graded)

    def options(self) -> dict[str, Any]:
        """The entry of a card, without paths."""
        values = asdict(self)
        values.pop("keyphrases")
        values["start"] = Path(self.start).name
        return values


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """A judge to train: its kind, input form, head, loss and recipe.

    form_options: the form's entry in the card. combine: how the scores of several references become
    one. rating: whether scores go from 1 to 5, otherwise from 0 to 1.
    """

    kind: str
    form: Form
    form_options: Mapping[str, Any]
    head: Head
    loss: Loss
    combine: Combine
    rating: bool
    recipe: TrainingRecipe = field(default_factory=TrainingRecipe)


@dataclass(frozen=True, slots=True)
class Data:
    """Training and dev judgments, and their files."""

    train: list[Judgment]
    dev: list[Judgment]
    sources: tuple[CardSource, ...]


def read_data(
    files: TrainingFiles,
    recipe: TrainingRecipe,
    read: Callable[[Path, str], list[Judgment]] = read_judgments,
) -> Data:
    """Read and split judgment files. Dev files are the dev part; without them it is drawn.

    `read` returns the judgments of a file of a format. Raises FileError for an invalid file,
    TrainingError when a part is empty.
    """
    judgments, sources = _read_files(files.train, read)
    dev, dev_sources = _read_files(files.dev, read)
    judgments = _exclude_constituents(judgments, recipe.without)
    split = recipe.split
    if files.dev:
        split = Split(0.0, split.test, split.seed)
        dev = _exclude_constituents(dev, recipe.without)
    else:
        dev = split.part(judgments, "dev")
    train = [
        judgment
        for judgment in split.part(judgments, "train")
        if is_drawn(judgment.group, recipe.train_share, split.seed)
    ]
    if not train or not dev:
        raise TrainingError(
            f"{len(train)} training and {len(dev)} dev judgments are too few: "
            "at least one of each is needed, from different passages"
        )
    return Data(train, dev, (*sources, *dev_sources))


def _read_files(
    files: Sequence[File], read: Callable[[Path, str], list[Judgment]]
) -> tuple[list[Judgment], list[CardSource]]:
    judgments, sources = [], []
    for path, format_ in files:
        file_judgments = read(path, format_)
        judgments += file_judgments
        sources.append(CardSource(path.name, format_, file_sha256(path), len(file_judgments)))
    return judgments, sources


def _exclude_constituents(judgments: list[Judgment], without: Sequence[str]) -> list[Judgment]:
    return [judgment for judgment in judgments if judgment.constituent not in without]
