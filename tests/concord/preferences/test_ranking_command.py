"""`concord ranking`: both formats, its output, and its errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from tests import real_data
from tests.concord.formats.recipe_examples import ARENA


def line(number, choice, **changes):
    return {
        "instance": f"q{number}", "references": ["it"], "candidate1": "one", "candidate2": "two",
        "system1": "small", "system2": "large",
        "ratings": [{"worker": "w", "choice": choice, "first_shown": 1 + number % 2}], **changes,
    }  # fmt: skip


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(1)
    file = tmp_path / "pairs.jsonl"
    rows = [line(k, (1, 2, 2, "tie")[rng.integers(4)]) for k in range(60)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def run(capsys, *arguments):
    code = main(["ranking", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_json_has_each_systems_win_probability(path, capsys):
    code, out, _ = run(capsys, path, "--ties", "--format", "json")
    report = json.loads(out)
    assert code == 0
    large = report["systems"]["large"]
    assert large["ci"][0] < large["win_probability"] < large["ci"][1]
    assert large["win_probability"] + report["systems"]["small"][
        "win_probability"
    ] == pytest.approx(1)
    assert report["nu"] > 0
    assert next(iter(report["systems"])) == "large"


def test_a_recipe_of_pairs_is_recognised(tmp_path, capsys):
    file = tmp_path / "votes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ARENA))
    code, out, err = run(capsys, file)
    assert code == 0 and "(arena): 2 pairs" in err and "0 ties, 1 both bad" in out


def test_scores_are_preferences_where_there_are_no_ratings(tmp_path, capsys):
    file = tmp_path / "pairs.jsonl"
    rows = []
    for number in range(9):
        row = line(number, 1, score1=float(number % 3), score2=1.0)
        del row["ratings"]
        rows.append(row)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, out, _ = run(capsys, file, "--format", "json")
    small = json.loads(out)["systems"]["small"]
    assert (small["wins"], small["losses"], small["ties"]) == (3, 3, 3)


def test_the_table_has_wins_and_the_side_shown_first(path, capsys):
    code, out, _ = run(capsys, path)
    assert code == 0
    assert "win probability" in out
    assert "The answer shown first won" in out


def test_one_question_has_no_interval_and_says_how_many_are_needed(tmp_path, capsys):
    file = tmp_path / "pairs.jsonl"
    ratings = [{"worker": f"w{k}", "choice": 1 + (k == 0), "first_shown": 1} for k in range(3)]
    file.write_text(json.dumps(line(1, 1, ratings=ratings)))
    code, out, _ = run(capsys, file)
    assert code == 0 and "0.667" in out and " to " not in out.split("No intervals")[0]
    assert "No intervals: 1 question; at least 10 are needed." in out
    report = json.loads(run(capsys, file, "--format", "json")[1])
    assert report["no_interval"] == "1 question; at least 10 are needed"
    assert report["systems"]["small"]["ci"] is None


def test_both_bad_and_null_are_counted(path, capsys):
    rows = [json.loads(text) for text in path.read_text().splitlines()]
    answers = ["tie (bothbad)", "both_bad", None, "A=B"]
    for row, answer in zip(rows, answers, strict=False):
        row["ratings"] = [{"worker": "w", "choice": answer}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ties = sum(one["choice"] == "tie" for row in rows for one in row["ratings"])
    report = json.loads(run(capsys, path, "--format", "json")[1])
    assert report["answers"] == {"ties": ties + 1, "both_bad": 2, "invalid": 1}
    assert report["choices"] == 59 and report["both_bad"] == "tie"
    _, out, _ = run(capsys, path, "--both-bad", "leave-out")
    assert "57 choices on 57 questions" in out and "2 both bad and 1 invalid of 60 answers" in out
    assert "what is both bad is left out" in out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"system2": None}, "system2: is missing"),
        ({"system2": "small"}, 'system2: is "small" as `system1` is'),
        ({"ratings": [{"worker": "w", "choice": 3}]}, 'choice: 1, 2 or "tie" is expected'),
        ({"ratings": [{"worker": "w", "choice": True}]}, 'choice: 1, 2 or "tie" is expected'),
        ({"ratings": [{"worker": "w", "choice": 1, "first_shown": 3}]}, "1 or 2 is expected"),
        ({"ratings": [{"worker": "w", "choice": 1}] * 2}, '"w" chooses twice'),
        ({"ratings": []}, "score1: is missing"),
    ],
)
def test_a_faulty_line_is_named(path, capsys, change, message):
    row = line(99, 1) | change
    with path.open("a") as file:
        file.write(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n")
    code, out, error = run(capsys, path)
    assert (code, out) == (2, "")
    assert f"{path}:61: " in error and message in error


def test_a_file_of_lfqa_is_not_taken_for_an_export_of_label_studio(tmp_path, capsys):
    """Its rows have the columns of an annotation besides."""
    rows = [
        {
            "q_id": f"q{k}", "question_text": f"Why {k}?", "answer1": f"one {k}",
            "answer2": f"two {k}", "answer1_label": "HMH[1]",
            "BetterAnswer": "Answer A" if k % 3 else "Answer B",
            "DifficultToChoose": "No.", "id": k, "annotator": 1 + k % 4, "annotation_id": k,
            "lead_time": 1.5,
        }
        for k in range(12)
    ]  # fmt: skip
    file = tmp_path / "choices.json"
    file.write_text(json.dumps(rows, indent=1))
    code, out, error = run(capsys, file)
    assert code == 0 and "(lfqa): 12 pairs" in error
    assert "Intervals are for other raters of this kind." in out


def test_lfqa_experts_rank_three_kinds_of_answers(capsys):
    files = sorted(real_data.path("lfqa").glob("*.json"))
    code, out, _ = run(capsys, *files, "--format", "json")
    report = json.loads(out)
    assert code == 0
    assert report["choices"] == 120
    assert set(report["systems"]) == {"H", "h", "M"}
    assert sum(row["wins"] for row in report["systems"].values()) == 120
    assert report["alpha"] is not None


# Win probabilities by the strengths of choix 0.4.1, opt_pairwise(3, choices, alpha=0.0, tol=1e-14),
# and of arena-rank 0.1.1, BradleyTerry(3, scale=1.0, base=e, hessian_reg=0.0, ftol=1e-15,
# gtol=1e-12), which differ by less than 1e-11: H 0.246717741, M 0.005555684, h -0.252273425.
LFQA_BY_OTHERS = {"H": 0.59111111111, "M": 0.50205128205, "h": 0.40683760684}


def test_lfqas_win_probabilities_are_those_of_choix_and_arena_rank(capsys):
    files = sorted(real_data.path("lfqa").glob("*.json"))
    _, out, _ = run(capsys, *files, "--from", "lfqa", "--format", "json")
    systems = json.loads(out)["systems"]
    probabilities = {name: row["win_probability"] for name, row in systems.items()}
    assert probabilities == pytest.approx(LFQA_BY_OTHERS, abs=1e-9)
