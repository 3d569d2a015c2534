"""The kinds of learned metrics that can be trained, and the choices of a training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, get_args

from concord.bounds import (
    REQUIRED,
    Number,
    Text,
    choice,
    choice_of,
    find_problems,
    items,
    number,
    text,
)
from scorers.answer_selection import FORMATS as SELECTION_FORMATS
from scorers.judges.examples import References
from scorers.judges.features import NAMES as FEATURES
from scorers.judges.form import Head
from scorers.judges.options import JUDGMENT_FORMATS, KEYPHRASE_FORMATS
from scorers.judges.plan import Split, TrainingRecipe
from scorers.learned.settings import TrainingSettings
from scorers.lerc.form import PARTS, LercForm, Reading
from scorers.lerc.pretraining import CHOICES
from scorers.lerc.training import STS_FORM
from scorers.multiple_choice import FORMATS as CHOICE_FORMATS
from scorers.training_defaults import TrainingDefaults, training_defaults

DESIGNS = ("linear", "A0", "A1", "A2")
READINGS = get_args(Reading)
__all__ = [
    "CHOICES",
    "DESIGNS",
    "FEATURES",
    "KINDS",
    "PARTS",
    "READINGS",
    "TrainingKind",
    "TrainingOptions",
    "safe_file_name",
]

_LOOP = frozenset(
    ("defaults", "epochs", "patience", "rates", "seeds", "batch_size", "max_tokens", "lora_rank")
) | {"licence", "notes"}
_SPLIT = frozenset({"dev_share", "split_seed"})
_JUDGE = _LOOP | _SPLIT | {"sets", "features", "bound", "test_share", "without", "pretrained"}


@dataclass(frozen=True, slots=True)
class TrainingKind:
    """A kind of metric that can be trained.

    formats: formats of its files. fields: the fields of its form, besides name, file and format.
    """

    title: str
    formats: tuple[str, ...]
    fields: frozenset[str]

    @property
    def takes_sets(self) -> bool:
        return "sets" in self.fields


KINDS: Mapping[str, TrainingKind] = {
    "lerc": TrainingKind(
        "LERC, a rating", JUDGMENT_FORMATS, _JUDGE | {"parts", "reading", "layer"}
    ),
    CHOICES: TrainingKind(
        "LERC's pre-training: which of two answers is right",
        tuple(CHOICE_FORMATS),
        _LOOP | _SPLIT | {"parts", "pretrained", "answers"},
    ),
    "ava": TrainingKind(
        "AVA, the chance of being correct",
        (*JUDGMENT_FORMATS, *SELECTION_FORMATS),
        _JUDGE | {"design"},
    ),
    "sts": TrainingKind(
        "STS, similarity of two texts", JUDGMENT_FORMATS, _JUDGE | {"reading", "layer"}
    ),
    "kpqa": TrainingKind("KPQA's keyphrase predictor", KEYPHRASE_FORMATS, _LOOP | {"made"}),
}


def safe_file_name(name: str) -> str:
    """The name of an upload as a file name that is safe in the training's folder."""
    safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
    return safe.lstrip(".-")[-100:] or "data"


WORD, RATE, SEED = Text(100, REQUIRED), Number(0, 1, above=True), Number(0, 2**31)


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """The parameters of a training besides its name and data; stored as JSON.

    `of_kind` has the defaults of new trainings. The defaults here are those of trainings that were
    stored without a value. design, shared: of AVA. features, bound: of the head. made: KPQA's share
    of generated questions. parts, reading, layer: of LERC (`LercForm`). without: constituents to
    exclude from training and dev. pretrained: the checkpoint whose encoder the training starts
    from. formats: of the files, by name. Raises ValueError for invalid values.
    """

    epochs: int = field(default=3, metadata=number(1, 100))
    batch_size: int = field(default=32, metadata=number(1, 1024))
    rates: tuple[float, ...] = field(
        default=(5e-4,),
        metadata=items(
            20,
            min_items=1,
            unit="learning rates",
            each=RATE,
            separator=",",
            label="Learning rates",
            help="Learning rates to try; the best on the dev part is selected.",
        ),
    )
    seeds: tuple[int, ...] = field(
        default=(1,),
        metadata=items(20, min_items=1, unit="seeds", each=SEED, separator=","),
    )
    lora_rank: int = field(
        default=16,
        metadata=number(
            0,
            256,
            label="Rank of adapters",
            help="0 trains all weights; use about twenty times lower learning rates then.",
        ),
    )
    max_tokens: int = field(default=128, metadata=number(8, 512, label="Max. tokens"))
    patience: int | None = field(
        default=2,
        metadata=number(
            1,
            100,
            label="Early stopping",
            help="Number of epochs without improvement after which to stop.",
        ),
    )
    precision: str = field(default="float32", metadata=text(10))
    features: tuple[str, ...] = field(
        default=(),
        metadata=items(
            len(FEATURES),
            each=choice_of(FEATURES),
            label="Feature metrics",
            help="Untrained metrics whose scores are inputs of the head.",
        ),
    )
    bound: float | None = field(
        default=None,
        metadata=number(
            0,
            1e6,
            label="Max. correction",
            help="Largest correction of the feature metrics' scores. If empty, no maximum.",
        ),
    )
    references: str = field(default="closest", metadata=text(10))
    design: str = field(default="A1", metadata=choice(DESIGNS, help="ava"))
    shared: bool = True
    made: float = field(
        default=0.0,
        metadata=number(
            0,
            1,
            label="Generated questions",
            help="Share of yes/no and either/or questions to add.",
        ),
    )
    dev_share: float = field(
        default=0.15,
        metadata=number(
            0.01,
            0.9,
            label="Dev part",
            help="Share of the passages, for sets without a dev split.",
        ),
    )
    test_share: float = field(
        default=0,
        metadata=number(
            0,
            0.9,
            label="Test part",
            help="Share of the passages, for sets without a test split.",
        ),
    )
    split_seed: int = field(default=1, metadata=number(0, 2**31, label="Seed of parts"))
    without: tuple[str, ...] = field(
        default=(),
        metadata=items(
            50,
            unit="names",
            each=WORD,
            separator=",",
            label="Constituents to leave out",
            help="Constituents to exclude from training.",
        ),
    )
    parts: tuple[str, ...] = field(
        default=PARTS,
        metadata=items(
            len(PARTS),
            each=choice_of(PARTS),
            label="What it reads",
            help="lerc, lerc-choices: the parts of an item that it reads; by default all.",
        ),
    )
    reading: str = field(
        default="joined",
        metadata=choice(
            READINGS,
            help="joined: one input of all parts. match: reference and candidate are encoded "
            "separately and compared token by token.",
        ),
    )
    # The layers of the default encoder, from which the site's trainings start.
    layer: int = field(default=0, metadata=number(0, 6, help="match: the hidden layer to compare."))
    pretrained: str = field(
        default="",
        metadata=text(
            60,
            label="Start from",
            help="A checkpoint whose encoder to start from, such as a pre-training of LERC. It "
            "must have the same rank of adapters.",
        ),
    )
    licence: str = field(default="", metadata=text(200, label="Licence of the data"))
    notes: str = field(
        default="",
        metadata=text(
            2000,
            multiline=True,
            help="What users should know. It is stored in the card.",
        ),
    )
    formats: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for path, problem in find_problems(self).items():
            raise ValueError(f"{path.partition('.')[0].replace('_', ' ')}: {problem}")
        if len({*self.rates}) < len(self.rates):
            raise ValueError("learning rates must be different")
        if len({*self.seeds}) < len(self.seeds):
            raise ValueError("seeds must be different")
        if min(self.dev_share, self.test_share) < 0 or self.dev_share + self.test_share >= 1:
            raise ValueError("the sum of the dev and test shares must be below 1")
        for rate in self.rates:
            self.settings("loss", rate)
        self.head()
        self.form("lerc")

    @classmethod
    def of_kind(cls, kind: str, defaults: str, **chosen: object) -> TrainingOptions:
        """The choices of a new training, with the named defaults for what was not chosen."""
        values = training_defaults(kind, defaults)
        names = {one.name for one in fields(cls)} & {one.name for one in fields(TrainingDefaults)}
        return cls(**{name: getattr(values, name) for name in names} | chosen)

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> TrainingOptions:
        """The inverse of `to_json`; missing values have their defaults."""
        # The values of fields, of several types.
        values: dict[str, Any] = {}
        for option in fields(cls):
            if option.name in stored:
                value = stored[option.name]
                values[option.name] = tuple(value) if isinstance(value, list) else value
        return cls(**values)

    def to_json(self) -> dict[str, object]:
        """The values as JSON, with lists instead of tuples."""
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
        """The inputs of LERC, its pre-training or the similarity baseline."""
        parts = tuple(part for part in PARTS if part in self.parts)
        reading: Reading = "match" if self.reading == "match" else "joined"
        return LercForm(STS_FORM.parts if kind == "sts" else parts, reading, self.layer)

    def check(self, kind: str) -> None:
        """Raises ValueError for choices that this kind does not support."""
        form = self.form(kind)
        if kind == CHOICES and not set(STS_FORM.parts) <= set(form.parts):
            raise ValueError("pre-training needs the parts reference and candidate")
        if kind == "ava" and self.design == "linear" and self.pretrained:
            raise ValueError("the linear design has no encoder to start from")

    def recipe(self) -> TrainingRecipe:
        """The recipe that makes examples from judgments."""
        references: References = "all" if self.references == "all" else "closest"
        split = Split(self.dev_share, self.test_share, self.split_seed)
        return TrainingRecipe(
            references=references, without=self.without, split=split, start=self.pretrained
        )
