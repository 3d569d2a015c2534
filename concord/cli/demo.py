"""`concord demo [FOLDER]`: files to try the commands with."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from concord.cli.command import argument, command
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


@dataclass(frozen=True, kw_only=True)
class DemoInputs:
    """A folder."""

    folder: Path = argument("FOLDER", f"where to write them (default: {FOLDER})", FOLDER)


@command("write example files into a folder, and say what to try", formats=())
def demo(inputs: DemoInputs) -> None:
    """Write the files and print five commands."""
    paths = write_demo(inputs.folder)
    print(f"Wrote {', '.join(path.name for path in paths)} into {inputs.folder}.")
    print("Everything in them is invented; README.md says how.\n")
    print(f"Try:\n\n  cd {shlex.quote(str(inputs.folder))}")
    for question, line in COMMANDS:
        print(f"\n  # {question}\n  concord {line}")
