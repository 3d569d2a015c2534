"""The demo set: invented judgments and minimal pairs, to try Concord with.

README.md beside this module says how they were written. `write_demo` copies the files into a
folder, with the labels of experts and of two judges that `concord alt-test` compares.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
"""Where the files are."""

SET_NAME = "demo"
STUDY_NAME = "demo-study"
"""What a site calls the set and the study that it makes of the files."""

STORED = ("README.md", "judgments.jsonl", "pairs.jsonl")


def write_demo(folder: Path) -> list[Path]:
    """Write the demo's files into a folder, which is made if it is missing. Returns their paths.

    Raises ValueError, and writes nothing, where the folder has a file of one of these names with
    other content.
    """
    contents = {name: (FOLDER / name).read_text(encoding="utf-8") for name in STORED}
    contents.update(label_files(contents["judgments.jsonl"]))
    paths = {folder / name: content for name, content in contents.items()}
    for path, content in paths.items():
        if path.exists() and path.read_text(encoding="utf-8", errors="replace") != content:
            raise ValueError(f"{path} exists and is another file: name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in paths.items():
        path.write_text(content, encoding="utf-8")
    return list(paths)


def label_files(judgments: str) -> Iterator[tuple[str, str]]:
    """The names and contents of the label files: the experts' ratings; and as judges, the median
    of three workers of the crowd and one worker alone."""
    experts: dict[str, dict[str, int]] = {}
    judges: dict[str, dict[str, float]] = {"crowd-median": {}, "one-worker": {}}
    for line in judgments.splitlines():
        row = json.loads(line)
        crowd = []
        for rating in row["ratings"]:
            if rating["group"] == "expert":
                experts.setdefault(rating["worker"], {})[row["id"]] = rating["value"]
            else:
                crowd.append(rating["value"])
        judges["crowd-median"][row["id"]] = statistics.median(crowd)
        judges["one-worker"][row["id"]] = crowd[0]
    yield "experts.json", json.dumps(experts, indent=1) + "\n"
    yield "judges.json", json.dumps(judges, indent=1) + "\n"
