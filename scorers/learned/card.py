"""The card of a checkpoint: the origin of its weights and its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypedDict

from scorers.errors import CheckpointError

CARD = "card.json"


@dataclass(frozen=True, slots=True)
class CardSource:
    """A training file: its name, format, SHA-256 and number of examples."""

    file: str
    format: str
    sha256: str
    examples: int


class FailedAnswer(TypedDict):
    """An answer with its expected and its actual score."""

    text: str
    expected: str
    score: float


class KnownFailure(TypedDict):
    """A published example that a checkpoint scores wrongly; `failure` says how in a sentence."""

    source: str
    passage: str
    question: str
    reference: str
    answers: list[FailedAnswer]
    failure: str


@dataclass(frozen=True, slots=True)
class CheckpointCard:
    """The content of `card.json`.

    kind: the network, such as "kpqa" or "lerc". encoder: the encoder under it, and encoder_sha256:
    the hash of the encoder's weights. options: what determines the network's input. settings: those
    of the training. figures: the dev figures by name. notes: remarks for users. weights_sha256: the
    hash of the weights file. description: the checkpoint in one sentence.
    """

    kind: str
    encoder: str
    encoder_sha256: str
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    data: tuple[CardSource, ...]
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
        """The entries that the card of a checkpoint trained from this one repeats."""
        names = ("command", "data", "licence", "figures", "weights_sha256")
        return {name: value for name, value in asdict(self).items() if name in names}

    def write(self, folder: Path) -> None:
        """Write the card into a checkpoint's folder."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"
        (folder / CARD).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> CheckpointCard:
        """Read the card of a checkpoint. Raises CheckpointError when it is missing or invalid."""
        path = folder / CARD
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise CheckpointError(
                f"{folder} is not a checkpoint, because it has no {CARD}: "
                "give a folder written by `python -m scorers train`"
            ) from None
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{path} cannot be read: {error}") from error
        return cls.of(values, str(path))

    @classmethod
    def of(cls, values: Any, path: str = "this") -> CheckpointCard:
        """Make a card from its JSON.

        Raises CheckpointError, which names `path`, when it is invalid.
        """
        names = {entry.name for entry in fields(cls)}
        if not isinstance(values, dict) or not {"kind", "encoder", "weights_sha256"} <= set(values):
            raise CheckpointError(
                f"{path} is not the card of a checkpoint: it lacks kind, encoder or weights_sha256"
            )
        unknown = sorted(set(values) - names)
        if unknown:
            raise CheckpointError(
                f"{path} has entries that this version does not know: {', '.join(unknown)}"
            )
        _check_figures(values, path)
        try:
            sequences = {
                "data": tuple(CardSource(**source) for source in values["data"]),
                "history": tuple(values["history"]),
                "known_failures": tuple(values.get("known_failures", ())),
            }
            return cls(**{**values, **sequences})
        except (KeyError, TypeError) as error:
            raise CheckpointError(f"{path} is not the card of a checkpoint: {error}") from error


def _check_figures(values: Mapping[str, Any], path: str) -> None:
    """Check the figures of the dev part and those of `extra["unseen"]`, by name of the set.

    A figure of an unseen set is a number, or {"value": number, "ci": [low, high]}.
    """

    def reject(name: str, expected: str) -> CheckpointError:
        return CheckpointError(f"{path} is not the card of a checkpoint: {name} is not {expected}")

    figures, extra = values.get("figures", {}), values.get("extra", {})
    if not isinstance(figures, Mapping) or not all(map(_is_number, figures.values())):
        raise reject("figures", "an object of numbers")
    unseen = extra.get("unseen", {}) if isinstance(extra, Mapping) else None
    if not isinstance(unseen, Mapping):
        raise reject("extra.unseen", "an object")
    for title, of_set in unseen.items():
        if not isinstance(of_set, Mapping):
            raise reject(f"extra.unseen.{title}", "an object")
        for name, value in of_set.items():
            if not (_is_number(value) or _is_interval(value)):
                raise reject(f"extra.unseen.{title}.{name}", "a number or a value with its ci")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_interval(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("ci"), list):
        return False
    return (
        _is_number(value.get("value"))
        and len(value["ci"]) == 2
        and all(map(_is_number, value["ci"]))
    )


def describe_card(card: CheckpointCard) -> str:
    """A checkpoint in one sentence: its card's description, or one generated from its options.

    Empty for a checkpoint that has no description and scores no texts.
    """
    if card.description:
        return card.description
    describe = {"lerc": _describe_regression, "sts": _describe_regression, "ava": _describe_ava}
    if card.kind not in describe:
        return ""
    sources = ", ".join(dict.fromkeys(source.file for source in card.data))
    return f"{describe[card.kind](card)}; trained on {sources or 'unknown data'}."


def _describe_regression(card: CheckpointCard) -> str:
    options = card.options
    name = "LERC" if card.kind == "lerc" else "Sentence similarity baseline"
    reads = _join_names(options["parts"])
    how = "matched token by token" if options["reading"] == "match" else "as one input"
    if options["features"]:
        return f"{name} head over {_describe_features(card)}; its encoder reads {reads} {how}"
    start = options.get("recipe", {}).get("start")
    pretrained = f"started from {start}" if start else "without pre-training"
    return f"{name} regression on {reads} {how}, no features, {pretrained}"


def _describe_ava(card: CheckpointCard) -> str:
    options = card.options
    if options["design"] == "linear":
        return "AVA's linear classifier over four word overlaps"
    pairs = _join_names(options["pairs"])
    if options["features"]:
        features = _describe_features(card)
        return f"AVA {options['design']} head over {features}; its encoder reads {pairs}"
    return f"AVA {options['design']} on the pairs {pairs}, no features"


def _describe_features(card: CheckpointCard) -> str:
    """The features, and how much the encoder may add to them."""
    names, bound = _join_names(card.options["features"]), card.options["bound"]
    if bound is None:
        return f"{names}, to which an encoder adds"
    unit = "log-odds" if card.kind == "ava" else "rating points"
    return f"{names}, to which an encoder adds at most {bound:g} {unit}"


def _join_names(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
