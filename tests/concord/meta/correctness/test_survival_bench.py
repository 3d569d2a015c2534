"""The bench of metrics that systems are tuned to, on a small answer selection file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import survival


def test_the_table_has_a_row_a_metric_and_what_all_are_compared_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for number in range(20):
        question = f"When was mill {number} built?"
        right = (f"It was built in {1800 + number}.", f"Men built the mill in {1800 + number}.")
        wrong = (f"It burned in {1900 + number}.", "Nobody knows.")
        for text, label in (*((one, 1) for one in right), *((one, 0) for one in wrong)):
            lines.append(f"{question}\t{text}\t{label}")
    file = tmp_path / "mills.tsv"
    file.write_text("\n".join([*lines, "Who?\tonly one is correct\t1"]) + "\n")
    survival.main([f"tsv:{file}", "--metrics", "token-f1,ter,exact-match", "--draws", "50"])
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("4 questions fit rerankers, 16 are reported.")
    assert "random picks 0.500" in printed[0] and printed[0].endswith("correct candidate 1.000.")
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ")[1:] for line in printed[4:]}
    assert sorted(rows) == ["exact-match", "ter", "token-f1"]
    # The reference is the other correct sentence, so the best token F1 is a correct one.
    assert rows["token-f1"][6] == "1.000"
    assert "the same score" in rows["exact-match"][0] and list(rows)[-1] == "exact-match"


def test_a_file_of_another_format_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        survival.main(["moon:file"])
    assert "must be FORMAT:FILE" in capsys.readouterr().err
