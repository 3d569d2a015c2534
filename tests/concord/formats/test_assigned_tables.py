"""Tables whose columns are raters, criteria or the two sides of a pair."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from concord.formats import FormatError, PairFile, ReadOptions, read_judgments, read_recipe
from concord.formats.inspection import read_any
from concord.formats.preferences import read_preferences
from concord.formats.recipes.columns import recipe_of_columns
from concord.formats.tables.columns import guess_judged

Write = Callable[[str, str], Path]
OWN = (
    "question,gold,answer,model,mia,tom\n"
    "Why?,so,so it is,one,5,4\nWhy?,so,no,two,1,2\nWho?,Ada,Ada,one,4,5\n"
)
BY_QUESTION = (
    "item,prompt,output,aspect,r1@example.org,r2@example.org,closed_by\n"
    "a,p,o,clear,4,5,x\na,p,o,right,yes,no,x\nb,p,q,clear,2,,x\nb,p,q,right,no,no,x\n"
)
VOTES = (
    '{"prompt": "p", "model_a": "x", "answer_a": "1", "model_b": "y", "answer_b": "2", '
    '"winner": "model_a", "judge": "j"}\n'
    '{"prompt": "q", "model_a": "y", "answer_a": "3", "model_b": "x", "answer_b": "4", '
    '"winner": "x", "judge": "j"}\n'
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


def test_headings_can_be_named_as_raters(write: Write) -> None:
    path = write("own.csv", OWN)
    file = read_judgments([path], "table", ReadOptions(columns=("mia", "tom=rating")))
    ratings = [[(one.worker, one.value) for one in c.ratings] for c in file.candidates]
    assert ratings == [[("mia", 5), ("tom", 4)], [("mia", 1), ("tom", 2)], [("mia", 4), ("tom", 5)]]
    assert [one.system for one in file.candidates] == ["one", "two", "one"]


def test_columns_of_numbers_that_nobody_knows_are_proposed_as_raters(write: Write) -> None:
    report = read_judgments([write("own.csv", OWN)], "table").report
    assert any('--columns "mia,tom=rating"' in note for note in report.notes)


def test_a_wrong_assignment_names_the_columns(write: Write) -> None:
    path = write("own.csv", OWN)
    for columns, message in [
        (("mai=rating",), '"mai" is no column; they are "question"'),
        (("mia=rating", "tom"), "write tom=MEANING"),
        (("mia=nonsense",), '"nonsense" is unknown'),
        (("mia=choice",), "Choose both candidates of the pair"),
    ]:
        with pytest.raises(FormatError, match=message):
            read_judgments([path], "table", ReadOptions(columns=columns))


def test_a_row_an_item_and_question_has_a_column_a_rater(write: Write) -> None:
    file = read_any([write("by.csv", BY_QUESTION)])
    assert not isinstance(file, PairFile)
    first, second = file.candidates
    assert [(one.name, len(one.ratings)) for one in first.criteria] == [("clear", 2), ("right", 2)]
    assert [(one.name, len(one.ratings)) for one in second.criteria] == [("clear", 1), ("right", 2)]
    assert {one.value for one in first.criteria[1].ratings} == {0, 1}


def test_votes_between_two_models_are_pairs(write: Write) -> None:
    file = read_any([write("votes.jsonl", VOTES)])
    assert isinstance(file, PairFile)
    won = [pair.systems[int(pair.choices[0].choice) - 1] for pair in file.pairs]
    assert won == ["x", "x"]
    preferences = read_preferences([write("v.jsonl", VOTES)], "table-pairs")
    assert [one.worker for one in preferences] == ["j", "j"]


@pytest.mark.parametrize(
    ("headings", "meanings"),
    [
        ("Frage|Antwort|Bewerter|Bewertung", "question|candidate|rater|rating"),
        ("answer 1|answer 2|vote", "candidate1|candidate2|choice"),
        ("Left text|Right text|preferred", "candidate1|candidate2|choice"),
        ("responseA|responseB|better", "candidate1|candidate2|choice"),
        ("Pregunta|Respuesta 1|Respuesta 2|Mejor", "question|candidate1|candidate2|choice"),
        ("Output A|Output B|Preferred (A/B/Tie)", "candidate1|candidate2|choice"),
        ("answer 1|answer 2|comment", "candidate|candidate|"),
        ("text|winner", "candidate|"),
        ("text|answer", "passage|candidate"),
        ("answer|criterion", "candidate|"),
        (
            "prompt|answer_1_text|answer_1_model|answer_2_text|answer_2_model|judge_name|better",
            "question|candidate1|system1|candidate2|system2|rater|choice",
        ),
        ("give_a_reason|give_b_reason|answer|better", "||candidate|"),
        ("source|answer|model|annotator|rating", "|candidate|system|rater|rating"),
        ("answer|source|score|worker_id", "candidate||rating|rater"),
        ("respuesta|sistema|anotador|nota", "candidate|system|rater|rating"),
    ],
)
def test_headings_of_judged_tables(headings: str, meanings: str) -> None:
    assert guess_judged(headings.split("|")) == meanings.split("|")


@pytest.mark.parametrize(
    ("content", "meanings"),
    [
        (OWN, "question|reference|candidate|system|rating|rating"),
        (BY_QUESTION, "id|question|candidate|criterion|rating|rating|"),
        (OWN, "question|reference|candidate|system|score|score"),
    ],
)
def test_a_saved_recipe_reads_what_the_columns_do(
    write: Write, content: str, meanings: str
) -> None:
    path = write("t.csv", content)
    header, columns = content.partition("\n")[0].split(","), meanings.split("|")
    recipe = read_recipe(write("r.toml", recipe_of_columns(header, columns)))
    options = ReadOptions(columns=tuple(one or "ignore" for one in columns))
    assert (
        read_judgments([path], recipe).candidates
        == read_judgments([path], "table", options).candidates
    )


def test_numbers_beside_a_rater_are_of_the_criteria_that_their_headings_name() -> None:
    header = ["doc_id", "summary", "annotator", "fluent", "seconds"]
    assert guess_judged(header, {3, 4}) == ["instance", "candidate", "rater", "rating", ""]


def test_an_id_of_items_is_named_with_what_to_do(write: Write) -> None:
    """Ids that repeat are the candidates' in a table with a row a rating, unless they have other
    texts."""
    text = "id,respuesta,sistema,anotador,fluidez\n1,si,x,ana,4\n1,no,y,ana,2\n"
    path = write("t.csv", text)
    with pytest.raises(FormatError, match="another text on line 2; if its id names the item"):
        read_judgments([path], "table")
    file = read_judgments([path], "table", ReadOptions(columns=("id=instance",)))
    assert [(one.text, one.system) for one in file.candidates] == [("si", "x"), ("no", "y")]


def test_a_heading_may_have_any_characters(write: Write) -> None:
    """Those of paths, patterns and templates mean nothing in a heading."""
    text = "id,gold,a{1},@b*,'c'\n1,r,x,y,5\n2,r,z,,4\n"
    columns: tuple[str, ...] = ("a{1}", "@b*=candidate")
    file = read_judgments([write("w.csv", text)], "table", ReadOptions(columns=columns))
    assert [(one.key, one.system) for one in file.candidates[:2]] == [
        ("1/a{1}", "a{1}"),
        ("1/@b*", "@b*"),
    ]
    text = "id,text,rater {x},'mark'\n1,t,w,5\n1,t,v,4\n"
    columns = ("rater {x}=rater", "'mark'=rating")
    path = write("r.csv", text)
    (one,) = read_judgments([path], "table", ReadOptions(columns=columns)).candidates
    assert [(rating.worker, rating.value) for rating in one.ratings] == [("w", 5.0), ("v", 4.0)]


def test_a_fault_of_a_row_with_several_candidates_is_named_once(write: Write) -> None:
    with pytest.raises(FormatError) as caught:
        read_judgments([write("w.csv", "gold,answer a,answer b\nr,x,y\n,x,y\n")], "table")
    (problem,) = caught.value.problems
    assert (problem.line, problem.field, caught.value.total) == (3, "gold", 1)
