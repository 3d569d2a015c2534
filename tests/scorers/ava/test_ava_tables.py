"""AVA's tables: training and figures of every configuration, and ranked lists by hand."""

from __future__ import annotations

import json
from pathlib import Path

from bench import ava_tables
from scorers.datasets.judgments import Judgment
from scorers.datasets.selection import read_questions
from tests import real_data


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
    options = [f"--{name}=wikiqa:{path}" for name, path in zip(splits, files, strict=True)]
    ava_tables.main(
        ["configurations", *options, "--work", str(tmp_path / "work"), "--questions", "10",
         "--most", "2", "--seeds", "1,2", "--lora-rank", "2", "--max-tokens", "32", "--shared",
         "--only", "Linear,A2", "--out", str(out), "--device", "cpu",
         "--encoder", str(tiny_encoder)]
    )  # fmt: skip
    lines = out.read_text().splitlines()
    assert lines[0] == "| configuration | F1, seed 1 | F1, seed 2 | F1 | AUC |"
    names = [line.split(" | ")[0].strip("| ") for line in lines[2:]]
    assert names == ["Linear classifier", list(ava_tables.CONFIGURATIONS)[-1]]
    work_lines = (tmp_path / "work" / "test.jsonl").read_text().splitlines()
    assert len(work_lines) == 10 * 4 and sum(json.loads(line)["score"] for line in work_lines) == 20


def judged(system: str, question: str, *right: int) -> list[Judgment]:
    """A system's ranked candidates to a question, each correct (1) or wrong (0)."""
    return [
        Judgment("", question, ("r",), f"{k}", float(gold), group=question, system=system)
        for k, gold in enumerate(right)
    ]


def rows_of(table: str) -> dict[str, list[str]]:
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("|")]
    return {row[0].strip("| "): row[1:] for row in rows}


RANKED = [*judged("a", "q1", 1, 0), *judged("a", "q2", 0, 1), *judged("b", "q1", 0, 1),
          *judged("b", "q2", 0, 1)]  # fmt: skip


def test_systems_are_compared_by_their_ranked_lists() -> None:
    sample = ava_tables.make_sample(RANKED, [1, 0, 1, 1, 0, 1, 0, 1])
    rows = rows_of(ava_tables.system_table(sample, 0.5))
    assert rows["P@1, people"][:2] == ["0.500", "0.000"]
    assert rows["P@1, AVA"][:2] == ["1.000", "0.000"]
    assert rows["MRR, people"][:2] == ["0.750", "0.500"]
    assert rows["P@1, AVA"][2] == "0.354 ± 0.250"


def test_ranked_questions_count_as_in_the_papers_tables() -> None:
    """Tables 5 and 7: two different correct candidates and a wrong one (46 and 52 of TREC-QA)."""
    two = [*judged("a", "two", 1, 1, 0), *judged("b", "two", 1, 1, 0)]
    more = [*two, *RANKED, *judged("a", "wrong", 0, 0), *judged("b", "right", 1, 1)]
    # The candidates of q1 and q2 are "0" and "1", each correct in one list or the other.
    assert {one.group for one in ava_tables.counted_judgments(more)} == {"two", "q1"}
    assert {one.group for one in ava_tables.counted_judgments(more, "mixed")} == {"two", "q1", "q2"}
    assert ava_tables.counted_judgments(more, "all") == more


def test_the_dev_threshold_is_tuned_on_the_questions_that_count() -> None:
    """AVA scores the first answers 0.9 (right) and 0.4 (wrong): 0.65 is right for both. With the
    question that has no correct answer, scored 0.95, P@1 is nearest between 0.95 and 0.9."""
    dev = [*judged("a", "q1", 1, 0), *judged("a", "q2", 0, 1), *judged("a", "q3", 0, 0)]
    scores = [0.9, 0.1, 0.4, 0.6, 0.95, 0.1]
    judgments = ava_tables.counted_judgments(dev, "mixed")
    assert len(judgments) == 4
    assert (
        abs(ava_tables.tune_threshold(ava_tables.make_sample(judgments, scores[:4])) - 0.65) < 1e-9
    )
    assert abs(ava_tables.tune_threshold(ava_tables.make_sample(dev, scores)) - 0.925) < 1e-9


def test_systems_of_one_answer_keep_every_question() -> None:
    """Table 6: only the selected answers, P@1 alone."""
    single = [*judged("a", "q1", 1), *judged("b", "q1", 1), *judged("a", "q2", 0),
              *judged("b", "q2", 1)]  # fmt: skip
    assert ava_tables.counted_judgments(single) == single
    table = ava_tables.system_table(ava_tables.make_sample(single, [1, 1, 1, 0]), 0.5)
    assert rows_of(table)["P@1, people"][:2] == ["0.500", "1.000"]
    assert "P@1, AVA" in table and "MAP" not in table


def test_on_trec_qa_46_and_52_questions_count() -> None:
    """As the printed P@1 of Table 7 say: they are multiples of 1/46 (dev) and of 1/52 (test)."""
    for name, count in (("DEV", 46), ("TEST", 52)):
        path = real_data.path(f"trecqa/{name}.xml")
        judgments = [
            Judgment("", one.question, ("r",), text, gold, group=one.question, system="a")
            for one in read_questions(path, "trecqa")
            for texts, gold in ((one.correct, 1.0), (one.wrong, 0.0))
            for text in texts
        ]
        assert len({one.group for one in ava_tables.counted_judgments(judgments)}) == count
