"""What a recipe may say, and how a wrong one is refused."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from concord.formats import (
    RECIPES,
    FormatError,
    ReadOptions,
    read_judgments,
    read_pairs,
    read_recipe,
)
from concord.formats.inspection import read_any
from concord.formats.recipes import FormatRecipe, parse_recipe
from concord.formats.recipes.columns import RecipeNameError, recipe_of_columns
from concord.formats.recipes.paths import parse_path
from concord.formats.recipes.patterns import Pattern
from concord.formats.registry import find_recipes
from tests.concord.formats.recipe_examples import ARGILLA_1, MLFLOW_EVALUATE, MTURK_CROWD

FIELDS = '[fields]\nid = "id"\n'


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('color = "red"\n' + FIELDS, "mine.toml: color: is an unknown key; the keys here are"),
        (FIELDS + 'colour = "a"', "mine.toml: fields.colour: is an unknown key"),
        ("", "mine.toml: fields: has none of id, candidate and instance"),
        ('name = "a b"\n' + FIELDS, "mine.toml: name: is no short name"),
        ('rows = "lines"\n' + FIELDS, 'mine.toml: rows: is "lines"; choose one of candidates'),
        ("header_rows = 99\n" + FIELDS, "mine.toml: header_rows: is not from 1 to 10"),
        ("quotes = 1\n" + FIELDS, "mine.toml: quotes: is 1; a TOML value of type bool"),
        ('records = "a[?b]"\n' + FIELDS, "mine.toml: records: has filter projection; a path has"),
        ("records = 'a.\"{b}\"'\n" + FIELDS, "mine.toml: records: has a template; only fields may"),
        ('records = "length(a)"\n' + FIELDS, "mine.toml: records: has function expression"),
        ('records = "a.["\n' + FIELDS, r'mine.toml: records: "a\.\[" is no path'),
        (f'records = "{".".join("a" * 13)}"\n' + FIELDS, "toml: records: .* more than 12"),
        ('[fields]\nid = "{a"\n', 'mine.toml: fields.id: "{a": a brace opens or closes nothing'),
        ('[fields]\nid = "@nothing"\n', 'mine.toml: fields.id: "@nothing" is unknown'),
        (FIELDS + '[ratings]\nworker = "w"\n', "mine.toml: ratings.value: is missing"),
        (FIELDS + '[ratings]\nvalue = "v"\n', "mine.toml: ratings.worker: is missing"),
        (
            FIELDS + '[ratings]\nworker = "w"\ncolumns = "{a}{b}"\n',
            r"mine.toml: ratings.columns: .* has nothing between two",
        ),
        (FIELDS + '[values]\nmap = { yes = "1" }\n', "toml: values.map.yes: is '1'; a number"),
        (FIELDS + "[scale]\nlowest = 5\nhighest = 1\n", "mine.toml: scale.lowest: and `highest`"),
        (FIELDS + '[choices]\nworker = "w"\nvalue = "v"\n', 'choices: are of pairs: write'),
        ('kind = "pairs"\n', "mine.toml: fields.candidate1: is missing"),
        (FIELDS + '[[leave_out]]\nfield = "a"\n', r"toml: leave_out\[0\].reason: and `values`"),
        (FIELDS + '[spans]\nmarkers = ["<v>"]\n', "mine.toml: spans.markers: is no list of two"),
    ],
)  # fmt: skip
def test_an_error_names_the_recipe_and_the_key(
    recipe: Callable[[str], FormatRecipe], toml: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        recipe(toml)


def test_a_file_that_is_no_recipe_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("a = ")
    with pytest.raises(FormatError, match=r"mine.toml: is no TOML file: Invalid value"):
        read_recipe(path)
    path.write_text("a" * 70_000)
    with pytest.raises(FormatError, match="more than 65,536 bytes"):
        read_recipe(path)
    with pytest.raises(FormatError, match=r"other.toml: cannot be read: .*No such file"):
        read_recipe(tmp_path / "other.toml")


# Of no program: forms in which people keep their judgments.
GENERAL = {"full-ranking", "graded-preferences", "nested-ratings", "pairs-numbered"}


def test_every_recipe_in_the_box_is_short_and_says_its_source() -> None:
    folder = Path(__file__).parents[4] / "concord/formats/recipes"
    for path in folder.glob("*.toml"):
        assert len(path.read_text().splitlines()) <= 50, path
        one = RECIPES[path.stem]
        assert one.title != one.name and one.detect, path
        is_general = one.headings or path.stem in GENERAL
        assert one.source.startswith("https://") or is_general, path


def test_a_table_that_pandas_split_is_recognised_by_its_headings(tmp_path: Path) -> None:
    path = tmp_path / "eval_results_table.json"
    rows = [list(row.values()) for row in MLFLOW_EVALUATE]
    path.write_text(json.dumps({"columns": list(MLFLOW_EVALUATE[0]), "data": rows}))
    file = read_any([path])
    assert file.report.format == "mlflow-evaluate"
    assert list(file.report.criteria) == ["toxicity", "right"]


def test_a_record_over_several_lines_is_not_a_document_of_its_lists(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").write_text(json.dumps(ARGILLA_1[0]))
    (tmp_path / "indented.json").write_text(json.dumps(ARGILLA_1[0], indent=1))
    line, indented = (
        read_judgments([tmp_path / name], "argilla-1").candidates
        for name in ("lines.jsonl", "indented.json")
    )
    assert line[0].criteria and indented == line


def test_a_recipe_does_not_fit_a_file_with_a_name_that_it_excludes(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text(MTURK_CROWD)
    assert [fit.recipe.name for fit in find_recipes(path)] == ["mturk-crowd"]
    with pytest.raises(FormatError, match="choose the format mturk-crowd"):
        read_judgments([path], "mturk")


def test_a_name_that_excludes_a_file_is_in_the_error(refused: Callable[..., str]) -> None:
    toml = 'detect = ["id"]\nunless = "Q{n:number}"\n[fields]\nid = "id"\ncandidate = "answer"\n'
    message = refused(toml, "id,answer,Q3\n1,no,2\n")
    assert message.endswith('f.csv: has "Q3", which no file of the recipe mine has')


def test_the_documentation_says_with_which_files_each_recipe_was_checked() -> None:
    text = (Path(__file__).parents[4] / "docs/reference/file-formats.md").read_text()
    _, _, section = text.partition("\n## Recipes\n")
    table = section.partition("\n## ")[0]
    assert sorted(re.findall(r"`([\w-]+)`", table.replace("`concord inspect FILE`", ""))) == sorted(
        RECIPES
    )


def test_a_form_of_the_documentation_needs_no_python(
    recipe: Callable[[str], FormatRecipe], tmp_path: Path
) -> None:
    guide = (Path(__file__).parents[4] / "docs/how-to/add-a-format.md").read_text()
    text = guide.partition("## A form in one file")[2].partition("```toml\n")[2]
    path = tmp_path / "f.json"
    row = {"q": "Why?", "who": "w", "names": {"X": "one", "Y": "two"}, "order": ["Y", "X"]}
    path.write_text(json.dumps([row]))
    (pair,) = read_pairs([path], recipe(text.partition("```")[0])).pairs
    assert (pair.systems, pair.choices[0].choice) == (("two", "one"), 1)


def test_the_recipe_of_the_documentation_is_one(
    recipe: Callable[[str], FormatRecipe], tmp_path: Path
) -> None:
    guide = (Path(__file__).parents[4] / "docs/how-to/add-a-format.md").read_text()
    path = tmp_path / "f.csv"
    path.write_text("doc,system,text,rater,fluency,truth\n1,a,So.,r1,4,yes\n1,a,So.,r2,5,no\n")
    file = read_judgments([path], recipe(guide.partition("```toml\n")[2].partition("```")[0]))
    (candidate,) = file.candidates
    assert candidate.key == "1-a"
    assert [(one.name, one.score) for one in candidate.criteria] == [
        ("fluency", 4.5),
        ("truth", 0.5),
    ]


@pytest.mark.parametrize(
    ("pattern", "name", "found"),
    [
        ("rater_{worker}", "Rater_ann", {"worker": "ann"}),
        ("rater_{worker:number}", "rater_12", {"worker": "12"}),
        ("rater_{worker:number}", "rater_id", None),
        ("Answer.{criterion}.{worker}", "Answer.a.b.c", {"criterion": "a", "worker": "b.c"}),
        ("{a}_{b}_end", "x_y_z_end", {"a": "x", "b": "y_z"}),
        ("*_score", "_score", None),
        ("*_score", "my_score", {}),
        ("score", "Score", {}),
        ("score", "scores", None),
        ("a*a", "aa", None),
    ],
)
def test_a_pattern_matches_whole_names_in_any_case(
    pattern: str, name: str, found: dict[str, str] | None
) -> None:
    assert Pattern.parse(pattern).match(name) == found


def test_a_path_has_names_positions_and_stars_only() -> None:
    kinds = [(step.kind, step.name, step.index) for step in parse_path('a."b c"[*].*[-1]')]
    assert kinds == [
        ("field", "a", 0), ("field", "b c", 0), ("[*]", "", 0), ("*", "", 0), ("index", "", -1)
    ]  # fmt: skip
    assert parse_path("[*]")[0].kind == "[*]"


@pytest.mark.parametrize(
    ("header", "meanings"),
    [
        (["key", "q", 'gold "1"', "gold 2", "text", "who", "mark"],
         ["id", "question", "reference", "reference", "candidate", "system", "score"]),
        (["q", "gold", "one", "two", "x"], ["question", "reference", "candidate", "candidate", ""]),
        (["key", "gold", "one", "two"], ["id", "reference", "candidate", "candidate"]),
    ],
)  # fmt: skip
def test_a_recipe_of_assigned_columns_reads_what_the_assignment_does(
    header: list[str], meanings: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "f.csv"
    rows = [header, *([f"{at}{number}" if name != "mark" else str(number)
                       for at, name in enumerate(header)] for number in range(3))]  # fmt: skip
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    recipe = parse_recipe(tomllib.loads(recipe_of_columns(header, meanings)))
    columns = tuple(one or "ignore" for one in meanings)
    table = read_judgments([path], "table", ReadOptions(columns=columns))
    file_read = read_judgments([path], recipe)
    assert file_read.candidates == table.candidates and len(file_read.candidates) in (3, 6)
    assert file_read.report.read == table.report.read


def test_a_heading_that_means_something_in_a_recipe_is_refused() -> None:
    for heading in ("{a}", "a*", "@row", "'a'"):
        with pytest.raises(RecipeNameError, match="rename it"):
            recipe_of_columns([heading], ["candidate"])
