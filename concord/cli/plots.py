"""The option --plot: a command's figures with their intervals as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from concord.plots.forest import IntervalPlot
from concord.plots.png import png

EXTENSIONS = (".svg", ".png")


def add_plot(parser: Any) -> None:
    """Add the option."""
    help = "write the figures with their intervals as a picture too"
    parser.add_argument("--plot", type=_picture, metavar="FILE.svg|png", help=help)


def write_plot(parsed: argparse.Namespace, title: str, forest: IntervalPlot) -> None:
    """Write the picture where one is wanted. title: what the rows are of. Raises ValueError where
    the file cannot be written, and PngError."""
    if parsed.plot is None:
        return
    svg = forest.svg(title)
    picture = svg.encode() if parsed.plot.suffix.lower() == ".svg" else png(svg)
    try:
        parsed.plot.write_bytes(picture)
    except OSError as error:
        raise ValueError(f"{parsed.plot}: cannot be written: {error.strerror}") from error


def _picture(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in EXTENSIONS:
        raise argparse.ArgumentTypeError(f"'{text}': the file's name must end in .svg or .png")
    return path
