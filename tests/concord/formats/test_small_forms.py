"""Files that people have: exports with repeats, n/a among scores, offsets in UTF-16, ids."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from concord.cli import main
from concord.formats import FormatError, detect_recipe, read_judgments, read_recipe
from concord.formats.both_orders import read_both_orders
from concord.formats.recipes.numbers import ids_note
from concord.formats.report import FileReport
from concord.formats.scores import read_scores


def annotation(number: int, rater: int, rating: int) -> dict[str, Any]:
    result = {"id": f"r{number}", "from_name": "warm", "to_name": "t", "type": "rating"}
    return {"id": number, "completed_by": {"id": rater}, "was_cancelled": False,
            "result": [{**result, "value": {"rating": rating}}]}  # fmt: skip


def storage_export(path: Path, answers: tuple[str, str] = ("Tea.", "Tea.")) -> Path:
    """A file for each annotation, with all annotations of its task up to then."""
    own = [annotation(11, 1, 4), annotation(12, 2, 5)]
    with zipfile.ZipFile(path, "w") as archive:
        for count, answer in enumerate(answers, start=1):
            task = {"id": 1, "data": {"answer": answer}, "annotations": own[:count]}
            archive.writestr(f"1_{count}.json", json.dumps([task]))
    return path


def test_the_repeats_of_a_storage_export_count_once(tmp_path: Path) -> None:
    path = storage_export(tmp_path / "export.zip")
    file = read_judgments([path], "label-studio-tasks")
    (candidate,) = file.candidates
    assert [(one.worker, one.value) for one in candidate.criteria[0].ratings] == [
        ("1", 4),
        ("2", 5),
    ]
    assert "Earlier ratings that the same rater replaced: 1." in file.report.notes


def test_a_fault_names_the_file_in_its_archive(tmp_path: Path) -> None:
    path = storage_export(tmp_path / "export.zip", ("Tea.", "Milk."))
    with pytest.raises(FormatError) as caught:
        read_judgments([path], "label-studio-tasks")
    assert caught.value.problems[0].file == f"{path}/1_2.json"


def test_words_for_missing_scores_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,whole,gap,none\na,1,n/a,NA\nb,2,3,NA\n")
    reports: list[FileReport] = []
    scores = read_scores(path, on_report=reports.append)
    assert scores.notna().sum().to_dict() == {"whole": 2, "gap": 1, "none": 0}
    assert "3 values are missing: n/a 1, NA 2." in reports[0].short_lines()


def marked(text: str, end: int) -> dict[str, Any]:
    span = {"start": 0, "end": end, "severity": "minor", "categories": []}
    return {"id": text, "system": "s", "question": "q", "candidate": text,
            "marks": [{"worker": "w", "spans": [span]}]}  # fmt: skip


def test_offsets_in_utf16_are_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_text(json.dumps(marked("\U0001f375 tea", 6)))
    with pytest.raises(FormatError, match="6 UTF-16 code units"):
        read_judgments([path], "concord")
    path.write_text(json.dumps(marked("\U0001f375 tea", 7)))
    with pytest.raises(FormatError) as caught:
        read_judgments([path], "concord")
    assert "UTF-16" not in str(caught.value)


def test_marks_without_ratings_are_read_by_the_command_of_spans(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_text(json.dumps(marked("Tea.", 3)))
    assert main(["spans", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"]["s"]["errors"]["value"] == 1


def test_the_second_order_of_judgebench_is_about_the_sides_as_shown(tmp_path: Path) -> None:
    rows = [{"label": "A>B", "judgments": [{"decision": one}, {"decision": two}]}
            for one, two in (("A>B", "B>A"), ("A>B", "A>B"), ("A=B", None))]  # fmt: skip
    path = tmp_path / "output.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    pairs = read_both_orders(path, "judgebench")
    assert [(one.as_given, one.swapped) for one in pairs] == [(1, 1), (1, 2), ("tie", None)]
    path.write_text(json.dumps({"label": "A>B", "judgments": []}))
    with pytest.raises(FormatError, match="judgments: two are expected"):
        read_both_orders(path, "judgebench")


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ([2, 4, 5, 6, 7, 8, 9], True),
        ([1, 2, 4, 5], False),
        ([2, 3, 4, 5], False),
        ([2, 4, 5], False),
        ([2, 4.5, 6, 8], False),
        ([20, 40, 60, 80], False),
    ],
)
def test_values_that_look_like_ids_are_asked_about(values: list[float], asked: bool) -> None:
    assert bool(ids_note(map(float, values))) is asked


def test_a_batch_of_mturk_needs_no_text(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text(
        "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.story_id,Input.model,Answer.warm\n"
        "H1,A1,W1,Approved,7,one,4\nH1,A2,W2,Approved,7,one,5\n"
    )
    assert detect_recipe(path).name == "mturk"  # type: ignore[union-attr]
    (candidate,) = read_judgments([path], "mturk").candidates
    assert (candidate.key, candidate.system, candidate.text) == ("H1", "one", "")
    assert len(candidate.criteria[0].ratings) == 2


def test_a_judges_probabilities_are_their_mean(
    tmp_path: Path,
) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'name = "p"\n[fields]\ncandidate = "text"\n[ratings]\nvalue = "p"\nworker = "\'judge\'"\n'
        "[values]\nmap = { good = 2, bad = 0 }\n"
    )
    path = tmp_path / "f.json"
    rows = [
        {"text": "a", "p": {"1": 0.25, "5": 0.75}},
        {"text": "b", "p": {"Good": 0.5, "bad": 0.5}},
    ]
    path.write_text(json.dumps(rows))
    file = read_judgments([path], read_recipe(recipe))
    assert [one.score for one in file.candidates] == [4, 1]
    path.write_text(json.dumps([{"text": "a", "p": {"1": 0.25, "5": 0.25}}]))
    with pytest.raises(FormatError, match="is an object"):
        read_judgments([path], read_recipe(recipe))
