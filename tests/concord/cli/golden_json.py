"""The golden files of the commands' JSON: `python -m tests.concord.cli.golden_json` rewrites them.

Their figures are Concord's own, unlike those of the other golden files: they show that a figure
changed, not that it is right. Look at the difference, and name its reason in the commit.
"""

from __future__ import annotations

import html
import io
import json
import math
import re
import shlex
import tempfile
from collections.abc import Collection, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import Any

from concord.cli import main
from concord.cli.check import EXIT_CODES
from tests.concord.cli.golden_inputs import write_inputs

FOLDER = Path(__file__).parents[2] / "golden" / "commands"

COMMANDS = {
    "leaderboard": "leaderboard judgments.jsonl --scores fine.jsonl coarse.jsonl noise.jsonl "
    "--metrics bleu-1(tokens=mocha),rouge-l(tokens=mocha),token-f1",
    "leaderboard-by-system": "leaderboard judgments.jsonl --metrics token-f1 --by system",
    "leaderboard-drawn": "leaderboard wave-1.jsonl --metrics token-f1 --scores fine.jsonl",
    "agreement-expert": "agreement judgments.jsonl --raters expert --draws 200",
    "agreement-filtered": "agreement crowd.jsonl --level interval --filter zscore:1:5 --draws 200",
    "agreement-judge": "agreement judged.jsonl --judge coarse --judge coarse-now --draws 200",
    "alt-test-graded": "alt-test experts.json judges.json --graded --draws 200",
    "alt-test-labels": "alt-test human.json machines.json --item-id {document}__{system} "
    "--epsilon 0.1 --draws 200",
    "alt-test-judge": "alt-test judged.jsonl --judge coarse --raters crowd --graded --draws 200",
    "jury-graded": "jury crowd.jsonl fine.jsonl coarse.jsonl noise.jsonl --graded --draws 200",
    "jury-labels": "jury human.json machines.json --item-id {document}__{system} --draws 200",
    "drift-graded": "drift coarse.jsonl coarse-now.jsonl --people crowd.jsonl --graded",
    "drift-labels": "drift machines.json machines-now.json --people human.json",
    "drift-same": "drift machines.json machines.json --people human.json --looks 365",
    "draw": "draw unrated.jsonl --scores fine.jsonl --rule stratified --wave 30 --seed 7 "
    "--out wave.jsonl",
    "draw-next": "draw wave-1.jsonl --scores fine.jsonl --rule stratified --wave 20 --seed 7 "
    "--target ranking:0.05 --out wave-2.jsonl",
    "estimate-mean": "estimate crowd.jsonl --scores fine.jsonl --method mean",
    "estimate-drawn": "estimate wave-1.jsonl --scores fine.jsonl",
    "estimate-set": "estimate judgments.jsonl --scores fine.jsonl --target set",
    "estimate-judge": "estimate judged.jsonl --judge coarse --method prediction-powered",
    "replay": "replay judgments.jsonl --scores fine.jsonl --passages 8,16 --draws 20",
    "replay-rule": "replay judgments.jsonl --scores fine.jsonl --rule stratified "
    "--target width:1 --draws 3",
    "plan-width": "plan expert.jsonl --width 0.5 --draws 200",
    "plan-rules": "plan expert.jsonl --scores fine.jsonl --target width:1.2 --wave 10 --draws 3",
    "ranking": "ranking votes.jsonl",
    "ranking-ties": "ranking votes.jsonl --ties",
    "ranking-best-worst": "ranking best-worst.jsonl",
    "ranking-judge": "ranking both-orders.jsonl --judge judge",
    "ranking-judgments": "ranking crowd.jsonl",
    "orders": "orders choices.jsonl",
    "orders-judge": "orders both-orders.jsonl --from concord-pairs --judge judge",
    "judge-compare": "judge-compare judgments.jsonl --scores coarse.jsonl coarse-now.jsonl "
    "--seen read.txt --draws 200",
    "spans": "spans spans.csv --from esa",
    "spans-mqm": "spans mqm.tsv",
    "inspect": "inspect judgments.jsonl",
    "check": "check policy.toml",
    "report": "report judgments.jsonl --scores share.jsonl --pairs pairs.jsonl "
    "--metrics token-f1,rouge-l(tokens=mocha) --out report.html",
}
"""The commands by the names of their golden files. Metrics are such as need no encoder and no
Java."""


def write_golden_files() -> None:
    """Write the golden file of every command, and remove all others."""
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder))
        write_folder(FOLDER, {name: run_command(name, Path(folder)) for name in COMMANDS})


def write_folder(folder: Path, documents: Mapping[str, Any]) -> None:
    """Write these golden files into a folder, which has no others afterwards."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, document in documents.items():
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        # A list of numbers is one line.
        text = re.sub(r"\[\n[-+.\w,\s]+\]", lambda found: " ".join(found[0].split()), text)
        (folder / f"{name}.json").write_text(text + "\n")


def run_command(name: str, folder: Path) -> Any:
    """The JSON that a command of COMMANDS prints in a folder with the inputs; of a report, its
    lines of text."""
    arguments = shlex.split(COMMANDS[name])
    is_report = arguments[0] == "report"
    out, errors = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(errors):
        code = main(arguments if is_report else [*arguments, "--format", "json"])
    if code not in (EXIT_CODES.values() if arguments[0] == "check" else (0,)):
        raise RuntimeError(f"concord {COMMANDS[name]}: exit code {code}: {errors.getvalue()}")
    if is_report:
        return page_lines((folder / "report.html").read_text())
    return without({"items_per_second"}, json.loads(out.getvalue()))


def page_lines(page: str) -> list[str]:
    """The texts of a report without its plots and version, a line for each row of a table."""
    page = re.sub(r"(?s)<svg.*?</svg>", "", page[page.index("<main>") :])
    page = re.sub(r"</t[dh]>(?=<t[dh])", " | ", page)
    page = re.sub(r"</(p|li|table|caption|tr)>", "\n", page).replace(
        version("concord-judgments"), "VERSION"
    )
    lines = (html.unescape(re.sub(r"<[^>]*>", "", line)).strip() for line in page.splitlines())
    return [line for line in lines if line]


def without(names: Collection[str], value: Any) -> Any:
    """The document without what has one of these names."""
    if isinstance(value, dict):
        return {name: without(names, of) for name, of in value.items() if name not in names}
    return [without(names, each) for each in value] if isinstance(value, list) else value


def differences(stored: Any, found: Any, at: str = "") -> list[str]:
    """What differs in two documents. Numbers are equal within 1e-9 of their size."""
    if isinstance(stored, dict) and isinstance(found, dict):
        lines = [f"{at}.{key}: is missing" for key in stored if key not in found]
        lines += [f"{at}.{key}: is new" for key in found if key not in stored]
        shared = [(f"{at}.{key}", stored[key], found[key]) for key in stored if key in found]
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        lines = []
        shared = [(f"{at}[{k}]", stored[k], found[k]) for k in range(len(stored))]
    elif (
        type(stored) is type(found) is float
        and math.isclose(stored, found, rel_tol=1e-9, abs_tol=1e-12)
    ) or (type(stored) is type(found) and stored == found):
        return []
    else:
        return [f"{at}: was {stored!r}, is {found!r}"]
    for name, one, other in shared:
        lines += differences(one, other, name)
    return lines


if __name__ == "__main__":
    write_golden_files()
