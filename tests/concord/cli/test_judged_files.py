"""One file of judgments for all commands: judges among its raters, and judges' own files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.frames import read_judgments
from concord.judged_frames import split_judges
from tests import real_data

RATERS = ("ann", "bob", "cat")
JUDGES = ("gpt", "llama")


@pytest.fixture
def rows():
    """60 questions to two systems, rated by three people and two judges."""
    rng = np.random.default_rng(1)
    result = []
    for k in range(120):
        truth = rng.integers(1, 6)
        noise = {name: rng.integers(-1, 2) for name in RATERS} | {"gpt": 0, "llama": 0}
        values = {name: int(np.clip(truth + one, 1, 5)) for name, one in noise.items()}
        values["llama"] = int(rng.integers(1, 6))
        ratings = [{"worker": name, "value": value} for name, value in values.items()]
        result.append(
            {
                "id": f"c{k}",
                "question": f"What is {k // 2}?",
                "references": ["it"],
                "candidate": f"It is {k}.",
                "system": ("small", "large")[k % 2],
                "scale": [1, 5],
                "split": "train" if k < 60 else "test",
                "ratings": ratings,
            }
        )
    return result


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def of_raters(rows, names):
    return [
        row | {"ratings": [one for one in row["ratings"] if one["worker"] in names]} for row in rows
    ]


def value_of(row, rater):
    return next(one["value"] for one in row["ratings"] if one["worker"] == rater)


def answers_of(rows, judge="gpt"):
    """The output of `concord judge`."""
    return [
        {"id": row["id"], "key": row["id"], "scores": {judge: value_of(row, judge) * 1.0},
         "label": value_of(row, judge), "raw": str(value_of(row, judge)), "model": "m"}
        for row in rows
    ]  # fmt: skip


@pytest.fixture
def file(tmp_path, rows):
    return write(tmp_path / "all.jsonl", rows)


@pytest.fixture
def people(tmp_path, rows):
    return write(tmp_path / "people.jsonl", of_raters(rows, RATERS))


def run(capsys, *arguments):
    code = main([*map(str, arguments), "--format", "json"])
    out, error = capsys.readouterr()
    return json.loads(out) if code == 0 else code, error


JUDGE_OPTIONS = ["--judge", "gpt", "--judge", "llama"]


def test_alt_test_of_one_file_is_that_of_two_files_of_labels(file, tmp_path, rows, capsys):
    paths = []
    for names in (RATERS, JUDGES):
        labels = {name: {row["id"]: value_of(row, name) for row in rows} for name in names}
        paths.append(tmp_path / f"{names[0]}.json")
        paths[-1].write_text(json.dumps(labels))
    for options in (["--graded"], []):
        two, _ = run(capsys, "alt-test", *paths, *options)
        one, _ = run(capsys, "alt-test", file, *JUDGE_OPTIONS, *options)
        for judge in JUDGES:
            of_one, of_two = one["judges"][judge], two["judges"][judge]
            assert of_one["rho"] == of_two["rho"] and of_one["raters"] == of_two["raters"]
        both = tmp_path / "both.json"
        both.write_text(
            json.dumps(json.loads(paths[0].read_text()) | json.loads(paths[1].read_text()))
        )
        assert run(capsys, "alt-test", both, *JUDGE_OPTIONS, *options)[0]["judges"] == two["judges"]
    # Two systems answer each question, so the answers are dependent.
    assert one["judges"]["gpt"]["by_document"]["tested"] == 3


def test_alt_test_joins_people_and_the_output_of_a_judge_by_id(people, tmp_path, rows, capsys):
    answers = answers_of(rows)[10:]
    answers[0]["scores"] = {"gpt": None}
    answers.append(answers[1] | {"id": "unknown"})
    judged = write(tmp_path / "judged.jsonl", answers)
    report, error = run(capsys, "alt-test", people, judged, "--graded")
    assert report["join"] == {
        "by_id": 110, "by_content": 0, "other_text": 0, "only_people": 10, "only_judges": 1,
    }  # fmt: skip
    assert report["judges"]["gpt"]["missing"] == 11
    assert report["answers"]["judges"] == {"gpt": {"ties": 0, "both_bad": 0, "invalid": 1}}
    assert "Joined: 110 by id, 0 by content." in error
    assert 'only of people: 10 items: "c0", "c1", "c2", "c3", "c4" and 5 more' in error
    assert 'only of the judge: 1 item: "unknown".' in error


def test_alt_test_joins_two_files_by_content_where_ids_differ(people, tmp_path, rows, capsys):
    one_file = write(tmp_path / "one.jsonl", of_raters(rows, (*RATERS, "gpt")))
    expected, _ = run(capsys, "alt-test", one_file, "--judge", "gpt", "--graded")
    of_judge = [
        {"id": f"c{(k + 2) % 120}", "question": f" {row['question']} ", "references": [],
         "candidate": row["candidate"].replace(" ", "\n"), "system": row["system"],
         "ratings": [{"worker": "gpt", "value": value_of(row, "gpt")}]}
        for k, row in enumerate(rows)
    ]  # fmt: skip
    other = write(tmp_path / "judge.jsonl", of_judge)
    report, _ = run(capsys, "alt-test", people, other, "--graded")
    assert (report["join"]["by_id"], report["join"]["by_content"]) == (0, 120)
    assert report["join"]["other_text"] == 120
    assert report["judges"] == expected["judges"]


def test_each_kind_of_file_of_people_goes_with_each_of_a_judge(tmp_path, rows, capsys):
    def labels(names, path):
        content = {name: {row["id"]: value_of(row, name) for row in rows} for name in names}
        (tmp_path / path).write_text(json.dumps(content))
        return tmp_path / path

    stored = [{"id": row["id"], "score": value_of(row, "gpt"), "raw": "..."} for row in rows]
    of_people = [
        labels(RATERS, "people.json"),
        write(tmp_path / "people.jsonl", of_raters(rows, RATERS)),
    ]
    of_judge = [
        labels(JUDGES, "judges.json"),
        write(tmp_path / "judges.jsonl", of_raters(rows, JUDGES)),
        write(tmp_path / "answers.jsonl", answers_of(rows)),
        write(tmp_path / "gpt.jsonl", stored),
    ]
    reports = [
        run(capsys, "alt-test", people, judge, *named, "--graded", "--draws", 10)[0]
        for people in of_people
        for judge in of_judge
        for named in ([["--judge", "gpt"]] if judge in of_judge[:2] else [[]])
    ]
    tests = [report["judges"]["gpt"]["raters"] for report in reports]
    assert len(tests) == 8 and all(one == tests[0] for one in tests)
    assert all(list(report["judges"]) == ["gpt"] for report in reports)
    assert all(report["join"]["by_id"] == 120 for report in reports)
    code, error = run(capsys, "alt-test", of_people[0], of_judge[0], "--judge", "x", "--graded")
    assert code == 2 and 'no rater is named "x"; the raters are "gpt", "llama"' in error


def test_categories_are_the_labels_that_a_judge_wrote(people, tmp_path, rows, capsys):
    expected, _ = run(capsys, "alt-test", people, write(tmp_path / "a.jsonl", answers_of(rows)))
    weighted = [row | {"scores": {"gpt": row["label"] - 0.25}} for row in answers_of(rows)]
    judged = write(tmp_path / "b.jsonl", weighted)
    report, _ = run(capsys, "alt-test", people, judged)
    assert report["judges"] == expected["judges"]
    graded, _ = run(capsys, "alt-test", people, judged, "--graded")
    assert graded["judges"] != report["judges"]


def test_decimals_are_no_categories(tmp_path, rows, capsys):
    rows[3]["ratings"][0]["value"] = 3.5
    file = write(tmp_path / "decimals.jsonl", rows)
    code, error = run(capsys, "alt-test", file, "--judge", "gpt")
    assert code == 2 and "the rating of 'ann' for 'c3' is 3.5;" in error and "--graded" in error


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["alt-test"], 'Name them with --judge; the raters are ann, bob, cat, gpt, llama'),
        (["alt-test", "--judge", "gtp"], 'no rater is named "gtp"; the raters are "ann"'),
        (["agreement", "--judge", "gtp"], 'no rater is named "gtp"'),
        (["ranking", "--judge", "gtp"], 'no rater is named "gtp"'),
        (["estimate"], "give the scores of every candidate by --scores, or a judge by --judge"),
    ],
)  # fmt: skip
def test_a_command_says_which_judge_it_lacks(file, capsys, command, message):
    code, error = run(capsys, command[0], file, *command[1:])
    assert code == 2 and message in error


def test_files_without_a_common_item_are_refused(people, tmp_path, rows, capsys):
    answers = [row | {"id": f"x{row['id']}"} for row in answers_of(rows)]
    judged = write(tmp_path / "judged.jsonl", answers)
    code, error = run(capsys, "alt-test", people, judged, "--graded")
    assert code == 2 and "no item of the judge is one of people's" in error
    code, error = run(capsys, "alt-test", judged, people, "--graded")
    assert code == 2 and "has a judge's answers; people's file is the first one" in error


def test_agreement_is_that_of_people_and_of_each_judge_with_them(
    file, people, tmp_path, rows, capsys
):
    alone, _ = run(capsys, "agreement", people)
    report, _ = run(capsys, "agreement", file, *JUDGE_OPTIONS)
    assert report["alpha"] == alone["alpha"] and report["ratings"] == alone["ratings"] == 360
    assert report["judges"]["gpt"]["alpha"] > report["alpha"] > report["judges"]["llama"]["alpha"]
    assert report["judges"]["gpt"]["raters_per_unit"] == 4
    scores = write(tmp_path / "judged.jsonl", answers_of(rows))
    by_scores, _ = run(capsys, "agreement", people, "--scores", scores)
    assert by_scores["judges"]["gpt"] == report["judges"]["gpt"]


def test_rankings_are_of_people_and_of_each_judge(file, people, tmp_path, rows, capsys):
    alone, _ = run(capsys, "ranking", people)
    report, _ = run(capsys, "ranking", file, *JUDGE_OPTIONS)
    assert report["systems"] == alone["systems"] and report["choices"] == 180
    grades = np.array([value_of(row, "gpt") for row in rows])
    differences = grades[1::2] - grades[::2]
    large = report["judges"]["gpt"]["systems"]["large"]
    assert (large["wins"], large["losses"], large["ties"]) == tuple(
        sum(np.sign(one) == sign for one in differences) for sign in (1, -1, 0)
    )
    scores = write(tmp_path / "judged.jsonl", answers_of(rows))
    by_scores, _ = run(capsys, "ranking", people, "--scores", scores)
    assert by_scores["judges"]["gpt"] == report["judges"]["gpt"]


def test_estimates_by_judges_of_the_file(tmp_path, rows, capsys):
    unrated = [
        row | {"ratings": row["ratings"][3:]} if k >= 60 else row for k, row in enumerate(rows)
    ]
    part = write(tmp_path / "part.jsonl", unrated)
    scores = write(tmp_path / "gpt.jsonl", answers_of(rows, "gpt"))
    by_judge, _ = run(capsys, "estimate", part, *JUDGE_OPTIONS, "--metric", "gpt")
    bare = write(tmp_path / "bare.jsonl", [
        row | {"ratings": []} if k >= 60 else row for k, row in enumerate(of_raters(rows, RATERS))
    ])  # fmt: skip
    by_scores, _ = run(capsys, "estimate", bare, "--scores", scores)
    assert by_judge["systems"] == by_scores["systems"]
    assert by_judge["systems"]["large"]["rated"] == 30


def test_judges_in_judgments_of_another_file_are_joined_by_content(people, tmp_path, rows, capsys):
    other = [row | {"id": f"x{row['id']}"} for row in of_raters(rows, JUDGES)][:-1]
    judges = write(tmp_path / "judges.jsonl", other)
    scores = [write(tmp_path / f"{name}.jsonl", answers_of(rows[:-1], name)) for name in JUDGES]
    for command in (["agreement"], ["ranking"]):
        by_content, error = run(capsys, *command, people, "--scores", judges)
        by_id, _ = run(capsys, *command, people, "--scores", *scores)
        assert by_content == by_id
        assert "Joined: 0 by id, 119 by content." in error
        assert 'Not joined, only of people: 1 item: "c119".' in error
    code, error = run(capsys, "estimate", people, "--scores", judges, "--metric", "gpt")
    assert code == 2 and "score every candidate" in error


def test_rankings_of_one_group(tmp_path, rows, capsys):
    for row in rows:
        for one in row["ratings"][:2]:
            one["group"] = "expert"
    file = write(tmp_path / "groups.jsonl", rows)
    report, _ = run(capsys, "ranking", file, *JUDGE_OPTIONS, "--raters", "expert")
    assert report["choices"] == 120
    assert "unknown group" in run(capsys, "ranking", file, "--raters", "x")[1]


def test_a_score_of_the_file_stays_and_a_mean_of_all_ratings_does_not(tmp_path, rows):
    given = write(tmp_path / "given.jsonl", [row | {"score": 2.25} for row in rows])
    assert set(split_judges(read_judgments(given), ["gpt"]).people["score"]) == {2.25}
    frame = read_judgments(write(tmp_path / "all.jsonl", rows))
    judged = split_judges(frame, JUDGES)
    assert judged.people["score"][0] == pytest.approx(
        np.mean([value_of(rows[0], name) for name in RATERS])
    )
    assert list(judged.judges.columns) == list(JUDGES)
    assert judged.judges.loc["c7", "gpt"] == value_of(rows[7], "gpt")


def pair_rows():
    """Pairs with people's choices, and a judge's in both orders."""
    rows = []
    for k in range(24):
        ratings = [{"worker": f"w{w}", "choice": 1 + (k + w) % 2 if w else 1} for w in range(3)]
        given, swapped = (1, 2, "tie", "both_bad")[k % 4], (1, 1, "tie", 2)[k % 4]
        ratings.append({"worker": "gpt", "choice": given, "first_shown": 1})
        if k:
            ratings.append({"worker": "gpt", "choice": swapped, "first_shown": 2})
        rows.append({"id": f"p{k}", "question": f"What is {k}?", "system1": "small",
                     "system2": "large", "candidate1": "a", "candidate2": "b",
                     "ratings": ratings})  # fmt: skip
    return rows


def test_orders_of_a_judge_among_the_raters_of_pairs(tmp_path, capsys):
    rows = pair_rows()
    file = write(tmp_path / "pairs.jsonl", rows)
    report, _ = run(capsys, "orders", file, "--judge", "gpt")
    (of_judge,) = report["judges"].values()
    assert of_judge["pairs"] == 24 and of_judge["invalid"] == 1
    assert of_judge["answers"]["judge"] == {"ties": 12, "both_bad": 6, "invalid": 1}
    # The same by the output of judge-pairs, whose labels are sides.
    labels = {1: 1, 2: 2, "tie": 0, "both_bad": -1}
    answers, people = [], []
    for row in rows:
        by_order = {one["first_shown"]: one["choice"] for one in row["ratings"][3:]}
        for order, first in (("as given", 1), ("swapped", 2)):
            label = labels.get(by_order.get(first))
            side = 3 - label if first == 2 and label in (1, 2) else label
            score = None if label is None else 1.5
            answers.append({"id": f"{row['id']} {order}", "key": f"{row['id']} {order}",
                            "scores": {"gpt": score}, "label": side})  # fmt: skip
        people.append(row | {"ratings": row["ratings"][:3]})
    out = write(tmp_path / "chosen.jsonl", answers)
    by_answers, _ = run(capsys, "orders", write(tmp_path / "p.jsonl", people), "--answers", out)
    assert by_answers["judges"]["gpt"] == of_judge | {"file": "p.jsonl"}
    write(out, answers[:-1])
    code, error = run(capsys, "orders", tmp_path / "p.jsonl", "--answers", out)
    assert code == 2 and 'lacks 1 answer about these pairs, such as "p23 swapped"' in error


def test_a_judge_of_orders_says_what_was_shown_first(tmp_path, capsys):
    rows = pair_rows()
    del rows[5]["ratings"][3]["first_shown"]
    file = write(tmp_path / "pairs.jsonl", rows)
    code, error = run(capsys, "orders", file, "--judge", "gpt")
    assert code == 2 and "a choice of 'gpt' in the pair 'p5' has no `first_shown`" in error
    assert "no choice is by 'x'" in run(capsys, "orders", file, "--judge", "x")[1]
    # A rater who is not said to be a judge has one choice on a pair.
    assert '"gpt" chooses twice' in run(capsys, "ranking", file)[1]


def test_a_judge_of_both_orders_has_a_ranking_of_its_own(tmp_path, capsys):
    rows = pair_rows()
    people = [row | {"ratings": row["ratings"][:3]} for row in rows]
    alone, _ = run(capsys, "ranking", write(tmp_path / "people.jsonl", people))
    report, _ = run(capsys, "ranking", write(tmp_path / "all.jsonl", rows), "--judge", "gpt")
    assert report["systems"] == alone["systems"] and report["answers"] == alone["answers"]
    judge = report["judges"]["gpt"]
    assert judge["answers"] == {"ties": 12, "both_bad": 6, "invalid": 0}
    assert judge["choices"] == 47 and judge["systems"]["small"]["ties"] == 18


@pytest.mark.parametrize("folder", ["summeval", "wax"])
def test_the_sets_of_the_alternative_annotator_test_in_one_file(tmp_path, folder, capsys):
    """As with two files of labels, whose omega and rho are the authors'."""
    root = real_data.path(f"alttest/{folder}")
    human, judges = (root / f"{name}_annotations.json" for name in ("human", "llm"))
    labels = json.loads(human.read_text()) | json.loads(judges.read_text())
    options = ["--graded"] if folder == "summeval" else []
    codes = {}
    by_item = {}
    for rater, of_rater in labels.items():
        for item, label in of_rater.items():
            value = (
                label if options else codes.setdefault(str(label).strip().casefold(), len(codes))
            )
            rating = {"worker": rater, "value": float(value)}
            by_item.setdefault(item, []).append(rating)
    rows = [
        {"id": item, "instance": item, "references": [], "candidate": item, "ratings": ratings}
        for item, ratings in by_item.items()
    ]
    file = write(tmp_path / "all.jsonl", rows)
    names = [part for name in json.loads(judges.read_text()) for part in ("--judge", name)]
    two, _ = run(capsys, "alt-test", human, judges, *options, "--draws", 10)
    one, _ = run(capsys, "alt-test", file, *names, *options, "--draws", 10)
    for judge, expected in two["judges"].items():
        assert one["judges"][judge]["omega"] == expected["omega"]
        assert one["judges"][judge]["rho"] == pytest.approx(expected["rho"], abs=1e-12)


def test_llmbars_judges_as_raters_of_pairs(tmp_path, capsys):
    """GPT-4 on Neighbor, asked plainly, with the figures of the authors' statistics.json."""
    folder = real_data.path("llmbar/Adversarial/Neighbor/evaluators/GPT-4/Vanilla")
    rows = []
    for k, row in enumerate(json.loads((folder / "result.json").read_text())):
        answers = [row["results"][-1][f"swap = {swap}"]["winner"] for swap in (False, True)]
        ratings = [{"worker": "authors", "choice": int(row["label"])}]
        ratings += [
            {"worker": "gpt-4", "choice": int(answer), "first_shown": shown}
            for shown, answer in enumerate(answers, start=1)
        ]
        rows.append({"id": str(k), "question": row["input"], "candidate1": row["output_1"],
                     "candidate2": row["output_2"], "ratings": ratings})  # fmt: skip
    file = write(tmp_path / "pairs.jsonl", rows)
    report, _ = run(capsys, "orders", file, "--judge", "gpt-4")
    figures = report["judges"]["gpt-4"]
    printed = json.loads((folder / "statistics.json").read_text())
    for name, key in (("correct_average", "correct_average"), ("equal", "equal")):
        share = float(printed[key].split("=")[-1].strip(" %"))
        assert 100 * figures[name]["value"] == pytest.approx(share)


def test_a_ranking_without_choices_says_whose(tmp_path, people, rows, capsys):
    one = write(tmp_path / "one.jsonl", answers_of(rows[:1]))
    code, error = run(capsys, "ranking", people, "--scores", one)
    assert code == 2 and "no choice of gpt between two systems' answers" in error
    pairs = [row | {"ratings": row["ratings"][3:4]} for row in pair_rows()[3::4]]
    file = write(tmp_path / "pairs.jsonl", pairs)  # both bad, all of them
    code, error = run(capsys, "ranking", file, "--both-bad", "leave-out")
    assert code == 2 and "no choice of people" in error
    code, error = run(capsys, "ranking", file, "--judge", "gpt")
    assert code == 2 and "no choice of people" in error


def test_scores_rank_systems_where_there_are_no_ratings(tmp_path, rows, capsys):
    scored = [
        {name: row[name] for name in row if name != "ratings"} | {"score": value_of(row, "gpt")}
        for row in rows
    ]
    alone, _ = run(capsys, "ranking", write(tmp_path / "scored.jsonl", scored))
    report, _ = run(capsys, "ranking", write(tmp_path / "all.jsonl", rows), *JUDGE_OPTIONS)
    assert alone["systems"] == report["judges"]["gpt"]["systems"]


def test_the_systems_of_evouna_in_the_order_of_their_accuracy(capsys):
    """Accuracy on proper questions: FiD 0.689, GPT-3.5 0.655, ChatGPT 0.730, GPT-4 0.788, New Bing
    0.799. All systems answer all questions, so the order is that of the wins."""
    report, _ = run(capsys, "ranking", real_data.path("evouna/NQ.json"))
    assert list(report["systems"]) == ["New Bing", "GPT-4", "ChatGPT-3.5", "FiD", "GPT-3.5"]
