"""Files as their projects publish them, and the figures that their sources print."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import concord
from concord.formats import detect_recipe, read_judgments, read_pairs

Real = Callable[[str], Path]


def test_the_agreement_of_qags_is_that_of_its_own_script(real: Real) -> None:
    # The script of the repository prints 0.5135, its README 0.514.
    path = real("public/qags_cnndm.jsonl")
    assert detect_recipe(path).name == "qags"  # type: ignore[union-attr]
    frame = concord.read_judgments(path, "qags")
    assert frame["instance"].nunique() == 235
    assert round(concord.agreement(frame, level="nominal", draws=1).alpha, 4) == 0.5135


@pytest.mark.parametrize(
    ("name", "candidates", "ratings"),
    [
        ("roscoe-gsm8k-overall", 200, 800),
        ("meta_evaluation_recipes", 52, 6336),
        ("llmbar-natural", 100, 100),
    ],
)
def test_judge_bench_has_the_means_that_it_prints(
    real: Real, name: str, candidates: int, ratings: int
) -> None:
    path = real(f"public/judge_bench/{name}.json")
    assert detect_recipe(path).name == "judge-bench"  # type: ignore[union-attr]
    file = read_judgments([path], "judge-bench")
    assert (len(file.candidates), file.report.ratings) == (candidates, ratings)
    document = json.loads(path.read_text())
    compared = 0
    for candidate, instance in zip(file.candidates, document["instances"], strict=True):
        for one in candidate.criteria:
            printed = instance["annotations"][one.name].get("mean_human")
            if printed is not None and one.score is not None:
                assert one.score == pytest.approx(printed, abs=0.001)
                compared += 1
    assert compared or name == "llmbar-natural"


def test_frank_has_the_scores_of_five_systems(real: Real) -> None:
    path = real("public/frank_human.first400.json")
    assert detect_recipe(path).name == "frank"  # type: ignore[union-attr]
    file = read_judgments([path], "frank")
    rows = json.loads(path.read_text())
    assert len({one.system for one in file.candidates}) == 5
    assert [one.criteria[0].score for one in file.candidates] == [row["Factuality"] for row in rows]


def test_every_row_of_mqm_is_an_error_or_none(real: Real) -> None:
    path = real("public/mqm_ted_ende.first2000.tsv")
    assert detect_recipe(path).name == "mqm-tsv"  # type: ignore[union-attr]
    file = read_judgments([path], "mqm-tsv")
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    severities = [row[8] for row in rows]
    spans = [span for one in file.candidates for marks in one.marks for span in marks.spans]
    assert len(spans) == len(rows) - severities.count("No-error")
    assert sum(span.severity == "major" for span in spans) == severities.count("Major")
    assert sum(span.start is None for span in spans) == 1
    marked = {row[6].partition("<v>")[2].partition("</v>")[0] for row in rows}
    for candidate in file.candidates:
        for marks in candidate.marks:
            for span in marks.spans:
                assert span.start is None or candidate.text[span.start : span.end] in marked


def test_judgebench_has_the_labels_as_choices(real: Real) -> None:
    path = real("public/judgebench_haiku.first40.jsonl")
    assert detect_recipe(path).name == "judgebench"  # type: ignore[union-attr]
    file = read_pairs([path], "judgebench")
    labels = [json.loads(line)["label"] for line in path.read_text().splitlines()]
    choices = [pair.choices[0].choice for pair in file.pairs]
    assert choices == [1 if label == "A>B" else 2 for label in labels]


def test_franks_metrics_are_criteria_of_the_same_candidates(real: Real) -> None:
    path = real("public/frank_metrics.first400.json")
    assert detect_recipe(path).name == "frank-metrics"  # type: ignore[union-attr]
    file = read_judgments([path], "frank-metrics")
    people = read_judgments([real("public/frank_human.first400.json")], "frank")
    assert [one.key for one in file.candidates] == [one.key for one in people.candidates]
    assert len(file.report.criteria) == 15
