"""`concord demo [FOLDER]`: files to try the commands with."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from concord.demo import write_demo

FOLDER = Path("concord-demo")
COMMANDS = (
    ("Which metric agrees best with people?",
     "leaderboard judgments.jsonl --metrics exact-match,token-f1,bleu-1,rouge-l"),
    ("How far do the raters agree with each other?",
     "agreement judgments.jsonl --raters expert"),
    ("May a judge stand in for an expert?",
     "alt-test experts.json judges.json --graded"),
    ("Score every answer by a metric.",
     "score judgments.jsonl --metrics token-f1 --out scores.jsonl"),
    ("How few ratings would have been enough?",
     "replay judgments.jsonl --scores scores.jsonl"),
)  # fmt: skip
"""What to try: questions, and commands that answer them in the demo's folder."""


def add(commands: Any) -> None:
    """Add the command `demo` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo", help="write example files into a folder, and say what to try"
    )
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=Path, default=FOLDER,
                        help=f"where to write them (default: {FOLDER})")  # fmt: skip
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Write the files and print five commands."""
    paths = write_demo(parsed.folder)
    print(f"Wrote {', '.join(path.name for path in paths)} into {parsed.folder}.")
    print("Everything in them is invented; README.md says how.\n")
    print(f"Try:\n\n  cd {shlex.quote(str(parsed.folder))}")
    for question, command in COMMANDS:
        print(f"\n  # {question}\n  concord {command}")
