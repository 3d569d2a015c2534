"""One-sentence descriptions and known failures of the checkpoints of judges."""

from __future__ import annotations

from typing import TypedDict

from scorers.learned.card import CheckpointCard, KnownFailure
from scorers.learned.checkpoint import checkpoint_folder, shipped_names


def describe_card(card: CheckpointCard) -> str:
    """A checkpoint in one sentence: its card's description, or one generated from its options.

    Empty for a checkpoint that has no description and is not a judge.
    """
    if card.description:
        return card.description
    describe = {"lerc": _describe_regression, "sts": _describe_regression, "ava": _describe_ava}
    if card.kind not in describe:
        return ""
    sources = ", ".join(dict.fromkeys(source.file for source in card.data))
    return f"{describe[card.kind](card)}; trained on {sources or 'unknown data'}."


class CheckpointDescription(TypedDict):
    name: str
    description: str
    known_failures: list[KnownFailure]


def describe_checkpoint(name: str) -> CheckpointDescription:
    """A checkpoint's name, description and known failures.

    Raises CheckpointError if it is missing.
    """
    card = CheckpointCard.read(checkpoint_folder(name))
    return {
        "name": name,
        "description": describe_card(card),
        "known_failures": list(card.known_failures),
    }


def shipped_checkpoints(kind: str) -> list[CheckpointDescription]:
    """The checkpoints of a kind that ship with Concord, as `describe_checkpoint`."""
    return [
        describe_checkpoint(name)
        for name in shipped_names()
        if CheckpointCard.read(checkpoint_folder(name)).kind == kind
    ]


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
