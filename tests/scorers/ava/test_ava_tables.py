"""AVA's tables: every configuration is trained and measured, and ranked lists by hand."""

from __future__ import annotations

import json
from pathlib import Path

from bench import ava_tables
from scorers.judgments import Judgment


def selections(path: Path, first: int) -> Path:
    """Twelve questions with two right and two wrong sentences each, as WikiQA writes them."""
    rows = ["QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel"]
    for i in range(first, first + 12):
        sentences = [(f"It was built in {1800 + i}.", 1), (f"Men built it in {1800 + i}.", 1),
                     (f"It burned in {1900 + i}.", 0), ("Nobody knows.", 0)]  # fmt: skip
        for k, (sentence, label) in enumerate(sentences):
            row = (f"Q{i}", f"When was mill {i} built?", f"D{i}", "Mills", f"D{i}-{k}", sentence)
            rows.append("\t".join((*row, str(label))))
    path.write_text("\n".join(rows) + "\n")
    return path


def test_every_configuration_has_a_row_and_every_seed_a_column(
    tmp_path: Path, tiny_encoder: Path
) -> None:
    splits = ("train", "dev", "test")
    files = [selections(tmp_path / f"{name}.tsv", 20 * k) for k, name in enumerate(splits)]
    out = tmp_path / "table.md"
    given = [f"--{name}=wikiqa:{path}" for name, path in zip(splits, files, strict=True)]
    ava_tables.main(
        ["configurations", *given, "--work", str(tmp_path / "work"), "--questions", "10",
         "--most", "2", "--seeds", "1,2", "--lora-rank", "2", "--max-tokens", "32", "--shared",
         "--only", "Linear,A2", "--out", str(out), "--device", "cpu",
         "--encoder", str(tiny_encoder)]
    )  # fmt: skip
    lines = out.read_text().splitlines()
    assert lines[0] == "| configuration | F1, seed 1 | F1, seed 2 | F1 | AUC |"
    names = [line.split(" | ")[0].strip("| ") for line in lines[2:]]
    assert names == ["Linear classifier", list(ava_tables.CONFIGURATIONS)[-1]]
    made = (tmp_path / "work" / "test.jsonl").read_text().splitlines()
    assert len(made) == 10 * 4 and sum(json.loads(line)["score"] for line in made) == 20


def test_systems_are_compared_by_their_ranked_lists() -> None:
    def judged(system: str, question: str, *right: int) -> list[Judgment]:
        return [Judgment("", question, ("r",), f"{k}", float(gold), group=question, system=system)
                for k, gold in enumerate(right)]  # fmt: skip

    lists = [*judged("a", "q1", 1, 0), *judged("a", "q2", 0, 1), *judged("b", "q1", 0, 1),
             *judged("b", "q2", 0, 1)]  # fmt: skip
    told = ava_tables.ranked_lists(lists, [True, False, True, True, False, True, False, True])
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ")[1:] for line in told.splitlines()}
    assert rows["P@1, people"][:2] == ["0.500", "0.000"]
    assert rows["P@1, AVA"][:2] == ["1.000", "0.000"]
    assert rows["MRR, people"][:2] == ["0.750", "0.500"]
    assert rows["P@1, AVA"][2] == "0.354 ± 0.250"
