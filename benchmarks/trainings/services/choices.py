"""What can be trained here, and with which choices: one entry a kind of learned metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_args

from concord.bounds import Number, Text, find_problems, items, number, text
from scorers.answer_selection import FORMATS as SELECTION_FORMATS
from scorers.judges.examples import References
from scorers.judges.features import NAMES as FEATURES
from scorers.judges.form import Head
from scorers.judges.options import JUDGMENT_FORMATS, KEYPHRASE_FORMATS
from scorers.judges.plan import Recipe, Split
from scorers.learned.settings import TrainingSettings
from scorers.lerc.form import PARTS, LercForm, Reading
from scorers.lerc.pretraining import CHOICES
from scorers.lerc.training import STS_FORM
from scorers.multiple_choice import FORMATS as CHOICE_FORMATS

DESIGNS = ("linear", "A0", "A1", "A2")
READINGS = get_args(Reading)
__all__ = [
    "CHOICES",
    "DESIGNS",
    "FEATURES",
    "KINDS",
    "PARTS",
    "READINGS",
    "Choices",
    "Kind",
    "file_name",
]

_LOOP = frozenset(
    ("epochs", "patience", "rates", "seeds", "batch_size", "max_tokens", "lora_rank")
) | {"licence", "notes"}
_PARTED = frozenset({"dev_share", "split_seed"})
_JUDGED = _LOOP | _PARTED | {"sets", "features", "bound", "test_share", "without", "pretrained"}


@dataclass(frozen=True, slots=True)
class Kind:
    """What can be trained: what it is called, which files it reads, the dev figure that says which
    epoch is best, and the fields of the form that it has beside name, file and format."""

    title: str
    formats: tuple[str, ...]
    best_by: str
    fields: frozenset[str]

    @property
    def takes_sets(self) -> bool:
        return "sets" in self.fields


KINDS: Mapping[str, Kind] = {
    "lerc": Kind(
        "LERC, a rating", JUDGMENT_FORMATS, "pearson", _JUDGED | {"parts", "reading", "layer"}
    ),
    CHOICES: Kind(
        "LERC's pre-training: which of two answers is right",
        tuple(CHOICE_FORMATS),
        "accuracy",
        _LOOP | _PARTED | {"parts", "pretrained", "answers"},
    ),
    "ava": Kind(
        "AVA, the chance of being correct",
        (*JUDGMENT_FORMATS, *SELECTION_FORMATS),
        "f1",
        _JUDGED | {"design"},
    ),
    "sts": Kind(
        "STS, similarity of two texts", JUDGMENT_FORMATS, "pearson", _JUDGED | {"reading", "layer"}
    ),
    "kpqa": Kind("KPQA's keyphrase predictor", KEYPHRASE_FORMATS, "loss", _LOOP | {"made"}),
}


def file_name(name: str) -> str:
    """An upload's name as a file in the training's folder, which cannot lead out of it."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
    return kept.lstrip(".-")[-100:] or "data"


WORD, RATE, SEED = Text(100), Number(0, 1, above=True), Number(0, 2**31)


RATES = items(20, min_items=1, unit="learning rates", each=RATE)
SEEDS = items(20, min_items=1, unit="seeds", each=SEED)


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything a training is asked for with, beside its name and data; kept as JSON.

    `design` is AVA's; `features` and `bound` are the head's; `made` is KPQA's share of made
    questions. `parts`, `reading` and `layer` are LERC's form (`LercForm`). `without` names
    constituents to leave out of training and dev, `pretrained` the checkpoint whose encoder the
    training starts from. `formats` are those of the files, by name. Raises ValueError for what
    cannot be.
    """

    epochs: int = field(default=3, metadata=number(1, 100))
    batch_size: int = field(default=32, metadata=number(1, 1024))
    rates: tuple[float, ...] = field(default=(5e-4,), metadata=RATES)
    seeds: tuple[int, ...] = field(default=(1,), metadata=SEEDS)
    lora_rank: int = field(default=16, metadata=number(0, 256))
    max_tokens: int = field(default=128, metadata=number(8, 512))
    patience: int | None = field(default=2, metadata=number(1, 100))
    precision: str = field(default="float32", metadata=text(10))
    features: tuple[str, ...] = field(default=(), metadata=items(len(FEATURES), each=WORD))
    bound: float | None = field(default=None, metadata=number(0, 1e6))
    references: str = field(default="closest", metadata=text(10))
    design: str = field(default="A1", metadata=text(10))
    made: float = field(default=0.0, metadata=number(0, 1))
    dev_share: float = field(default=0.15, metadata=number(0.01, 0.9))
    test_share: float = field(default=0.0, metadata=number(0, 0.9))
    split_seed: int = field(default=1, metadata=number(0, 2**31))
    without: tuple[str, ...] = field(default=(), metadata=items(50, unit="names", each=WORD))
    parts: tuple[str, ...] = field(default=PARTS, metadata=items(len(PARTS), each=WORD))
    reading: str = field(default="joined", metadata=text(10))
    # The layers of the default encoder, from which the site's trainings start.
    layer: int = field(default=0, metadata=number(0, 6))
    pretrained: str = field(default="", metadata=text(60))
    licence: str = field(default="", metadata=text(200))
    notes: str = field(default="", metadata=text(2000, multiline=True))
    formats: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for path, problem in find_problems(self).items():
            raise ValueError(f"{path.partition('.')[0].replace('_', ' ')}: {problem}")
        if len({*self.rates}) < len(self.rates):
            raise ValueError("learning rates must be all different")
        if len({*self.seeds}) < len(self.seeds):
            raise ValueError("seeds must be all different")
        if min(self.dev_share, self.test_share) < 0 or self.dev_share + self.test_share >= 1:
            raise ValueError("the shares of dev and test must stay below 1 together")
        for rate in self.rates:
            self.settings("loss", rate)
        self.head()
        self.form("lerc")

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Choices:
        """From what `to_json` gave."""
        values: dict[str, Any] = {}
        for one in fields(cls):
            if one.name in kept:
                value = kept[one.name]
                values[one.name] = tuple(value) if isinstance(value, list) else value
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """As JSON keeps it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}

    def settings(self, best_by: str, rate: float | None = None) -> TrainingSettings:
        """The settings of the training loop."""
        return TrainingSettings(
            epochs=self.epochs,
            batch_size=self.batch_size,
            learning_rate=self.rates[0] if rate is None else rate,
            max_tokens=self.max_tokens,
            lora_rank=self.lora_rank,
            precision="bf16" if self.precision == "bf16" else "float32",
            patience=self.patience,
            seed=self.seeds[0],
            best_by=best_by,
        )

    def head(self) -> Head:
        """The judge's head."""
        return Head(1, self.features, self.bound)

    def form(self, kind: str) -> LercForm:
        """What LERC, its pre-training or the similarity baseline reads."""
        parts = tuple(part for part in PARTS if part in self.parts)
        reading: Reading = "match" if self.reading == "match" else "joined"
        return LercForm(STS_FORM.parts if kind == "sts" else parts, reading, self.layer)

    def check(self, kind: str) -> None:
        """Raises ValueError for what this kind cannot be trained with."""
        form = self.form(kind)
        if kind == CHOICES and not set(STS_FORM.parts) <= set(form.parts):
            raise ValueError("pre-training compares two answers: it reads reference and candidate")
        if kind == "ava" and self.design == "linear" and self.pretrained:
            raise ValueError("the linear design has no encoder to start from")

    def recipe(self) -> Recipe:
        """How judgments become examples."""
        references: References = "all" if self.references == "all" else "closest"
        split = Split(self.dev_share, self.test_share, self.split_seed)
        return Recipe(
            references=references, without=self.without, split=split, start=self.pretrained
        )
