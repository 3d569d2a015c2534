"""The files that the how-to guides name, written for their commands."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management import call_command

from annotation.rating.models import Rating
from tests.annotation.factories import candidates, make_study, open_stage
from tests.concord.formats.recipe_examples import MQM_TSV

DEMO = settings.BASE_DIR / "concord" / "demo"
Row = dict[str, Any]


def demo() -> list[Row]:
    return [json.loads(line) for line in (DEMO / "judgments.jsonl").read_text().splitlines()]


def write_lines(path: Path, rows: Iterable[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def crowd(row: Row, group: str = "crowd") -> Row:
    """The candidate with the ratings of one group only."""
    ratings = [one for one in row["ratings"] if one.get("group") == group]
    return {name: value for name, value in row.items() if name != "score"} | {"ratings": ratings}


def noisy_scores(path: Path, rows: list[Row], name: str, noise: float, seed: int) -> None:
    """Scores of a judge that is so far from people."""
    rng = np.random.default_rng(seed)
    write_lines(
        path,
        ({"id": row["id"], "scores": {name: row["score"] + noise * rng.normal()}} for row in rows),
    )


def judge_files(folder: Path) -> None:
    rows = demo()
    (folder / "answers.jsonl").write_bytes((DEMO / "judgments.jsonl").read_bytes())
    for seed, (name, noise) in enumerate({"a": 0.4, "b": 0.8, "c": 1.2}.items()):
        noisy_scores(folder / f"{name}.jsonl", rows, name, noise, seed)
    noisy_scores(folder / "old.jsonl", rows, "judge", 1.2, 7)
    noisy_scores(folder / "new.jsonl", rows, "judge", 0.5, 8)
    (folder / "read.txt").write_text("".join(f"{row['id']}\n" for row in rows[:6]))


def with_judge(row: Row, noise: float, rng: np.random.Generator) -> Row:
    """The candidate with a judge among the raters of one group."""
    value = int(np.clip(round(row["score"] + noise * rng.normal()), 1, 5))
    rated = crowd(row)
    return rated | {"ratings": [*rated["ratings"], {"worker": "my-judge", "value": value}]}


def judged_pairs(folder: Path, name: str) -> list[Row]:
    """Pairs with a choice of a person each; the file also has those of a judge, in both orders."""
    person = [{"worker": "w-1", "choice": 1, "first_shown": 1}]
    judge = [{"worker": "my-judge", "choice": 1 + k, "first_shown": 1 + k} for k in range(2)]
    write_lines(
        folder / name,
        (pair(k, first="small", second="large", ratings=person + judge) for k in range(20)),
    )
    return [pair(k, first="small", second="large", ratings=person, id=f"p-{k}") for k in range(20)]


def llm_judge_files(folder: Path) -> None:
    judge_files(folder)
    pairs = judged_pairs(folder, "both-orders.jsonl")
    write_lines(folder / "pairs.jsonl", pairs)
    write_lines(
        folder / "chosen.jsonl",
        (
            {"id": f"{row['id']} {order}", "scores": {"my-judge": 1.0}, "label": 1}
            for row in pairs
            for order in ("as given", "swapped")
        ),
    )
    rows = [
        {"better": 1 + k % 2, "as_given": 1 + k % 2, "swapped": 1 + (k // 2) % 2} for k in range(40)
    ]
    write_lines(folder / "choices.jsonl", rows)
    noisy_scores(folder / "judged.jsonl", demo(), "my-judge", 0.6, 9)
    call_command("import_judgments", DEMO / "judgments.jsonl", name="mine")


def criteria_files(folder: Path) -> None:
    names = ("coherence", "consistency", "fluency", "relevance")
    rng = np.random.default_rng(1)
    rows = [
        {
            "SYS": system,
            "seg_id": f"article-{article}",
            "hyp": f"The summary of article {article} by {system}.",
            "expert_annotations": [
                {name: int(rng.integers(1, 6)) for name in names} for _ in range(3)
            ],
        }
        for article in range(5)
        for system in ("Human-H", "T5", "BART")
    ]
    write_lines(folder / "cnndm.jsonl", rows)


def pair(question: int, *, first: str, second: str, **more: Any) -> Row:
    return {
        "instance": f"q-{question}",
        "question": f"What is the answer to question {question}?",
        "references": [f"answer {question}"],
        "system1": first,
        "candidate1": f"{first} says {question}",
        "system2": second,
        "candidate2": f"{second} says {question}",
    } | more


def ranking_files(folder: Path) -> None:
    write_lines(folder / "judgments.jsonl", map(crowd, demo()))
    choices = [1, 2, "tie"]
    rows = [
        pair(
            k,
            first=first,
            second=second,
            ratings=[
                {"worker": f"w-{w}", "choice": choices[(k + w * w) % 3], "first_shown": 1 + w % 2}
                for w in range(3)
            ],
        )
        for k in range(12)
        for first, second in [("small", "large"), ("large", "huge"), ("small", "huge")]
    ]
    write_lines(folder / "pairs.jsonl", rows)
    for expert, field in enumerate(("History", "Law", "Physics")):
        lfqa = [
            {
                "q_id": f"{field}-{k}",
                "question_text": f"Why does {field} have a case {k}?",
                "answer1": f"A person explains {field} {k}.",
                "answer2": f"A model explains {field} {k}.",
                "answer1_label": "HMH[3]",
                "BetterAnswer": "Answer A" if k % 2 else "Answer B",
                "DifficultToChoose": "No.",
                "annotator": expert,
            }
            for k in range(4)
        ]
        (folder / f"{field}_{expert}.json").write_text(json.dumps(lfqa))
    call_command("import_judgments", DEMO / "judgments.jsonl", name="mine")


def best_worst_files(folder: Path) -> None:
    rows = []
    for k in range(8):
        order = ["abc", "acb", "bca", "cab"][k % 4]
        answers = {name: f"{name} says {k}" for name in "abc"}
        for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
            choice = 1 if order.index(first) < order.index(second) else 2
            rows.append(
                {
                    "instance": f"q-{k}",
                    "set": f"s-{k}",
                    "question": f"What is {k}?",
                    "id1": f"q-{k}-{first}",
                    "system1": first,
                    "candidate1": answers[first],
                    "id2": f"q-{k}-{second}",
                    "system2": second,
                    "candidate2": answers[second],
                    "ratings": [{"worker": "w-1", "choice": choice}],
                }
            )
    write_lines(folder / "choices.jsonl", rows)


def estimate_files(folder: Path) -> None:
    (folder / "answers.jsonl").write_bytes((DEMO / "judgments.jsonl").read_bytes())
    write_kpqa(folder / "avsd_all.csv", references=5, rows=60)
    rng = np.random.default_rng(2)
    write_lines(
        folder / "avsd.jsonl",
        ({"id": str(at), "scores": {"rouge-l-kpqa": float(rng.uniform())}} for at in range(1, 61)),
    )


def write_kpqa(path: Path, *, references: int, rows: int) -> None:
    """Rows of two systems, the same questions for both."""
    rng = np.random.default_rng(3)
    names = [f"reference{k}" for k in range(1, references + 1)]
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["question", "answer", *names, "scores"])
        for at in range(rows):
            number = at % (rows // 2)
            texts = [f"the boat {number} is {colour}" for colour in ("red", "blue", "old")]
            table.writerow(
                [
                    f"What is boat {number}?",
                    texts[int(rng.integers(3))],
                    *(texts[k % 3] for k in range(references)),
                    f"{rng.uniform(1, 5):.2f}",
                ]
            )


def table_files(folder: Path) -> None:
    import openpyxl

    header = ["Question", "Gold answer", "Model output", "Note", "Rating"]
    rows = [[f"What is {k}?", f"a boat {k}", f"the boat {k}", "", 1 + k % 5] for k in range(12)]
    book = openpyxl.Workbook()
    book.active.title = "Answers"
    for row in [header, *rows]:
        book.active.append(row)
    book.save(folder / "answers.xlsx")
    with (folder / "answers.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    header = ["question", "gold answer", "model answer", "anna", "ben", "chloe"]
    rows = [[f"What is {k}?", "a boat", f"boat {k}", 1 + k % 5, 1 + k % 5, 5 - k % 5]
            for k in range(12)]  # fmt: skip
    with (folder / "own.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def tool_files(folder: Path) -> None:
    items = [
        {"id": f"item-{k}", "question": f"What is {k}?", "candidate": f"the boat {k}"}
        | {"references": [f"a boat {k}"]}
        for k in range(4)
    ]
    write_lines(folder / "items.jsonl", items)
    tasks = [
        {
            "data": item,
            "annotations": [
                {
                    "completed_by": rater,
                    "result": [
                        {"from_name": "fluency", "type": "rating", "value": {"rating": 3 + rater}}
                    ],
                }
                for rater in (0, 1)
            ],
        }
        for item in items
    ]
    (folder / "export.json").write_text(json.dumps(tasks))
    for rater in ("ann", "bob"):
        state = {
            "user_id": rater,
            "instance_id_to_label_to_value": {
                item["id"]: [[{"schema": "fluency", "name": "4"}, "4"]] for item in items
            },
        }
        path = folder / "annotation_output" / rater / "user_state.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(state))


def label_files(folder: Path) -> None:
    rng = np.random.default_rng(4)
    write_lines(folder / "answers.jsonl", (with_judge(row, 0.5, rng) for row in demo()))
    write_lines(folder / "people.jsonl", map(crowd, demo()))
    noisy_scores(folder / "judged.jsonl", demo(), "my-judge", 0.5, 10)
    items = [f"d{d}__s{s}__{c}" for d in range(12) for s in range(4) for c in ("truth", "style")]
    true = {item: int(rng.integers(1, 6)) for item in items}

    def labels(noise: float) -> dict[str, int]:
        return {
            item: int(np.clip(round(value + noise * rng.normal()), 1, 5))
            for item, value in true.items()
        }

    people = {f"rater-{k}": labels(0.8) for k in range(3)}
    (folder / "human.json").write_text(json.dumps(people))
    (folder / "judges.json").write_text(json.dumps({"my-judge": labels(0.5)}))


def jury_files(folder: Path) -> None:
    """Several judges, in a file of labels, in files of their own and among the raters."""
    label_files(folder)
    labels = json.loads((folder / "human.json").read_text())
    judges = dict(zip(("gpt", "claude"), labels.values(), strict=False))
    (folder / "judges.json").write_text(json.dumps(judges))
    write_lines(folder / "answers.jsonl", map(crowd, demo()))
    for seed, name in enumerate(("gpt", "claude", "llama")):
        noisy_scores(folder / f"{name}.jsonl", demo(), name, 0.5, seed)
    with_raters(folder, ["gpt", "claude"])


def drift_files(folder: Path) -> None:
    with_raters(folder, ["gpt"])
    for seed, name in enumerate(("base", "now")):
        noisy_scores(folder / f"{name}.jsonl", demo(), "gpt", 0.4 + seed, 20 + seed)


def with_raters(folder: Path, judges: list[str]) -> None:
    """A file in which these judges are among the raters."""
    rng, rows = np.random.default_rng(7), [crowd(row) for row in demo()]
    for row, scored in zip(rows, demo(), strict=True):
        for name in judges:
            grade = int(np.clip(round(scored["score"] + rng.normal()), 1, 5))
            row["ratings"].append({"worker": name, "value": grade})
    write_lines(folder / "judged.jsonl", rows)


def gate_files(folder: Path) -> None:
    """What the guide's own policy names."""
    estimate_files(folder)
    label_files(folder)
    noisy_scores(folder / "judged.jsonl", demo(), "my-judge", 0.4, 6)
    guide = (settings.BASE_DIR / "docs" / "how-to" / "gate.md").read_text()
    policy = guide.split("```toml\n")[1].split("```")[0]
    (folder / "policy.toml").write_text(policy)


def batch_files(folder: Path) -> None:
    """A batch with two items in a HIT, and the guide's own recipe for it."""
    guide = (settings.BASE_DIR / "docs" / "how-to" / "formats.md").read_text()
    (folder / "my-batch.toml").write_text(guide.split("```toml\n")[1].split("```")[0])
    inputs = [f"Input.{name}{number}" for number in (1, 2) for name in ("question", "answer")]
    header = ["HITId", "WorkerId", "AssignmentStatus", *inputs, "Answer.rating1", "Answer.rating2"]
    rows = [
        [f"H{hit}", f"W{worker}", "Approved", *("Why?", f"So {hit}.", "Who?", f"Me {hit}."),
         str(1 + (hit + worker) % 5), str(1 + hit % 5)]
        for hit in range(10)
        for worker in range(3)
    ]  # fmt: skip
    (folder / "Batch_results.csv").write_text("\n".join(map(",".join, [header, *rows])))


def word_labels(folder: Path) -> None:
    """Labels that people and the judge name differently."""
    rng = np.random.default_rng(5)
    true = {f"item-{k}": bool(rng.integers(2)) for k in range(60)}
    for file, raters, names in (
        ("human.json", ["rater-0", "rater-1"], ["no", "yes"]),
        ("judges.json", ["my-judge"], ["wrong", "correct"]),
    ):
        labels = {
            rater: {item: names[value ^ bool(rng.random() < 0.1)] for item, value in true.items()}
            for rater in raters
        }
        (folder / file).write_text(json.dumps(labels))


def report_files(folder: Path) -> None:
    for name in ("judgments", "pairs"):
        (folder / f"{name}.jsonl").write_bytes((DEMO / f"{name}.jsonl").read_bytes())
    noisy_scores(folder / "judged.jsonl", demo(), "my-judge", 0.6, 10)


def draw_files(folder: Path) -> None:
    write_lines(folder / "rated.jsonl", demo())


def rate_the_first_wave(folder: Path) -> None:
    """What people do between two waves: they rate the candidates that were drawn."""
    scores = {row["id"]: row["score"] for row in demo()}
    rows = [json.loads(line) for line in (folder / "wave-1.jsonl").read_text().splitlines()]
    for row in rows:
        if row["sampling"].get("drawn"):
            row["score"] = scores[row["id"]]
    write_lines(folder / "wave-1.jsonl", rows)


def plan_files(folder: Path) -> None:
    write_lines(folder / "pilot.jsonl", (crowd(row, "expert") for row in demo()))
    noisy_scores(folder / "scores.jsonl", demo(), "token-f1", 1.0, 5)


def span_files(folder: Path) -> None:
    rows, texts = [], []
    for document in ("news-1", "news-2"):
        for item in range(3):
            for system in ("sysA", "sysB"):
                spans = [{"start_i": 0, "end_i": item, "severity": "minor", "error_type": None}]
                key = f"{system}/{document}/{item}"
                texts.append({"id": key, "candidate": f"Satz {item}.", "references": ["Ein Satz."]})
                for rater in ("r1", "r2"):
                    rows.append(
                        [
                            *(rater, system, item, "TGT", "eng", "deu", 80 - 5 * item),
                            *(document, "doc", json.dumps(spans), 1.0, 2.0),
                        ]
                    )
    with (folder / "scores.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    write_lines(folder / "texts.jsonl", texts)
    (folder / "mqm_newstest2021_ende.tsv").write_text(MQM_TSV)


def study_files(folder: Path) -> None:
    open_stage(make_study(candidates=candidates(4), slug="my-study"))


def rate_by_a_person(folder: Path) -> None:
    """The study is one that people rate."""
    Rating.objects.update(simulated=False)


def real_files(folder: Path) -> None:
    write_kpqa(folder / "marco_all.csv", references=1, rows=40)


def no_files(folder: Path) -> None:
    """The page's commands name no files."""


# Before the block of commands with this number, counted from 0 in the page.
PREPARE: dict[str, dict[int, Callable[[Path], None]]] = {
    "align-judge": {0: judge_files},
    "best-worst": {0: best_worst_files},
    "criteria": {0: criteria_files},
    "draw": {0: draw_files, 2: rate_the_first_wave},
    "encoders": {0: no_files},
    "estimate": {0: estimate_files},
    "formats": {0: table_files, 1: batch_files, 3: tool_files},
    "gate": {0: gate_files},
    "judges": {0: label_files, 4: word_labels, 5: label_files},
    "jury-and-drift": {0: jury_files, 2: drift_files},
    "llm-judge": {0: llm_judge_files},
    "plan": {0: plan_files},
    "ranking": {0: ranking_files},
    "real-judgments": {0: real_files},
    "report": {0: report_files},
    "run-a-study": {0: study_files},
    "spans": {0: span_files},
}
