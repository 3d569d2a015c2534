"""The option of what an answer "both bad" counts."""

from __future__ import annotations

import argparse

TIE, LEAVE_OUT = "tie", "leave-out"
HOW_COUNTED = {TIE: "both bad counts as a tie", LEAVE_OUT: "what is both bad is left out"}


def add_both_bad(parser: argparse.ArgumentParser) -> None:
    """Add the option --both-bad."""
    parser.add_argument(
        "--both-bad",
        choices=(TIE, LEAVE_OUT),
        default=TIE,
        help="what an answer that both are bad counts: a tie, or it is left out (default: tie)",
    )
