"""Files of people's own: spans, rankings and ratings, by names in several languages."""

import json

import pytest

from concord.formats import TABLE, FormatError, FormatRecipe, Span, detect_any
from concord.formats.inspection import read_any
from concord.formats.recipes import recipe_of_toml

TEXT = "The tea is warm today."
ANN = {"output": TEXT, "rater": "ann", "errors": [{"begin": 4, "end": 7, "type": "x"}]}
MARKED = {"start": 0, "end": 1}
SPANS = {
    "a row a rater": [ANN, ANN | {"rater": "ben", "errors": []}],
    "raters in the spans": [
        {"id": "1", "text": TEXT,
         "annotations": [{"annotator": "ann", "start": 4, "stop": 7, "label": "x"},
                         {"annotator": "ben", "start": 0, "stop": 3, "label": "y"}]},
    ],
    "lists of raters": [
        {"item": 1, "model": "m", "generated_text": TEXT, "annotations": [
            {"annotator": "ann", "spans": [{"start_char": 4, "end_char": 7, "tag": "x"}]},
            {"annotator": "ben", "spans": []},
        ]},
    ],
    "raters as names": {"data": [
        {"id": "a", "texte": TEXT,
         "fautes": {"ann": [{"debut": 4, "fin": 7, "categorie": "x"}], "ben": []}},
        {"id": "b", "texte": "Il pleut.",
         "fautes": {"ann": [], "ben": [{"debut": 0, "fin": 2, "categorie": "y"}]}},
    ]},
    "beside words": [
        {"sentence": TEXT, "bewerter": "ann",
         "tokens": [{"text": "The", "start": 0, "end": 3}],
         "fehler": [{"anfang": 4, "ende": 7, "fehlertyp": "x", "schwere": "Minor"}]},
    ],
    "with the last character": [
        {"id": 7, "testo": TEXT, "annotatore": "ann",
         "errori": [{"inizio": 4, "fine": 6, "tipo": "x", "span": "tea"}]},
    ],
    "a text longer than others": [
        {"src": "kurz", "mt": TEXT, "annotator": "ann",
         "marks": [{"from": 4, "to": 7, "severity": "major"},
                   {"from": 16, "to": 21, "severity": "minor"}]},
    ],
}  # fmt: skip


def written(tmp_path, rows, name="f.json"):
    path = tmp_path / name
    lines = [rows] if name.endswith(".json") else rows
    path.write_text("\n".join(json.dumps(one) for one in lines))
    return path


@pytest.mark.parametrize("name", SPANS)
def test_spans_are_read_whatever_their_names(tmp_path, name):
    file = read_any([written(tmp_path, SPANS[name])])
    candidate = file.candidates[0]
    assert candidate.text == TEXT
    spans = {one.worker: one.spans for one in candidate.marks}
    span = spans["ann"][0]
    assert candidate.text[span.start : span.end] == "tea"
    if name in ("a row a rater", "lists of raters", "raters as names"):
        assert spans["ben"] == ()  # looked at it, and marked nothing
    if name == "beside words":
        assert span == Span(4, 7, "minor", ("x",))


def test_spans_whose_ends_have_several_names_are_refused_with_their_place(tmp_path):
    spans = [{"start": 0, "end": 3, "label": "x", "text": "The"},
             {"begin": 4, "end": 7, "label": "x", "text": "tea"}]  # fmt: skip
    path = written(tmp_path, [{"text": TEXT, "annotator": "ann", "spans": spans}])
    with pytest.raises(FormatError, match=r"\[0\]\.spans\[1\]"):
        read_any([path])


def test_a_score_beside_spans_is_a_rating(tmp_path):
    row = {"id": "x", "hypothesis": "All is well.", "annotator_id": 7, "score": 80}
    row["spans"] = [MARKED | {"label": "a"}]
    (candidate,) = read_any([written(tmp_path, [row], "f.jsonl")]).candidates
    assert [(one.worker, one.value) for one in candidate.ratings] == [("7", 80)]


QUESTION = {"question": "Why?", "annotator": "k"}
RANKINGS = {
    "names": QUESTION | {"ranking": ["B", "A", "C"]},
    "places": {"prompt": "Why?", "worker_id": "k", "ranks": {"A": 2, "B": 1, "C": 3}},
    "objects": {"frage": "Why?", "bewerter": "k", "antworten": [
        {"modell": "A", "antwort": "So.", "rang": 2}, {"modell": "B", "antwort": "No.", "rang": 1},
        {"modell": "C", "antwort": "Oh.", "rang": 3}]},
    "names of texts": QUESTION | {"responses": {"A": "So.", "B": "No.", "C": "Oh."},
                                  "ranked": ["B", "A", "C"]},
    "nested": {"pregunta": "Why?", "votos": [{"anotador": "k", "orden": ["B", "A", "C"]}]},
}  # fmt: skip


@pytest.mark.parametrize("name", RANKINGS)
def test_rankings_are_choices_between_each_two(tmp_path, name):
    file = read_any([written(tmp_path, [RANKINGS[name]])])
    chosen = {
        (pair.systems[one.choice - 1], pair.systems[2 - one.choice])
        for pair in file.pairs
        for one in pair.choices
        if one.worker == "k"
    }
    assert chosen == {("B", "A"), ("B", "C"), ("A", "C")}
    assert {pair.instance.question for pair in file.pairs} == {"Why?"}
    texts = {}
    for pair in file.pairs:
        texts |= zip(pair.systems, (pair.candidate1, pair.candidate2), strict=True)
    has_texts = name in ("objects", "names of texts")
    assert texts == (
        {"A": "So.", "B": "No.", "C": "Oh."} if has_texts else dict.fromkeys("ABC", "")
    )


def test_long_items_of_a_ranking_are_the_answers(tmp_path):
    answers = [f"{word} " * 30 for word in ("warm", "cold")]
    (pair,) = read_any([written(tmp_path, [QUESTION | {"ranking": answers}])]).pairs
    assert (pair.candidate1, pair.candidate2, pair.systems) == (*answers, ("", ""))


ANSWER = {"question": "Why?", "answer": "So."}


@pytest.mark.parametrize(
    "row",
    [
        ANSWER | {"score": 4, "ranking": ["b", "a"]},
        ANSWER | {"contexts": [{"text": "a", "rank": 1}, {"text": "b", "rank": 2}]},
        ANSWER | {"words": [MARKED], "lines": [MARKED]},
    ],
)
def test_what_is_neither_is_a_table(tmp_path, row):
    assert detect_any(written(tmp_path, [row])) == TABLE


def test_lists_that_nobody_knows_are_named(tmp_path):
    row = ANSWER | {"opinions": [{"who": "a", "how": "fine"}]}
    notes = read_any([written(tmp_path, [row])]).report.notes
    (note,) = (one for one in notes if one.startswith("No judgments were read."))
    assert '"opinions"' in note


def test_the_recipe_of_a_file_is_toml(tmp_path):
    recipe = detect_any(written(tmp_path, SPANS["raters as names"]))
    assert isinstance(recipe, FormatRecipe)
    assert recipe_of_toml(recipe.toml.encode()).fields["candidate"].names == ("texte",)


RATED = ANSWER | {"model": "m"}
RATINGS = {
    "lists of objects": {"frage": "Why?", "antworten": [
        {"modell": "m", "text": "So.", "ratings": [{"annotator": "x", "score": 4},
                                                   {"annotator": "y", "score": 5}]}]},
    "of a criterion": RATED | {"judgments": [{"rater": "x", "aspect": "truth", "rating": 4},
                                             {"rater": "y", "aspect": "truth", "rating": 5}]},
}  # fmt: skip


@pytest.mark.parametrize("name", RATINGS)
def test_ratings_in_lists_are_of_their_raters(tmp_path, name):
    (candidate,) = read_any([written(tmp_path, [RATINGS[name]])]).candidates
    ratings = candidate.ratings or candidate.criteria[0].ratings
    assert [(one.worker, one.value) for one in ratings] == [("x", 4), ("y", 5)]
    assert (candidate.text, candidate.system, candidate.instance.question) == ("So.", "m", "Why?")


def test_scores_by_names_are_of_criteria_where_the_rater_is_named(tmp_path):
    rows = [RATED | {"annotator": who, "scores": {"truth": 1, "style": 4}} for who in ("x", "y")]
    (candidate,) = read_any([written(tmp_path, rows)]).candidates
    assert [(one.name, len(one.ratings)) for one in candidate.criteria] == [
        ("truth", 2),
        ("style", 2),
    ]


PLACES = "question,rater,rank_1,rank_2\nq,k,B,A\n"
SYSTEMS = "question,annotator,rank_A,rank_B\nq,k,2,1\n"


@pytest.mark.parametrize("text", [PLACES, SYSTEMS])
def test_ranks_in_columns_need_no_texts(tmp_path, text):
    path = tmp_path / "ranks.csv"
    path.write_text(text)
    (pair,) = read_any([path]).pairs
    assert pair.systems[pair.choices[0].choice - 1] == "B"


def test_columns_of_numbered_raters_are_ratings(tmp_path):
    path = tmp_path / "wide.tsv"
    path.write_text("pregunta\trespuesta\tevaluador 1\tevaluador 2\nWhy?\tSo.\t5\t4\n")
    (candidate,) = read_any([path]).candidates
    assert [one.value for one in candidate.ratings] == [5, 4]


def test_spans_in_rows_of_a_table_are_named(tmp_path):
    path = tmp_path / "spans.csv"
    path.write_text("id,output,annotator,start,end,type\n1,The tea.,k,4,7,noun\n")
    assert any("look like spans" in one for one in read_any([path]).report.notes)
