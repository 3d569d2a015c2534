"""The option --plot: a command's figures with their intervals as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from concord.plots.forest import ForestRow, forest_svg


def add_plot(parser: Any) -> None:
    """Add the option."""
    help = "write the figures with their intervals as a picture too"
    parser.add_argument("--plot", type=_svg_path, metavar="FILE.svg", help=help)


def write_plot(
    parsed: argparse.Namespace,
    title: str,
    figure: str,
    rows: Sequence[ForestRow],
    *,
    zero: bool = True,
) -> None:
    """Write the picture where one is wanted. Arguments as in `forest_svg`. Raises ValueError where
    the file cannot be written."""
    if parsed.plot is None:
        return
    try:
        parsed.plot.write_text(forest_svg(title, figure, rows, zero=zero), encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{parsed.plot}: cannot be written: {error.strerror}") from error


def _svg_path(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() != ".svg":
        raise argparse.ArgumentTypeError(f"'{text}': the file's name must end in .svg")
    return path
