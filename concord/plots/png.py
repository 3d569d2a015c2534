"""Plots as PNG."""

from __future__ import annotations

# Pixels per SVG unit: about 300 dpi at the width of a column.
ZOOM = 3.0


class PngError(RuntimeError):
    """The packages that render PNG are not installed."""


def png(svg: str) -> bytes:
    """The plot as PNG. Its font comes from a package, so that all machines render the same.

    Raises PngError without the optional requirements `plots`.
    """
    try:
        import font_source_sans_pro
        import resvg_py
    except ImportError as error:
        raise PngError(
            f"{error.name} is not installed: install concord-judgments[plots], or write .svg"
        ) from error
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=ZOOM,
            background="#ffffff",
            skip_system_fonts=True,
            font_files=[
                font_source_sans_pro.SourceSansPro,
                font_source_sans_pro.SourceSansProSemibold,
            ],
            font_family="Source Sans Pro",
            sans_serif_family="Source Sans Pro",
        )
    )
