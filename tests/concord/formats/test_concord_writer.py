"""What is written reads back equal: the form is lossless but for the workers' names."""

import hashlib
import io
import math
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.formats import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    MarksRecord,
    PairRecord,
    RatingRecord,
    SamplingRecord,
    Span,
    read_judgments,
    read_pairs,
    write_judgments,
    write_pairs,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NAME = TEXT.filter(bool)
VALUE = st.floats(-3, 9)


@st.composite
def instance_records(draw):
    records = draw(
        st.lists(
            st.builds(
                InstanceRecord,
                key=NAME,
                references=st.lists(TEXT, min_size=1, max_size=3).map(tuple),
                passage=TEXT,
                question=TEXT,
                constituent=TEXT,
                split=TEXT,
                category=TEXT,
                short_answer=TEXT,
            ),
            min_size=1,
            max_size=4,
            unique_by=lambda record: record.key,
        )
    )
    return st.sampled_from(records)


@st.composite
def sampling_records(draw):
    p = draw(st.lists(st.floats(0, 1, exclude_min=True), min_size=1, max_size=3))
    return SamplingRecord(draw(NAME), tuple(p), draw(st.sampled_from([None, len(p)])))


@st.composite
def candidate_records(draw):
    instances = draw(instance_records())
    candidates = []
    for key in draw(st.lists(NAME, min_size=1, max_size=6, unique=True)):
        workers = draw(st.lists(NAME, max_size=3, unique=True))
        ratings = tuple(
            RatingRecord(worker, draw(VALUE), draw(TEXT), draw(st.booleans())) for worker in workers
        )
        score = draw(VALUE) if ratings else draw(st.none() | VALUE)
        text = draw(TEXT)
        criteria = tuple(
            CriterionRecord(name, CRITERIA[name], draw(st.none() | VALUE))
            for name in draw(st.lists(st.sampled_from(list(CRITERIA)), unique=True))
        )
        marks = tuple(
            MarksRecord(worker, tuple(draw(st.lists(spans(len(text)), max_size=2))))
            for worker in workers
        )
        candidates.append(
            CandidateRecord(
                key,
                draw(instances),
                text,
                draw(TEXT),
                score,
                ratings,
                criteria,
                marks,
                draw(st.none() | sampling_records()),
            )
        )
    return candidates


@st.composite
def spans(draw, length):
    ends = None, None
    if length and draw(st.booleans()):
        start = draw(st.integers(0, length - 1))
        ends = start, draw(st.integers(start + 1, length))
    return Span(*ends, draw(st.sampled_from([None, "minor", "critical"])), draw(LABELS))


@st.composite
def pair_records(draw):
    instances = draw(instance_records())
    return [
        PairRecord(key, draw(instances), draw(TEXT), high, draw(TEXT), low, draw(TEXT))
        for key in draw(st.lists(NAME, min_size=1, max_size=5, unique=True))
        for low, high in [sorted(draw(st.lists(VALUE, min_size=2, max_size=2, unique=True)))]
    ]


CRITERIA = {"fluency": (-3.0, 9.0), "Größe": (-3.0, 10.0)}
LABELS = st.lists(TEXT, max_size=2).map(tuple)
SCALES = st.sampled_from([None, (-3.0, 9.0), (-1e50, 9.5)])


def through_a_file(write, read):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.jsonl")
        with path.open("w", encoding="utf-8", newline="\n") as file:
            write(file)
        return read(path)


def pseudonym(worker: str) -> str:
    return "w-" + hashlib.sha256(worker.encode()).hexdigest()[:12]


@given(candidate_records(), SCALES)
def test_written_judgments_read_back_equal_but_for_the_workers(candidates, scale):
    file = through_a_file(
        lambda file: write_judgments(file, candidates, scale, pseudonym),
        lambda path: read_judgments([path], "concord"),
    )
    renamed = [
        replace(
            candidate,
            ratings=tuple(replace(r, worker=pseudonym(r.worker)) for r in candidate.ratings),
            marks=tuple(replace(m, worker=pseudonym(m.worker)) for m in candidate.marks),
        )
        for candidate in candidates
    ]
    assert file.candidates == renamed
    assert file.scale == scale


@given(pair_records(), SCALES)
def test_written_pairs_read_back_equal(given_pairs, scale):
    file = through_a_file(
        lambda file: write_pairs(file, given_pairs, scale),
        lambda path: read_pairs([path], "concord"),
    )
    assert file.pairs == given_pairs
    assert file.scale == scale


def test_a_written_line_is_as_documented():
    file = io.StringIO()
    rating = RatingRecord("Ann", 4.0)
    candidate = CandidateRecord("m-1", InstanceRecord("i", ("é",)), "", "s", 4.25, (rating,))
    assert write_judgments(file, [candidate], (1.0, 5.0), lambda worker: "w-1") == 1
    assert file.getvalue() == (
        '{"id": "m-1", "instance": "i", "references": ["é"], "candidate": "", "system": "s", '
        '"scale": [1, 5], "score": 4.25, "ratings": [{"worker": "w-1", "value": 4}]}\n'
    )


def test_the_writer_refuses_what_it_could_not_read_back():
    candidate = CandidateRecord("a", InstanceRecord("i", ("r",)), "", score=math.nan)
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_judgments(io.StringIO(), [candidate], None, str)
