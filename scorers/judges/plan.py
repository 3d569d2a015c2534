"""What is to be trained, and on what: the choices beside those of the training itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scorers.errors import TrainingError
from scorers.judges.examples import AUGMENTATIONS, Combine, References
from scorers.judges.form import Form, Head
from scorers.judges.scale import Loss
from scorers.judgments import Judgment, read_judgments, split_judgments
from scorers.judgments.splitting import is_drawn
from scorers.learned.card import Source
from scorers.learned.checkpoint import file_sha256

File = tuple[Path, str]


@dataclass(frozen=True, slots=True)
class Split:
    """How judgments are parted: by their own split where they have one, else by a draw.

    `dev` and `test` are shares of the groups (passages, or questions where there are none), drawn
    by `seed`. A judgment its file counts to the test split is never trained on.
    """

    dev: float = 0.1
    test: float = 0.0
    seed: int = 1

    def part(self, judgments: Sequence[Judgment], name: str) -> list[Judgment]:
        """The judgments of "train", "dev" or "test"; "all" are all of them.

        Where no judgment says "dev", the dev judgments are drawn from those for training, and so
        the test judgments where none says "test". Raises ValueError for another name, or shares
        that leave nothing to train on.
        """
        if name == "all":
            return list(judgments)
        if name not in ("train", "dev", "test"):
            raise ValueError(f"a part is train, dev, test or all, not {name!r}")
        stated = {judgment.split for judgment in judgments}
        if name in stated and name != "train":
            return [judgment for judgment in judgments if judgment.split == name]
        free = [judgment for judgment in judgments if judgment.split not in ("dev", "test")]
        drawn = split_judgments(
            free,
            0.0 if "dev" in stated else self.dev,
            0.0 if "test" in stated else self.test,
            self.seed,
        )
        return drawn[("train", "dev", "test").index(name)]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How examples are made of judgments, and what a training starts from.

    `references`: a row for each of a judgment's references, or for one. `augment` names ways of
    making more rows, `graded` the share by which gold scores are drawn to the features. `without`
    leaves constituents out of training and dev (MOCHA's OOD setting). `start` is a checkpoint
    whose encoder is taken up; `keyphrases` are question answering files to learn keyphrases from
    beside judging, their loss weighing `keyphrase_weight`. Of the training groups, `train_share` is
    drawn.
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
        strange = [way for way in self.augment if way not in AUGMENTATIONS]
        if strange:
            raise ValueError(
                f"augmentations are {', '.join(AUGMENTATIONS)}, not {', '.join(strange)}"
            )
        if not 0 <= self.graded <= 1:
            raise ValueError(f"the share of graded targets is from 0 to 1, not {self.graded}")

    def options(self) -> dict[str, Any]:
        """What a card keeps of it: no paths."""
        values = asdict(self)
        values.pop("keyphrases")
        values["start"] = Path(self.start).name
        return values


@dataclass(frozen=True, slots=True)
class Plan:
    """A judge to train: its kind, what it reads, its head, its loss, and its examples.

    `combine` says how the scores of several references become one, `rating` whether scores go from
    1 to 5 or from 0 to 1; `form_options` is what the
    card keeps of the form.
    """

    kind: str
    form: Form
    form_options: Mapping[str, Any]
    head: Head
    loss: Loss
    combine: Combine
    rating: bool
    recipe: Recipe = field(default_factory=Recipe)


@dataclass(frozen=True, slots=True)
class Data:
    """Judgments for training and for dev, and the files they come from."""

    train: list[Judgment]
    dev: list[Judgment]
    sources: tuple[Source, ...]


def read_data(
    files: Sequence[File],
    dev_files: Sequence[File],
    recipe: Recipe,
    read: Callable[[Path, str], list[Judgment]] = read_judgments,
) -> Data:
    """Read judgment files and part them; `dev_files` are all dev, and then nothing is drawn.

    `read` gives the judgments of a file of a format. Raises FileError for a bad file,
    TrainingError where a part is empty.
    """
    sources, judgments = [], []
    for path, format_ in files:
        found = read(path, format_)
        judgments += found
        sources.append(Source(path.name, format_, file_sha256(path), len(found)))
    dev = []
    for path, format_ in dev_files:
        found = read(path, format_)
        dev += found
        sources.append(Source(path.name, format_, file_sha256(path), len(found)))
    judgments = _but(judgments, recipe.without)
    split = recipe.split
    if dev_files:
        split = Split(0.0, split.test, split.seed)
        dev = _but(dev, recipe.without)
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
    return Data(train, dev, tuple(sources))


def _but(judgments: list[Judgment], without: Sequence[str]) -> list[Judgment]:
    return [judgment for judgment in judgments if judgment.constituent not in without]
