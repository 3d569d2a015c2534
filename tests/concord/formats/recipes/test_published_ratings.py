"""Ratings as their authors published them: MOCHA, EVOUNA, SummEval, THumB's release, SQuALITY."""

from collections import defaultdict
from typing import Any

import pytest

from concord.formats import RatingRecord, ReadOptions, instance_key, read_judgments, read_pairs
from tests.concord.formats.format_examples import SUMMEVAL

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
MOCHA = {
    "context": "Ten cats sat.",
    "question": "How many?",
    "reference": "ten",
    "candidate": "nine",
    "metadata": {"scores": [2, 4, 3], "source": "nabert"},
    "score": 3,
}
MOCHA_PAIR = {
    "context": "Ten cats sat.",
    "question": "How many?",
    "reference": "ten",
    "candidate1": "ten of them",
    "candidate2": "nine",
    "score1": 5.0,
    "score2": 1.0,
}
EVOUNA = {
    "question": "who?",
    "golden_answer": "Ann / Bob//",
    "answer_fid": "Ann",
    "judge_fid": True,
    "answer_gpt4": None,
    "judge_gpt4": False,
    "improper": False,
}


def rated(*values: float) -> list[dict[str, float]]:
    return [dict.fromkeys(CRITERIA, value) for value in values]


def thumb_line(system: str, article: str = "s1", **change: Any) -> dict[str, Any]:
    return {
        "SYS": system,
        "seg_id": article,
        "hyp": f"{system} on {article}",
        "expert_annotations": rated(1, 2, 5),
        "turker_annotations": rated(4, 4),
        **change,
    }


def story(name: str = "77", **answers: Any) -> dict[str, Any]:
    systems = {"bart": reviewed("b", 10, 20), "human": reviewed("h", 90)} | answers
    return {"passage-id": name, "questions": {"0": systems}}


def reviewed(text: Any, *values: float) -> dict[str, Any]:
    names = ("correctness-rating", "selection-rating", "overall-rating")
    reviews = [
        {"worker_id": str(k)} | dict(zip(names, (1, 2, value), strict=True))
        for k, value in enumerate(values, start=3)
    ]
    return {"response": text, "reviews": reviews, "overall": {}}


def read(path, format, **options):
    return read_judgments([path], format, ReadOptions(**options))


def test_an_answer_of_mocha_has_its_raters_system_and_split(write):
    file = read(write("mocha-train.json", {"drop": {"1": MOCHA}}), "mocha")
    (candidate,) = file.candidates
    assert (candidate.key, candidate.text, candidate.system) == ("drop/1", "nine", "nabert")
    assert candidate.score == 3.0
    assert [(one.worker, one.value) for one in candidate.ratings] == [
        ("r1", 2.0), ("r2", 4.0), ("r3", 3.0),
    ]  # fmt: skip
    assert candidate.instance.key == instance_key("Ten cats sat.", "How many?", ["ten"])
    assert (candidate.instance.constituent, candidate.instance.split) == ("drop", "train")
    assert file.scale == (1.0, 5.0)
    assert any("does not name raters" in note for note in file.report.notes)
    assert file.report.ignored == []


def test_the_split_is_the_one_that_a_files_name_has(write):
    names = ["mocha-train.json", "Validation.json", "test_no_labels.json", "latest.json"]
    paths = [write(name, {"drop": {name[0]: MOCHA}}) for name in names]
    file = read_judgments(paths, "mocha")
    assert [one.instance.split for one in file.candidates] == ["train", "dev", "test", ""]
    assert read(paths[3], "mocha", split="probe").candidates[0].instance.split == "probe"


def test_an_answer_without_a_label_is_kept_and_ratings_give_their_mean(write):
    without = {key: value for key, value in MOCHA.items() if key != "score"}
    unrated = {**without, "metadata": {"source": "gpt2"}}
    file = read(write("dev.json", {"drop": {"1": without, "2": unrated}}), "mocha")
    assert [one.score for one in file.candidates] == [3.0, None]
    assert file.report.without_judgment == 1


def test_a_minimal_pair_of_mocha_has_both_scores(write):
    path = write("minimal_pairs.json", {"drop": {"1": MOCHA_PAIR}})
    file = read_pairs([path], "mocha")
    (pair,) = file.pairs
    assert (pair.key, pair.candidate1, pair.candidate2) == ("drop/1", "ten of them", "nine")
    assert (pair.score1, pair.score2, pair.instance.constituent) == (5.0, 1.0, "drop")
    assert file.scale == (1.0, 5.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score1": 1}, "drop.1.score1: 1 is not above score2 (1)"),
        ({"score1": 7}, "drop.1.score1: 7 is outside the scale from 1 to 5"),
        ({"score2": None}, "drop.1.score2: is null; a number is expected"),
    ],
)
def test_a_faulty_minimal_pair_is_named(write, refusal, change, message):
    path = write("minimal_pairs.json", {"drop": {"1": {**MOCHA_PAIR, **change}}})
    assert message in str(refusal(read_pairs, [path], "mocha"))


def test_each_system_of_evouna_is_a_candidate_and_true_is_one(write):
    unjudged = {**EVOUNA, "question": "what?", "judge_gpt4": None}
    path = write("nq.json", [EVOUNA, {**EVOUNA, "improper": True}, unjudged])
    file = read(path, "evouna", constituent="nq", split="test")
    assert [(c.key, c.system, c.text, c.score) for c in file.candidates] == [
        ("1/fid", "FiD", "Ann", 1.0),
        ("1/gpt4", "GPT-4", "", 0.0),
        ("3/fid", "FiD", "Ann", 1.0),
        ("3/gpt4", "GPT-4", "", None),
    ]
    first, second, *_ = file.candidates
    assert first.instance is second.instance
    assert first.instance.references == ("Ann", "Bob")
    assert (first.instance.constituent, first.instance.split) == ("nq", "test")
    assert file.scale == (0.0, 1.0)
    assert "Rows left out: 1, questions marked improper." in file.report.notes


def test_row_numbers_of_several_files_follow_the_name_of_the_file(write):
    paths = [write("nq.json", [EVOUNA]), write("tq.json", [EVOUNA])]
    file = read_judgments(paths, "evouna")
    assert [one.key for one in file.candidates][::2] == ["nq/1/fid", "tq/1/fid"]


def test_experts_make_the_gold_and_the_human_summary_the_reference(write):
    path = write("t.jsonl", [thumb_line("T5"), thumb_line("Human-H"), thumb_line("T5", "s2")])
    file = read(path, "thumb", criterion="fluency", split="test")
    (candidate,) = file.candidates
    assert (candidate.key, candidate.text, candidate.system) == ("s1/T5", "T5 on s1", "T5")
    assert candidate.score == pytest.approx(8 / 3)
    assert candidate.ratings == (
        RatingRecord("e1", 1.0, "expert"),
        RatingRecord("e2", 2.0, "expert"),
        RatingRecord("e3", 5.0, "expert"),
        RatingRecord("c1", 4.0, "crowd"),
        RatingRecord("c2", 4.0, "crowd"),
    )
    instance = candidate.instance
    assert (instance.key, instance.references) == ("s1", ("Human-H on s1",))
    assert (instance.passage, instance.split, file.scale) == ("", "test", (1.0, 5.0))
    assert file.report.left_out == {
        "answers by Human-H, which are the references": 1,
        "answers to instances without one by Human-H": 1,
    }
    assert file.report.instances == 1


@pytest.mark.parametrize("crowd", [float("nan"), None])
def test_the_crowd_may_be_absent(write, crowd):
    lines = [thumb_line("Human-H"), thumb_line("T5", turker_annotations=crowd)]
    (candidate,) = read(write("t.jsonl", lines), "thumb", criterion="fluency").candidates
    assert {one.group for one in candidate.ratings} == {"expert"}


def test_another_system_may_be_the_reference(write, refusal):
    path = write("t.jsonl", [thumb_line("T5"), thumb_line("BART")])
    file = read(path, "thumb", reference_system="BART")
    assert file.candidates[0].instance.references == ("BART on s1",)
    message = 'no candidate is of the system "Human-H"; the systems are "BART", "T5"'
    assert message in str(refusal(read, path, "thumb"))


@pytest.mark.parametrize("system", ["T5", "Human-H"])
def test_a_summary_that_comes_twice_is_an_error(write, refusal, system):
    path = write("t.jsonl", [thumb_line("Human-H"), thumb_line("T5"), thumb_line(system)])
    assert f"{path}:3: id: the id " in str(refusal(read, path, "thumb"))


def test_a_summary_of_summeval_has_its_article_and_references(write, refusal):
    (line,) = SUMMEVAL
    low = dict.fromkeys(CRITERIA, 1)
    experts = [{**low, "fluency": 5}, {**low, "fluency": 4}]
    path = write("m.jsonl", [{**line, "expert_annotations": experts, "text": "An article."}])
    (candidate,) = read(path, "summeval").candidates
    assert (candidate.key, candidate.system, candidate.score) == ("dm-1/M0", "M0", None)
    assert candidate.instance.passage == "An article."
    assert candidate.instance.references == tuple(line["references"])
    assert {one.name: one.score for one in candidate.criteria} == {**low, "fluency": 4.5}
    path = write("m.jsonl", [line, {**line, "model_id": "M1", "references": ["Another."]}])
    assert 'instance "dm-1" has another references' in str(refusal(read, path, "summeval"))


def test_an_answer_of_squality_has_its_workers(write):
    path = write("s.jsonl", [story(), story("78")])
    file = read(path, "squality", criterion="overall", constituent="stories")
    candidate, _ = file.candidates
    assert (candidate.key, candidate.system, candidate.text) == ("77/0/bart", "bart", "b")
    assert candidate.score == 15.0
    assert candidate.ratings == (RatingRecord("3", 10.0), RatingRecord("4", 20.0))
    instance = candidate.instance
    assert (instance.key, instance.references, instance.passage) == ("77/0", ("h",), "")
    assert (instance.constituent, file.scale) == ("stories", (0.0, 100.0))
    assert [one.name for one in read(path, "squality").candidates[0].criteria] == [
        "correctness", "selection", "overall",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("format", "name", "content", "message"),
    [
        ("mocha", "dev.json", {"drop": {"7": {**MOCHA, "score": 5.5}}},
         "drop.7: the score 5.5 is outside the scale from 1 to 5"),
        ("mocha", "dev.json", {"drop": {"7": {**MOCHA, "metadata": {"scores": [1, 0]}}}},
         'drop.7: the rating of "r2": 0 is outside the scale'),
        ("mocha", "dev.json", {"drop": {"7": {**MOCHA, "metadata": {"scores": [{"a": 1}]}}}},
         "drop.7.metadata.scores[0]"),
        ("evouna", "nq.json", [EVOUNA, {**EVOUNA, "answer_fid": [5]}],
         "candidate: is a list; a text is expected"),
        ("evouna", "nq.json", [EVOUNA, {**EVOUNA, "judge_fid": "yes"}],
         'judge_fid: is "yes"; a number is expected'),
        ("thumb", "t.jsonl", [thumb_line("T5"), thumb_line("Human-H", expert_annotations=rated(6))],
         ""),
        ("thumb", "t.jsonl", [thumb_line("Human-H"), thumb_line("T5", expert_annotations=rated(6))],
         ':2: the rating of "e1": 6 is outside the scale'),
        ("thumb", "t.jsonl", [thumb_line("Human-H"), thumb_line("T5", turker_annotations=3)],
         ":2: turker_annotations: is a number; a list is expected"),
        ("squality", "s.jsonl", [story(), story("9", bart=5)],
         ":2: questions.0.bart.response: is missing"),
        ("squality", "s.jsonl", [story(bart=reviewed("b", 101))],
         ':1: questions.0.bart: the rating of "3": 101 is outside the scale'),
        ("squality", "s.jsonl", [story(), story()], 'the id "77/0/bart" is already used in'),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place(write, refusal, format, name, content, message):
    path = write(name, content)
    if message:
        assert message in str(refusal(read, path, format))
    else:
        read(path, format)  # ratings of a reference are not read


def test_the_published_sample_of_mocha(real):
    names = ["train.json", "dev.json", "test_no_labels.json"]
    file = read_judgments([real(f"mocha_sample/{name}") for name in names], "mocha")
    assert [(c.instance.split, c.score, len(c.ratings), c.system) for c in file.candidates] == [
        ("train", 1.0, 1, "gpt2"),
        ("dev", 1.0, 3, "gpt2"),
        ("test", None, 0, "backtranslation"),
    ]
    (pair,) = read_pairs([real("mocha_sample/minimal_pairs.json")], "mocha").pairs
    assert (pair.score1, pair.score2) == (5.0, 2.0)


def test_evouna_gives_the_published_human_accuracy(real):
    file = read(real("evouna/NQ.json"), "evouna")
    assert "Rows left out: 590, questions marked improper." in file.report.notes
    assert (file.report.kept, file.report.instances) == (3020 * 5, 3020)
    assert (file.report.empty_candidates, file.report.without_judgment) == (6, 1)
    scores = defaultdict(list)
    for candidate in file.candidates:
        if candidate.score is not None:
            scores[candidate.system].append(candidate.score)
    assert {system: round(sum(own) / len(own), 3) for system, own in scores.items()} == {
        "FiD": 0.689,
        "GPT-3.5": 0.655,
        "ChatGPT-3.5": 0.730,
        "GPT-4": 0.788,
        "New Bing": 0.799,
    }


@pytest.mark.parametrize("criterion", CRITERIA)
def test_thumbs_release_of_summeval(real, criterion):
    file = read(real("thumb/cnndm_part1.jsonl"), "thumb", criterion=criterion)
    assert (file.report.read, file.report.kept, file.report.instances) == (1080, 1020, 60)
    assert len({one.system for one in file.candidates}) == 17
    assert {sum(r.group == "crowd" for r in one.ratings) for one in file.candidates} == {0, 5}
    assert {sum(r.group == "expert" for r in one.ratings) for one in file.candidates} == {3}


@pytest.mark.parametrize("criterion", ["correctness", "selection", "overall"])
def test_squalitys_human_evaluation(real, criterion):
    file = read(real("squality/human-eval-1.jsonl"), "squality", criterion=criterion)
    assert (file.report.read, file.report.kept, file.report.instances) == (150, 100, 50)
    assert {len(one.ratings) for one in file.candidates} == {3}
    assert {r.worker for one in file.candidates for r in one.ratings} == {"2", "3", "6", "8"}
    assert {one.system for one in file.candidates} == {"bart", "bart-dpr"}
