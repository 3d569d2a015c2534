"""Write tests/golden/aev_members.json: values of AEv's members by other programs.

    python tests/scorers/aev/make_golden.py

sacrebleu's and rouge-score's command lines and the COCO caption scripts, over texts written for
this that are tokens already. Nothing of Concord computes any of the values.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "golden" / "aev_members.json"
# A candidate and two references each.
CASES = [
    (
        "the mill burned down in the winter of 1871",
        "in 1871 the mill burned down",
        "the old mill burned down in the winter",
    ),
    (
        "a dog was seen running quickly across the bridge",
        "the dog was seen running across the bridge",
        "a dog ran over it",
    ),
    (
        "she stayed ashore because she never swims at all",
        "she never swims so she stayed ashore",
        "she stayed ashore because she never swims",
    ),
    ("the the the the the the the", "the cat is on the mat", "there is a cat on the mat"),
    ("flour", "one cup and a half of flour", "flour and water"),
    ("nothing in common", "quite another thing", "something else"),
    (
        "the river rose by two feet on monday and fell on tuesday",
        "it rose by two feet",
        "the river rose by two feet on monday",
    ),
    ("two feet", "two feet", "by two feet"),
]
SACREBLEU = (
    "sacrebleu REFERENCE-1 REFERENCE-2 -i CANDIDATES -m bleu -tok none -s none -b -w 14 --force"
)
ROUGE = (
    "python -m rouge_score.rouge --rouge_types=rouge1,rouge2 --noaggregate "
    "--target_filepattern=REFERENCE-K --prediction_filepattern=CANDIDATES --output_filename=OUT"
)
COCO = (
    "from pycocoevalcap.bleu.bleu import Bleu; "
    "Bleu(4).compute_score({i: [reference, other]}, {i: [candidate]}, verbose=0)"
)


def run(command: str, folder: Path) -> str:
    words = command.replace("sacrebleu", "python -m sacrebleu", 1).split()
    if words[0] == "python":
        words[0] = sys.executable
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def rouge(folder: Path, name: str) -> list[dict[str, float]]:
    """rouge-score's recall of each candidate against one file of references."""
    run(ROUGE.replace("REFERENCE-K", name), folder)
    with (folder / "OUT").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [{kind: float(row[f"{kind}-R"]) for kind in ("rouge1", "rouge2")} for row in rows]


def coco() -> tuple[list[float], list[list[float]]]:
    """The COCO scripts' BLEU-1 to BLEU-4: of the set, and of each case."""
    from pycocoevalcap.bleu.bleu import Bleu

    references = {i: list(case[1:]) for i, case in enumerate(CASES)}
    total, parts = Bleu(4).compute_score(
        references, {i: [case[0]] for i, case in enumerate(CASES)}, verbose=0
    )
    return list(total), [list(values) for values in parts]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for column, file in enumerate(("CANDIDATES", "REFERENCE-1", "REFERENCE-2")):
            (folder / file).write_text("".join(f"{case[column]}\n" for case in CASES))
        corpus = float(run(SACREBLEU, folder)) / 100
        recalls = [rouge(folder, f"REFERENCE-{k}") for k in (1, 2)]
    total, parts = coco()
    content = {
        "made_by": "tests/scorers/aev/make_golden.py",
        "cases": [{"candidate": case[0], "references": case[1:]} for case in CASES],
        "sacrebleu": {"command": SACREBLEU, "corpus": corpus},
        "coco": {"command": COCO, "corpus": total, "items": parts},
        "rouge_recall": {"command": ROUGE, "by_reference": recalls},
    }
    GOLDEN.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
