"""What a view costs, declared beside it: the rate limit that counts its requests, and its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

View = TypeVar("View", bound=Callable[..., object])
# A row of a CSV may have several lines, because quoted cells may contain line breaks.
MAX_LINES_PER_ROW = 20
# One row with all its texts and references.
MAX_LINE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class UploadLimits:
    """The limits of uploads to a view.

    max_bytes: of all files. max_lines, max_line_bytes: of a text file; None: no limit. archives:
    whether compressed files are accepted; zip: whether zip archives, Office documents and Parquet
    files are. Their readers limit what they unpack.
    """

    max_bytes: int
    max_lines: int | None = None
    max_line_bytes: int | None = None
    archives: bool = False
    zip: bool = False


@dataclass(frozen=True)
class ViewCost:
    """rate: the rate limit that counts requests of a view; "": that of all changes. files: the
    limits of the files that it takes, which are read at each request; None: it takes none."""

    rate: str = ""
    files: Callable[[], UploadLimits] | None = None


def costs(
    rate: str = "", *, files: Callable[[], UploadLimits] | None = None
) -> Callable[[View], View]:
    """Decorate a view, or the class of a view, with what it costs."""

    def decorate(view: View) -> View:
        view.cost = ViewCost(rate, files)  # type: ignore[attr-defined]
        return view

    return decorate


def cost_of(view: Callable[..., object]) -> ViewCost:
    """What was declared of a view, or of its class; that of a plain form otherwise."""
    declared: ViewCost = getattr(getattr(view, "view_class", view), "cost", None) or ViewCost()
    return declared
