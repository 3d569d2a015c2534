"""Files as their projects publish them, and the figures that their sources print."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import concord
from concord.formats import detect_recipe, read_judgments, read_pairs
from concord.formats.span_judgments import marks_of
from concord.spans.report import report_spans

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


def test_pairs_of_a_batch_of_mturk_have_the_wins_of_their_study(real: Real) -> None:
    # Three answers are "5", which is no choice.
    path = real("public/reprohum_d2t_mturk_coherence.xlsx")
    assert detect_recipe(path).name == "mturk-pairs"  # type: ignore[union-attr]
    wins: Counter[str] = Counter()
    sides: Counter[str] = Counter()
    file = read_pairs([path], "mturk")
    for pair in file.pairs:
        for one in pair.choices:
            wins[pair.systems[0 if one.choice == 1 else 1]] += 1
            sides[str(one.choice)] += 1
    assert sides == {"1": 320, "2": 277}
    assert sorted(wins.values()) == [102, 107, 119, 119, 150]
    assert 'Values that are no choice: 3, "5".' in file.report.notes


@pytest.mark.parametrize(
    ("criterion", "pearson"),
    [("correctness", 0.6367), ("completeness", 0.7191), ("overall", 0.7009)],
)
def test_graded_preferences_agree_as_their_source_says(
    real: Real, criterion: str, pearson: float
) -> None:
    path = real("public/ragchecker_human.json")
    frame = concord.read_judgments(path, "ragchecker", criterion=criterion)
    first, second = zip(
        *([one["value"] for one in ratings] for ratings in frame["ratings"]), strict=True
    )
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(pearson, abs=5e-5)
    if criterion == "overall":
        alpha = concord.agreement(frame, level="ordinal", draws=1).alpha
        assert alpha == pytest.approx(0.6836, abs=5e-5)


def test_spans_without_ends_have_the_errors_of_their_study(real: Real) -> None:
    path = real("public/quintd_ice_hockey_human.jsonl")
    assert detect_recipe(path).name == "quintd"  # type: ignore[union-attr]
    report = report_spans(list(marks_of(read_judgments([path], "quintd").candidates)))
    errors = {row.system: row.errors.value for row in report.systems}
    assert errors == pytest.approx(
        {"gpt-3.5": 1.43, "llama2": 2.67, "zephyr": 1.68, "mistral": 2.66}
    )


def test_sentences_of_summaries_have_the_error_rates_of_their_study(real: Real) -> None:
    frame = concord.read_judgments(real("public/tofueval_mediasum.csv"), "tofueval")
    assert (len(frame), (frame["score"] == 0).sum()) == (733, 172)
    rates = (1 - frame.groupby("system")["score"].mean()).round(4)
    assert rates.to_list() == [0.2059, 0.2241, 0.2566, 0.3243, 0.2034, 0.2095]


def test_verdicts_on_stories_have_the_rates_of_their_study(real: Real) -> None:
    frame = concord.read_judgments(real("public/ttcw_verdicts.json"), "ttcw")
    means = frame.groupby("system")["score"].mean().round(4).to_dict()
    assert means == {"NewYorker": 0.8472, "Claude": 0.2996, "GPT4": 0.2778, "GPT3.5": 0.0873}
    values = [one["value"] for ratings in frame["ratings"] for one in ratings]
    assert (len(values), sum(values)) == (2016, 762)
    alpha = concord.agreement(frame, level="nominal", draws=1).alpha
    assert alpha == pytest.approx(0.4264, abs=5e-5)
