"""The card of a learned metric's checkpoint: where its weights come from and what they reach."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypedDict

from scorers.errors import CheckpointError

CARD = "card.json"


@dataclass(frozen=True, slots=True)
class Source:
    """A file the weights were trained on: its name, published form, SHA-256 and examples."""

    file: str
    format: str
    sha256: str
    examples: int


class FailedAnswer(TypedDict):
    """An answer with the score that was expected and the one it got."""

    text: str
    expected: str
    score: float


class KnownFailure(TypedDict):
    """A published example that a checkpoint gets wrong; `failure` says in a sentence how."""

    source: str
    passage: str
    question: str
    reference: str
    answers: list[FailedAnswer]
    failure: str


@dataclass(frozen=True, slots=True)
class Card:
    """What `card.json` says.

    `kind` names the network ("kpqa", "lerc"), `encoder` the encoder it stands on and
    `encoder_sha256` that encoder's weights; `options` what shapes its input; `settings` those of
    the training; `figures` what it reached on its dev examples, by name; `notes` what a user
    should know. `weights_sha256` pins the weights' file. `description` says in one sentence what
    the checkpoint is.
    """

    kind: str
    encoder: str
    encoder_sha256: str
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    data: tuple[Source, ...]
    licence: str
    command: str
    figures: Mapping[str, float]
    history: tuple[Mapping[str, Any], ...]
    versions: Mapping[str, str]
    weights_sha256: str
    notes: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    known_failures: tuple[KnownFailure, ...] = ()

    def origin(self) -> dict[str, Any]:
        """What the card of a checkpoint that starts from this one says of it."""
        names = ("command", "data", "licence", "figures", "weights_sha256")
        return {name: value for name, value in asdict(self).items() if name in names}

    def write(self, folder: Path) -> None:
        """Write the card into a checkpoint's folder."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"
        (folder / CARD).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Card:
        """The card of a checkpoint; CheckpointError where there is none or it is not one."""
        path = folder / CARD
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise CheckpointError(
                f"{folder} is no checkpoint: it has no {CARD}; "
                "give a folder made by `python -m scorers train`"
            ) from None
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{path} cannot be read: {error}") from error
        return cls.of(values, str(path))

    @classmethod
    def of(cls, values: Any, path: str = "this") -> Card:
        """A card from its JSON; CheckpointError, naming `path`, where it is not one."""
        known = {entry.name for entry in fields(cls)}
        if not isinstance(values, dict) or not {"kind", "encoder", "weights_sha256"} <= set(values):
            raise CheckpointError(f"{path} is not the card of a checkpoint")
        unknown = sorted(set(values) - known)
        if unknown:
            raise CheckpointError(f"{path} has entries this version does not know: {unknown}")
        try:
            sequences = {
                "data": tuple(Source(**source) for source in values["data"]),
                "history": tuple(values["history"]),
                "known_failures": tuple(values.get("known_failures", ())),
            }
            return cls(**{**values, **sequences})
        except (KeyError, TypeError) as error:
            raise CheckpointError(f"{path} is not the card of a checkpoint: {error}") from error
