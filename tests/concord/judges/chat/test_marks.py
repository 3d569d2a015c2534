"""A model that marks errors, and what its marks are worth."""

from __future__ import annotations

import json

import pytest

from concord.cli import main
from concord.formats.scores import read_scores
from concord.judges.chat.marks import read_marks
from tests.concord.judges.chat.chat_server import ChatServer

CANDIDATE = "It was built in 1912 in Paris, in 1912."


def error(span, severity="major", **more):
    return {"span": span, "severity": severity, **more}


@pytest.mark.parametrize(
    ("errors", "score", "places"),
    [
        ([], 0.0, []),
        ([error("Paris")], -5.0, [(24, 29)]),
        ([error("in 1912"), error("in 1912", "Minor ")], -6.0, [(13, 20), (31, 38)]),
        ([error("Paris", "critical", category="wrong place")], -10.0, [(24, 29)]),
        ([error(".", "minor", category="punctuation")], -0.1, [(38, 39)]),
    ],
)
def test_errors_cost_what_mqm_says(errors, score, places):
    verdict, spans = read_marks(f"Errors: {json.dumps(errors)}", CANDIDATE)
    assert (verdict.score, verdict.reason) == (pytest.approx(score), "")
    assert [(span.start, span.end) for span in spans] == places


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("There is no error.", "no list of errors"),
        ('[{"span": "Paris", "severity": "maj', "no list of errors"),
        ("[1]", "no list of errors"),
        ("[" * 5000 + "]", "no list of errors"),
        (json.dumps([error("Rome")]), "the answer does not hold the span 'Rome'"),
        (json.dumps([error("Paris"), error("Paris")]), "does not hold the span 'Paris'"),
        (json.dumps([error("Paris", "bad")]), "the severity 'bad' of an error is unknown"),
        (json.dumps([{"span": "Paris"}]), "the severity None of an error is unknown"),
        (json.dumps([error("")]), "an error without a span"),
    ],
)
def test_an_invalid_list_has_no_score_and_no_spans(text, reason):
    verdict, spans = read_marks(text, CANDIDATE)
    assert verdict.score is None and spans == [] and reason in verdict.reason


def test_the_command_marks_and_scores(tmp_path):
    server = ChatServer()
    server.logprobs = False
    server.label = lambda prompt: json.dumps([error("bad")] if "bad" in prompt else [])
    path, out = tmp_path / "answers.jsonl", tmp_path / "out.jsonl"
    rows = [{"id": k, "references": ["r"], "candidate": text}
            for k, text in (("a", "a bad one"), ("b", "a good one"))]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["judge", str(path), "--endpoint", server.url, "--model", "m", "--template", "mqm",
               "--out", str(out), "--yes"]  # fmt: skip
    assert main(command) == 0
    assert read_scores(out)["judge-m"].to_dict() == {"a": -5.0, "b": 0.0}
    stored = {row["id"]: row["spans"] for row in map(json.loads, out.read_text().splitlines())}
    assert stored == {"a": [[2, 5, "major"]], "b": []}
    assert server.requests[0]["max_tokens"] == 512
    assert '[{"span": "in 1912"' in server.requests[0]["messages"][0]["content"]
    server.close()
