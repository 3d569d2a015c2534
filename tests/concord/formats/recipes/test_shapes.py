"""Any frame of ratings, written in the shape of a recipe, is read back equal."""

from __future__ import annotations

import csv
import io
import json
import re
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
    return [header, labels, ['{"ImportId":"QID1"}'] * len(header), *rows]


def google_forms(frame: Frame) -> list[Row]:
    header, _, _, *rows = qualtrics(frame)
    return [
        ["Timestamp", "Email Address", *header[4:]],
        *([row[0], row[3], *row[4:]] for row in rows),
    ]


def label_studio(frame: Frame) -> list[Row]:
    keys = sorted({(at, rater) for at, _, rater in frame})
    rows = [[at, *texts_of(at), f"r{rater}", 10 * at + rater, 1.5,
             *(json.dumps([{"number": frame[at, name, rater]}]) if (at, name, rater) in frame
               else "" for name in CRITERIA)]
            for at, rater in keys]  # fmt: skip
    header = ["id", "question", "answer", "model", "annotator", "annotation_id", "lead_time"]
    return [[*header, *CRITERIA], *rows]


WRITERS: dict[str, tuple[Callable[[Frame], list[Row]], tuple[str, ...]]] = {
    "ratings-long": (long, CRITERIA),
    "ratings-wide": (wide, CRITERIA),
    "label-studio-min": (label_studio, CRITERIA),
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
@settings(suppress_health_check=list(HealthCheck))
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


def by_candidate(frame: Frame) -> dict[int, list[tuple[str, str, float]]]:
    """(criterion, rater, value) by the number of the candidate."""
    found: dict[int, list[tuple[str, str, float]]] = {}
    for (at, name, rater), value in frame.items():
        found.setdefault(at, []).append((name, f"r{rater}", value))
    return found


def argilla(frame: Frame) -> object:
    return [
        {"id": f"c{at}", "fields": {"prompt": "Q?", "response": f"A{at}"}, "suggestions": {},
         "vectors": {}, "responses": {
             name: [{"value": value, "user_id": who} for one, who, value in own if one == name]
             for name in dict.fromkeys(one for one, *_ in own)}}
        for at, own in by_candidate(frame).items()
    ]  # fmt: skip


def mlflow(frame: Frame) -> object:
    return [
        {"info": {"trace_id": f"t{at}", "response_preview": f"A{at}", "assessments": [
            {"assessment_name": name, "source": {"source_type": "HUMAN", "source_id": who},
             "feedback": {"value": value}} for name, who, value in own]}}
        for at, own in by_candidate(frame).items()
    ]  # fmt: skip


def inspect_ai(frame: Frame) -> object:
    samples = [
        {"id": at, "epoch": 1, "input": "Q?", "target": "T", "output": {"completion": f"A{at}"},
         "scores": {name: {"value": None, "history": [
             {"value": value, "provenance": {"author": who}} for one, who, value in own
             if one == name]} for name in dict.fromkeys(one for one, *_ in own)}}
        for at, own in by_candidate(frame).items()
    ]  # fmt: skip
    return {"version": 2, "eval": {}, "plan": {}, "samples": samples}


def pearmut(frame: Frame) -> object:
    return [
        {"user_id": f"r{rater}", "item_i": 0, "actions": [], "annotation": [
            {"s": {"score": frame.get((at, "", rater)), "error_spans": []}} for at in range(1, 5)],
         "item": [{"src": "Q?", "tgt": {"s": f"A{at}"}} for at in range(1, 5)]}
        for rater in sorted({rater for *_, rater in frame})
    ]  # fmt: skip


def argilla_table(frame: Frame) -> object:
    return [
        {"id": f"c{at}", "status": "completed", "_server_id": "s", "response": f"A{at}"}
        | {f"{name}.responses{end}": [part[where] for part in own if part[0] == name]
           for name in dict.fromkeys(one for one, *_ in own)
           for end, where in ((".users", 1), ("", 2))}
        | {f"{name}.responses.status": ["submitted"] * 9 for name, *_ in own}
        for at, own in by_candidate(frame).items()
    ]  # fmt: skip


def label_studio_tasks(frame: Frame) -> object:
    return [
        {"id": at, "data": {"answer": f"A{at}"}, "annotations": [
            {"completed_by": {"id": at, "email": who}, "result": [
                {"from_name": name, "to_name": "answer", "type": "number",
                 "value": {"number": value}}]} for name, who, value in own]}
        for at, own in by_candidate(frame).items()
    ]  # fmt: skip


def each(member: str, write: Callable[[int, str, str, float], object]) -> Callable[[Frame], object]:
    """A writer of one record for each rating, in a member of an object; "" for a list."""

    def document(frame: Frame) -> object:
        rows = [write(at, name, f"r{rater}", value) for (at, name, rater), value in frame.items()]
        return {member: rows} if member else rows

    return document


DOCUMENTS: dict[str, tuple[Callable[[Frame], object], tuple[str, ...]]] = {
    "argilla": (argilla, CRITERIA),
    "mlflow": (mlflow, CRITERIA),
    "inspect-ai": (inspect_ai, CRITERIA),
    "pearmut": (pearmut, ("",)),
    "argilla-table": (argilla_table, CRITERIA),
    "label-studio-tasks": (label_studio_tasks, CRITERIA),
    "prodigy": (
        each("", lambda at, _, who, value: {
            "text": f"A{at}", "_input_hash": at, "_task_hash": at, "answer": "accept",
            "accept": [value], "_session_id": f"all-{who}", "_annotator_id": who}),
        ("",),
    ),
    "langfuse": (
        each("data", lambda at, name, who, value: {
            "traceId": f"t{at}", "observationId": None, "name": name, "source": "ANNOTATION",
            "dataType": "NUMERIC", "value": value, "stringValue": None, "authorUserId": who}),
        CRITERIA,
    ),
    "langsmith": (
        each("", lambda at, name, who, value: {
            "run_id": f"t{at}", "key": name, "score": value, "value": None, "correction": None,
            "feedback_source": {"type": "app", "user_id": who}}),
        CRITERIA,
    ),
    "phoenix": (
        each("data", lambda at, name, who, value: {
            "span_id": f"t{at}", "name": name, "annotator_kind": "HUMAN", "identifier": "",
            "result": {"label": "any", "score": value}, "user_id": who}),
        CRITERIA,
    ),
    "prolific": (
        each("results", lambda at, name, who, value: {
            "batch_id": "b", "participant_id": who, "task_id": f"t{at}",
            "response": {"instruction_id": name, "answer": [{"value": str(value)}]}}),
        CRITERIA,
    ),
}  # fmt: skip


def _appraise(frame: Frame) -> str:
    rows = [f"r{rater},one,{at},TGT,eng,deu,{value},doc,False" for (at, _, rater), value in
            frame.items()]  # fmt: skip
    return "\n".join(rows)


@pytest.mark.parametrize("name", [*DOCUMENTS, "appraise"])
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_ratings_of_records_are_read_back_equal(name: str, data: st.DataObject) -> None:
    write, criteria = DOCUMENTS.get(name, (_appraise, ("",)))
    values = st.sampled_from([1.0, 2.0, 3.5, 5.0])
    keys = st.tuples(st.integers(1, 4), st.sampled_from(criteria), st.integers(1, 4))
    frame = data.draw(st.dictionaries(keys, values, min_size=1))
    written = write(frame)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.json")
        path.write_text(written if isinstance(written, str) else json.dumps(written))
        file = read_judgments([path], name)
    read = {
        (int(re.findall(r"\d+", candidate.text or candidate.key)[0]), criterion, rater.worker):
            rater.value
        for candidate in file.candidates
        for criterion, ratings in candidate.ratings_by_criterion
        for rater in ratings
    }  # fmt: skip
    assert read == {(at, one, f"r{rater}"): value for (at, one, rater), value in frame.items()}
