"""What a judge's checkpoint is, in one sentence, and which known examples it gets wrong."""

from __future__ import annotations

from typing import TypedDict

from scorers.learned.card import Card, KnownFailure
from scorers.learned.checkpoint import checkpoint_folder, shipped_names


def description_of(card: Card) -> str:
    """One sentence on what a checkpoint is: its card's own, or one made of its options.

    Empty for a checkpoint that is no judge and has no description.
    """
    if card.description:
        return card.description
    makers = {"lerc": _lerc, "sts": _lerc, "ava": _ava}
    if card.kind not in makers:
        return ""
    sources = ", ".join(dict.fromkeys(source.file for source in card.data))
    return f"{makers[card.kind](card)}; trained on {sources or 'unknown data'}."


class DescribedCheckpoint(TypedDict):
    name: str
    description: str
    known_failures: list[KnownFailure]


def described(name: str) -> DescribedCheckpoint:
    """A checkpoint's name, description and known failures; CheckpointError where there is none."""
    card = Card.read(checkpoint_folder(name))
    return {
        "name": name,
        "description": description_of(card),
        "known_failures": list(card.known_failures),
    }


def shipped_of(kind: str) -> list[DescribedCheckpoint]:
    """The checkpoints of a kind that ship with Concord, as `described`."""
    return [
        described(name)
        for name in shipped_names()
        if Card.read(checkpoint_folder(name)).kind == kind
    ]


def _lerc(card: Card) -> str:
    options = card.options
    name = "LERC" if card.kind == "lerc" else "Sentence similarity baseline"
    reads = _listed(options["parts"])
    how = "matched token by token" if options["reading"] == "match" else "as one input"
    if options["features"]:
        return f"{name} head over {_features(card)}; its encoder reads {reads} {how}"
    start = options.get("recipe", {}).get("start")
    pretrained = f"started from {start}" if start else "without pre-training"
    return f"{name} regression on {reads} {how}, no features, {pretrained}"


def _ava(card: Card) -> str:
    options = card.options
    if options["design"] == "linear":
        return "AVA's linear classifier over four word overlaps"
    pairs = _listed(options["pairs"])
    if options["features"]:
        return f"AVA {options['design']} head over {_features(card)}; its encoder reads {pairs}"
    return f"AVA {options['design']} on the pairs {pairs}, no features"


def _features(card: Card) -> str:
    """The features, and how much the encoder adds to them."""
    names, bound = _listed(card.options["features"]), card.options["bound"]
    if bound is None:
        return f"{names}, to which an encoder adds"
    unit = "log-odds" if card.kind == "ava" else "rating points"
    return f"{names}, to which an encoder adds at most {bound:g} {unit}"


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
