"""The option of what an answer "both bad" counts."""

from __future__ import annotations

import argparse

from concord.formats.choices import AS_TIE, LEAVE_OUT


def add_both_bad(parser: argparse.ArgumentParser) -> None:
    """Add the option --both-bad."""
    parser.add_argument(
        "--both-bad",
        choices=(AS_TIE, LEAVE_OUT),
        default=AS_TIE,
        help="what an answer that both are bad counts: a tie, or it is left out (default: tie)",
    )
