"""Convert a judgment file of any importable format to Concord's JSON Lines, without a database.

    python -m bench.to_concord FORMAT FILE OUT.jsonl [--references N] [--criterion NAME]
        [--constituent NAME]

`python -m scorers train` and `evaluate` read the result as `concord:OUT.jsonl`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from concord.formats.concord_writer import write_judgments
from concord.formats.options import ReadOptions
from concord.formats.registry import JUDGMENT_FORMATS, read_judgments


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("format", choices=JUDGMENT_FORMATS)
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--references", type=int)
    parser.add_argument("--criterion", help="of several, the one that becomes the score")
    parser.add_argument("--constituent")
    parsed = parser.parse_args()
    options = ReadOptions(
        references=parsed.references, criterion=parsed.criterion, constituent=parsed.constituent
    )
    judgments = read_judgments([parsed.file], parsed.format, options)
    with parsed.out.open("w", encoding="utf-8") as file:
        lines = write_judgments(file, judgments.candidates, judgments.scale, str)
    print(f"{parsed.out}: {lines} candidates")


if __name__ == "__main__":
    main()
