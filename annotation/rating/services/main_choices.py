"""The points of the main question's scale as a rater chooses among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from annotation.rating.services.questions import keys_for
from concord.protocols import Protocol


@dataclass(frozen=True)
class ScaleChoice:
    """A point of the scale, with its key on the keyboard (empty if it has none).

    number: the value that raters see, a dash for two bad candidates. Of compared candidates it is
    that of the place at which the chosen one is shown.
    """

    value: int
    label: str
    key: str
    number: int | str


def place_names(protocol: Protocol) -> list[str]:
    """The names of the places at which compared candidates are shown; those of a set are the labels
    of its scale."""
    if protocol.unit == "set":
        return [point.label for point in protocol.scale]
    return [gettext("First answer"), gettext("Second answer")]


def choices(protocol: Protocol, shown: Sequence[int] = ()) -> list[ScaleChoice]:
    """The scale with a key for each point (`questions.keys_for`); empty for a slider.

    shown: as of a card. A point that stands for the candidate shown first has that one's value;
    ties come last. A set has a point for each candidate.
    """
    if protocol.scale_kind == "slider":
        return []
    scale = protocol.scale[: len(shown)] if shown and protocol.unit == "set" else protocol.scale
    keys = keys_for([point.value for point in scale])
    if protocol.unit == "pair":
        scale = tuple(sorted(scale, key=lambda point: (point.value <= 0, abs(point.value))))
        keys = ["-" if point.value < 0 else str(point.value) for point in scale]
    return [
        ScaleChoice(
            shown[point.value - 1] if shown and point.value > 0 else point.value,
            point.label,
            key,
            "\N{EN DASH}" if point.value < 0 and protocol.unit == "pair" else point.value,
        )
        for point, key in zip(scale, keys, strict=False)
    ]
