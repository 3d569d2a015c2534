"""KPQA's csv files: the columns, the halves, and headers that say the wrong thing."""

import pytest

from concord.formats import Limits, ReadOptions, detect_any, instance_key, read_judgments


def kpqa(*paths, limits=None, **options):
    return read_judgments(paths, "kpqa", ReadOptions(**options), limits or Limits())


TWO = """question,answer,reference1,reference2,scores
what,a,x,y,3
who,b,"z, too",,4.5
what,c,x,y,1
who,,"z, too",,5
"""


def test_rows_become_candidates_and_halves_systems(write):
    file = kpqa(write("k.csv", TWO), systems=("one", "two"), split="test", constituent="c")
    assert [(c.key, c.system, c.text, c.score) for c in file.candidates] == [
        ("1", "one", "a", 3.0),
        ("2", "one", "b", 4.5),
        ("3", "two", "c", 1.0),
        ("4", "two", "", 5.0),
    ]
    first, second, third, _ = [candidate.instance for candidate in file.candidates]
    assert first is third
    assert first.key == instance_key("", "what", ["x", "y"])
    assert (first.split, first.constituent) == ("test", "c")
    assert second.references == ("z, too",)
    assert file.scale == (1.0, 5.0)
    assert file.report.empty_candidates == 1


def test_references_takes_the_first_columns(write):
    file = kpqa(write("k.csv", TWO), references=1)
    assert [candidate.instance.references for candidate in file.candidates[:2]] == [
        ("x",),
        ("z, too",),
    ]


@pytest.mark.parametrize("count", [0, -1, 3])
def test_more_references_than_there_are_is_an_error(write, refusal, count):
    error = refusal(kpqa, write("k.csv", TWO), references=count)
    assert f"references: {count} requested; the file has 2" in str(error)


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (("a", "b", "c"), "4 rows cannot be divided into 3 equal parts"),
        (("a", "a"), "the names must differ and not be empty"),
        (("a", ""), "the names must differ and not be empty"),
    ],
)
def test_systems_must_divide_the_rows(write, refusal, systems, message):
    assert message in str(refusal(kpqa, write("k.csv", TWO), systems=systems))


def test_one_system_names_all_rows(write):
    file = kpqa(write("k.csv", TWO), systems=("only",))
    assert {candidate.system for candidate in file.candidates} == {"only"}


def test_ids_of_several_files_carry_the_file_name(write):
    file = kpqa(write("a.csv", TWO), write("b.csv", TWO))
    assert [candidate.key for candidate in file.candidates][3:5] == ["a/4", "b/1"]
    assert file.report.instances == 2


def test_semevals_scores_stand_under_the_last_reference(write, refusal):
    text = """Unnamed: 0,question,answer,reference1,reference2,Bleu1
0,what,a,x,0.2,0.66
1,who,b,7,1.0,0.1
"""
    path = write("k.csv", text)
    assert "choose the format kpqa-semeval" in str(refusal(kpqa, path))
    file = read_judgments([path], "kpqa-semeval")
    assert [(c.text, c.instance.references, c.score) for c in file.candidates] == [
        ("a", ("x",), 0.2),
        ("b", ("7",), 1.0),
    ]
    assert file.scale == (0.2, 1.0)


def test_a_reference_that_is_a_number_is_no_score_where_scores_are_named(write):
    # NarrativeQA's file: two references, scores from 0.2 to 1, an index and foreign metrics.
    text = """Unnamed: 0,question,answer,reference1,reference2,scores,Bleu1
0,when,a,1969,70,0.3,0.9
1,when,b,12,13,1.0,0.1
"""
    path = write("k.csv", text)
    file = kpqa(path)
    assert file.candidates[0].instance.references == ("1969", "70")
    assert [candidate.score for candidate in file.candidates] == [0.3, 1.0]
    assert file.report.ignored == ["Unnamed: 0", "Bleu1"]
    assert file.report.columns["reference2"] == "reference"
    assert file.report.notes == [
        "No score is above 1: they are ratings from 1 to 5 divided by 5.",
    ]


@pytest.mark.parametrize("missing", ["question", "answer", "reference1", "scores"])
def test_a_missing_column_is_named(write, refusal, missing):
    header = [name for name in ("question", "answer", "reference1", "scores") if name != missing]
    error = refusal(kpqa, write("k.csv", f"{','.join(header)}\n1,2,3\n"))
    assert f"has no {missing.replace('1', '*')}, which the recipe kpqa needs" in str(error)


def test_other_tables_are_not_taken_for_kpqas(write):
    path = write("k.csv", "question,answer,reference1,scores\nq,a,r,70\n")
    assert detect_any(path) == "table"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_are_recognised(write, separator):
    rows = [["question", "answer", "reference1", "scores"], ["a, b", "b", "c", "1"]]
    text = "\n".join(separator.join(row) for row in rows)
    assert kpqa(write("k.csv", text)).candidates[0].instance.question == "a, b"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("four", 'is "four"; a number is expected'),
        ("inf", 'is "inf"; a finite number is expected'),
        ("1e999", 'is "1e999", which is too large; a finite number is expected'),
        ("1_0", 'is "1_0"; a number is expected'),
    ],
)
def test_a_score_that_is_none_is_named_with_its_line(write, refusal, cell, message):
    path = write("k.csv", f'question,answer,reference1,scores\n"q\nq",a,r,3\nq,a,r,{cell}\n')
    assert str(refusal(kpqa, path)) == f"{path}:4: scores: {message}"


@pytest.mark.parametrize("score", ["5.5", "0.5"])
def test_a_score_outside_the_scale_is_named_with_its_line(write, refusal, score):
    path = write("k.csv", f"question,answer,reference1,scores\nq,a,r,3\nq,b,r,{score}\n")
    message = f"{path}:3: the score {score} is outside the scale from 1 to 5"
    assert str(refusal(kpqa, path)) == message


def test_a_blank_score_is_missing(write):
    report = kpqa(write("k.csv", "question,answer,reference1,scores\nq,a,r,\nq,b,r,3\n")).report
    assert (report.missing, report.without_judgment) == (1, 1)


def test_lines_are_those_of_the_file_where_cells_span_several(write, refusal):
    text = 'question,answer,reference1,scores\r\n\r\n"a\r\nb","c\nd",r,2\r\nq,a,r,x\r\n'
    problems = refusal(kpqa, write("k.csv", text)).problems
    assert [(p.line, p.field) for p in problems] == [(6, "scores")]


def test_a_row_of_another_length_is_named(write, refusal):
    path = write("k.csv", TWO + "q,a,r,s,1,2,3\n")
    assert str(refusal(kpqa, path)) == (
        f"{path}:6: has 7 columns, but the header has 5; put quotation marks around texts that "
        "contain the separator"
    )


def test_an_open_quotation_mark_is_named_with_the_row_it_opens_in(write, refusal):
    path = write("k.csv", TWO + 'q,"a,r,s,1\n' * 3)
    error = refusal(kpqa, path)
    assert "is not valid CSV" in str(error)
    path = write("k.csv", TWO + 'q,"a,r,s,1\nq,a,r,s,1\n')
    problem = refusal(kpqa, path).problems[0]
    assert problem.line == 6
    assert problem.message.endswith("; a quotation mark opened in this row is not closed")


def test_a_cell_over_the_limit_is_refused(write, refusal):
    path = write("k.csv", f"question,answer,reference1,scores\nq,{'a' * 30},r,3\n")
    error = refusal(kpqa, path, limits=Limits(max_field_chars=20))
    assert str(error) == f"{path}:2: answer: has 30 characters; at most 20 are allowed"


def test_two_columns_of_one_name_are_refused(write, refusal):
    path = write("k.csv", "question,answer,answer,reference1,scores\nq,a,b,r,3\n")
    assert "answer: two columns have this heading" in str(refusal(kpqa, path))


@pytest.mark.parametrize(
    ("name", "options", "rows", "instances", "references"),
    [
        ("marco_all", {"systems": ("UniLM", "MHPGM")}, 1000, 500, 1),
        ("avsd_all", {"systems": ("MTN", "AMF"), "references": 5}, 1000, 500, 5),
        ("marcomulti_unilm", {}, 100, 100, 1),
    ],
)
def test_the_published_files(real, name, options, rows, instances, references):
    file = kpqa(real(f"kpqa/{name}.csv"), **options)
    report = file.report
    assert (report.read, report.kept, report.instances) == (rows, rows, instances)
    assert {len(candidate.instance.references) for candidate in file.candidates} == {references}
    assert file.scale == (1.0, 5.0)
    assert report.notes == [] or name == "avsd_all"
    for system in options.get("systems", ()):
        assert sum(candidate.system == system for candidate in file.candidates) == 500
