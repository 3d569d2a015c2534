"""MOCHA's documents: labelled, unlabelled and minimal pairs."""

import pytest

from concord.formats import (
    Limits,
    RatingRecord,
    ReadOptions,
    instance_key,
    read_judgments,
    read_pairs,
)

ENTRY = {
    "context": "Ten cats sat.",
    "question": "How many?",
    "reference": "ten",
    "candidate": "nine",
    "metadata": {"scores": [2, 4, 3], "source": "nabert"},
    "score": 3,
}
UNLABELLED = {**ENTRY, "metadata": {"source": "nabert"}}
del UNLABELLED["score"]
PAIR = {
    "context": "Ten cats sat.",
    "question": "How many?",
    "reference": "ten",
    "candidate1": "ten of them",
    "candidate2": "nine",
    "score1": 5.0,
    "score2": 1.0,
}


def mocha(*paths, **options):
    return read_judgments(paths, "mocha", ReadOptions(**options), Limits())


def pairs(path):
    return read_pairs([path], "mocha", ReadOptions(), Limits())


def test_an_entry_arrives_whole(write):
    path = write("train.json", {"drop": {"1": ENTRY}})
    file = mocha(path)
    (candidate,) = file.candidates
    assert (candidate.key, candidate.text, candidate.system) == ("drop/1", "nine", "nabert")
    assert candidate.score == 3.0
    assert candidate.ratings == tuple(
        RatingRecord(f"r{k}", value) for k, value in ((1, 2.0), (2, 4.0), (3, 3.0))
    )
    instance = candidate.instance
    assert instance.key == instance_key("Ten cats sat.", "How many?", ["ten"])
    assert (instance.constituent, instance.split) == ("drop", "train")
    assert file.scale == (1.0, 5.0)
    assert file.report.notes == [
        "The files do not name workers: r1 is the first rating of each candidate, not one person."
    ]


def test_several_files_are_one_set_with_the_splits_of_their_names(write):
    names = ["mocha-train.json", "Validation.json", "test_no_labels.json", "latest.json"]
    files = [write(name, {"drop": {name[0]: ENTRY}}) for name in names]
    file = mocha(*files)
    assert [c.instance.split for c in file.candidates] == ["train", "dev", "test", ""]
    assert len({c.instance.key for c in file.candidates}) == 4
    assert "Passages in more than one split: 1." in file.report.notes
    assert (
        f"{files[3]}: the file name does not contain the split; it is left empty."
        in file.report.notes
    )


def test_an_option_gives_the_split(write):
    file = mocha(write("train.json", {"drop": {"1": ENTRY}}), split="probe")
    assert file.candidates[0].instance.split == "probe"


def test_an_unlabelled_entry_is_kept_without_judgment(write):
    file = mocha(write("test_no_labels.json", {"drop": {"1": UNLABELLED}}))
    assert file.candidates[0].score is None
    assert file.report.without_judgment == 1
    assert file.report.notes == []


def test_ratings_without_a_score_give_their_mean(write):
    entry = {key: value for key, value in ENTRY.items() if key != "score"}
    assert mocha(write("dev.json", {"drop": {"1": entry}})).candidates[0].score == 3.0


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"score": "3"}, "score", 'is "3"; a number is expected'),
        ({"score": 5.5}, "score", "5.5 is outside the scale from 1 to 5"),
        ({"score": False}, "score", "is true or false; a number is expected"),
        ({"context": None}, "context", "is null; a string is expected"),
        ({"candidate": 3}, "candidate", "is a number; a string is expected"),
        ({"metadata": []}, "metadata", "is a list; an object is expected"),
        ({"metadata": {"scores": {}}}, "metadata.scores", "is an object; a list of numbers"),
        ({"metadata": {"scores": [1, 0]}}, "metadata.scores[1]", "0 is outside the scale"),
        ({"metadata": {"scores": [None]}}, "metadata.scores[0]", "is null; a number is expected"),
        ({"metadata": {"scores": [1] * 1001}}, "metadata.scores", "1,001 ratings; at most"),
        ({"metadata": {"source": 1}}, "metadata.source", "is a number; a string is expected"),
    ],
)
def test_a_fault_is_named_with_its_path(write, refusal, change, field, message):
    if change.get("metadata") == {"scores": {}}:
        change = {"metadata": {"scores": {"a": 1}}}
    path = write("dev.json", {"drop": {"0": ENTRY, "0048": {**ENTRY, **change}}})
    error = refusal(mocha, path)
    assert str(error).startswith(f"{path}: drop.0048.{field}: {message}")
    assert error.total == 1


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"drop": []}, "drop: is a list; an object of entries by id is expected"),
        ({"drop": {"1": 5}}, "drop.1: is a number; an object is expected"),
        ({"drop": {"1": {}}}, "drop.1.context: is missing"),
        ({"drop": {"\ud800": ENTRY}}, "half of a surrogate pair"),
        ({"drop": {"x" * 600: ENTRY}}, "the id has 605 characters"),
    ],
)
def test_a_document_of_another_shape_is_refused(write, refusal, document, message):
    assert message in str(refusal(mocha, write("dev.json", document)))


def test_an_id_in_two_files_is_an_error(write, refusal):
    first = write("dev.json", {"drop": {"1": ENTRY}})
    second = write("test.json", {"drop": {"1": ENTRY}})
    error = refusal(mocha, first, second)
    assert str(error) == f'{second}: drop.1: the id "drop/1" is already used in {first}'


def test_a_syntax_error_has_its_line(write, refusal):
    path = write("dev.json", '{"drop": {\n"1": {"context": "c",}\n}}')
    assert str(refusal(mocha, path)).startswith(f"{path}:2: is not valid JSON")


def test_fields_that_are_not_read_are_named(write):
    path = write("dev.json", {"drop": {"1": {**ENTRY, "hint": 1}}})
    assert mocha(path).report.ignored == ["*.*.hint"]


def test_a_minimal_pair_arrives_whole(write):
    file = pairs(write("minimal_pairs.json", {"drop": {"1": PAIR}}))
    (pair,) = file.pairs
    assert (pair.key, pair.candidate1, pair.candidate2) == ("drop/1", "ten of them", "nine")
    assert (pair.score1, pair.score2, pair.phenomenon) == (5.0, 1.0, "")
    assert pair.instance.constituent == "drop"
    assert file.scale == (1.0, 5.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score1": 1}, "drop.1.score1: 1 is not above score2 (1)"),
        ({"score1": 7}, "drop.1.score1: 7 is outside the scale from 1 to 5"),
        ({"score2": None}, "drop.1.score2: is null; a number is expected"),
        ({"candidate2": None}, "drop.1.candidate2: is null; a string is expected"),
    ],
)
def test_a_faulty_pair_is_named(write, refusal, change, message):
    error = refusal(pairs, write("minimal_pairs.json", {"drop": {"1": {**PAIR, **change}}}))
    assert message in str(error)


def test_the_published_sample(real):
    names = ["train.json", "dev.json", "test_no_labels.json"]
    file = mocha(*[real(f"mocha_sample/{name}") for name in names])
    result = [(c.instance.split, c.score, len(c.ratings), c.system) for c in file.candidates]
    assert result == [
        ("train", 1.0, 1, "gpt2"),
        ("dev", 1.0, 3, "gpt2"),
        ("test", None, 0, "backtranslation"),
    ]
    (pair,) = pairs(real("mocha_sample/minimal_pairs.json")).pairs
    assert (pair.score1, pair.score2) == (5.0, 2.0)
