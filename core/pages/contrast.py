"""Contrast of an accent colour with the backgrounds of the pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from environs import ValidationError

# Where links and buttons are shown: --paper, --raised and --tint of concord.css.
BACKGROUNDS = {
    "light": ("#ffffff", "#f6f7f9", "#e9f1fa"),
    "dark": ("#101317", "#191d23", "#1a2a3b"),
}
MIN_CONTRAST = 4.5  # of text, WCAG 2.2 AA, success criterion 1.4.3
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours of the form #rrggbb, from 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def check_accent(colours: Sequence[str]) -> None:
    """Raise ValidationError unless there are no colours, or one for light and one for dark pages
    that can be read on all backgrounds."""
    if not colours:
        return
    if len(colours) != 2 or not all(map(_HEX.fullmatch, colours)):
        raise ValidationError(
            "must be two colours, for light and for dark pages, such as #6b2fa0,#c9a2f2"
        )
    for colour, (scheme, backgrounds) in zip(colours, BACKGROUNDS.items(), strict=True):
        for background in backgrounds:
            ratio = contrast(colour, background)
            if ratio < MIN_CONTRAST:
                raise ValidationError(
                    f"{colour} cannot be read on {scheme} pages: its contrast with {background} is "
                    f"{ratio:.1f}, and {MIN_CONTRAST} is the least. Take a "
                    f"{'darker' if scheme == 'light' else 'lighter'} colour."
                )


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
