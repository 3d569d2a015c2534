"""Any frame of ratings, written in the shape of a tabular recipe, is read back equal."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concord.formats import read_judgments

CRITERIA = ("fluency", "truth")
HANNA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
DICES = (
    "Q_overall", "Q2_harmful_content_overall", "Q3_bias_overall", "Q4_misinformation",
    "Q5_political_affiliation", "Q6_policy_guidelines_overall",
)  # fmt: skip
# A rating by (number of the candidate, criterion, number of the rater).
Frame = Mapping[tuple[int, str, int], float]
Row = list[object]


def texts_of(number: int) -> tuple[str, str, str]:
    """Question, answer and system of a candidate, with what tables quote."""
    return f'Q{number}, "why"?', f"A{number};\nso, it is", f"s{number % 2}"


def long(frame: Frame) -> list[Row]:
    rows = [[*texts_of(at), f"r{rater}", name, value]
            for (at, name, rater), value in frame.items()]  # fmt: skip
    return [["question", "answer", "model", "worker", "criterion", "rating"], *rows]


def wide(frame: Frame) -> list[Row]:
    columns = sorted({(name, rater) for _, name, rater in frame})
    header = ["question", "answer", "model", *(f"rater_{rater}_{name}" for name, rater in columns)]
    rows = [[*texts_of(at), *(frame.get((at, *column), "") for column in columns)]
            for at in sorted({at for at, *_ in frame})]  # fmt: skip
    return [header, *rows]


def assignments(
    names: tuple[str, ...], header: list[str], head: Callable[[int, int], Row]
) -> Callable[[Frame], list[Row]]:
    """A writer of one row for each candidate and rater, one column for each criterion."""

    def write(frame: Frame) -> list[Row]:
        keys = sorted({(at, rater) for at, _, rater in frame})
        rows = [[*head(at, rater), *(frame.get((at, name, rater), "") for name in names)]
                for at, rater in keys]  # fmt: skip
        return [[*header, *names], *rows]

    return write


def qualtrics(frame: Frame) -> list[Row]:
    items = sorted({at for at, *_ in frame})
    header = ["StartDate", "EndDate", "Status", "ResponseId", *(f"Q{at}" for at in items)]
    raters = sorted({rater for *_, rater in frame})
    rows = [["d", "d", "IP Address", f"r{rater}", *(frame.get((at, "", rater), "") for at in items)]
            for rater in raters]  # fmt: skip
    labels = ["", "", "", "", *(texts_of(at)[1] for at in items)]
    return [header, labels, ["{}"] * len(header), *rows]


def google_forms(frame: Frame) -> list[Row]:
    header, _, _, *rows = qualtrics(frame)
    return [
        ["Timestamp", "Email Address", *header[4:]],
        *([row[0], row[3], *row[4:]] for row in rows),
    ]


WRITERS: dict[str, tuple[Callable[[Frame], list[Row]], tuple[str, ...]]] = {
    "ratings-long": (long, CRITERIA),
    "ratings-wide": (wide, CRITERIA),
    "qualtrics": (qualtrics, ("",)),
    "google-forms": (google_forms, ("",)),
    "mturk": (
        assignments(
            tuple(f"Answer.{name}" for name in CRITERIA),
            ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.question",
             "Input.answer", "Input.model"],
            lambda at, rater: [f"h{at}", f"a{at}-{rater}", f"r{rater}", "Approved", *texts_of(at)],
        ),
        tuple(f"Answer.{name}" for name in CRITERIA),
    ),
    "hanna": (
        assignments(
            HANNA,
            ["Story ID", "Prompt", "Human", "Story", "Model", "Worker ID"],
            lambda at, rater: [at, texts_of(at)[0], "ref", *texts_of(at)[1:], f"r{rater}"],
        ),
        HANNA,
    ),
    "dices": (
        assignments(
            DICES,
            ["item_id", "rater_id", "context", "response", "degree_of_harm"],
            lambda at, rater: [at, f"r{rater}", *texts_of(at)[:2], "Benign"],
        ),
        DICES,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
@settings(
    max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck),
    derandomize=True,
)  # fmt: skip
@given(data=st.data(), separator=st.sampled_from([",", ";", "\t"]))
def test_a_frame_of_ratings_is_read_back_equal(
    name: str, data: st.DataObject, separator: str
) -> None:
    write, criteria = WRITERS[name]
    values = st.sampled_from([0.0, 0.5, 1.0] if name == "dices" else [1.0, 2.0, 3.5, 5.0])
    keys = st.tuples(st.integers(1, 4), st.sampled_from(criteria), st.integers(1, 4))
    frame = data.draw(st.dictionaries(keys, values, min_size=1))
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator).writerows(write(frame))
    # A mark in a text may outnumber the separator in the first line; Excel's line names it.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_text(f"sep={separator}\n{stream.getvalue()}", newline="")
        file = read_judgments([path], name)
    read = {
        (texts, criterion.removeprefix("Answer."), rater.worker): rater.value
        for candidate in file.candidates
        for texts in [(candidate.instance.question, candidate.text)]
        for criterion, ratings in candidate.ratings_by_criterion
        for rater in ratings
    }
    assert read == {
        (_texts(name, at), criterion.removeprefix("Answer."), _rater(name, rater)): value
        for (at, criterion, rater), value in frame.items()
    }


def _texts(name: str, at: int) -> tuple[str, str]:
    question, answer, _ = texts_of(at)
    if name in ("qualtrics", "google-forms"):
        return "", answer if name == "qualtrics" else f"Q{at}"
    return "" if name == "dices" else question, answer


def _rater(name: str, rater: int) -> str:
    return f"rater_{rater}" if name == "ratings-wide" else f"r{rater}"
