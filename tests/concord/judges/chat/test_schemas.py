"""Answers by JSON schema, and by text where the server refuses it."""

from __future__ import annotations

import json
from functools import partial

import pytest

from concord.cli import main
from concord.judges.chat import (
    ChatClient,
    ChatError,
    FileBudget,
    HttpTransport,
    JudgeRun,
    ModelChangedError,
    Template,
    read_verdict,
)
from concord.judges.chat.schemas import answer_schema
from concord.judges.chat.store import AnswerStore
from tests.concord.judges.chat.chat_server import ChatServer
from tests.concord.judges.chat.test_judging import candidates


@pytest.fixture
def server():
    server = ChatServer()
    yield server
    server.close()


def make_run(server, path, template="rating", *, schema=True):
    template = Template.load(template)
    client = ChatClient(
        HttpTransport(server.url),
        "made-up",
        schema=answer_schema(template, 1, 5) if schema else None,
    )
    return JudgeRun("judge", client, template, (1, 5), FileBudget(), AnswerStore(path))


@pytest.mark.parametrize("template", ["rating", "reasoned", "mqm"])
def test_a_server_that_can_answers_by_schema(server, tmp_path, template):
    run, items = make_run(server, tmp_path / "out.jsonl", template), candidates(6)
    run.ask_all(items)
    assert all("response_format" in body for body in server.requests)
    plain = make_run(server, tmp_path / "plain.jsonl", schema=False)
    plain.ask_all(items)
    if template != "mqm":  # whose score of no error is 0
        assert run.verdicts(items) == plain.verdicts(items)
    assert None not in run.verdicts(items).values()
    assert run.signature.endswith("|answers:json-schema")
    assert "answers" not in plain.signature


def test_a_server_that_refuses_is_asked_for_text(server, tmp_path):
    server.takes_schema = False
    run, items = make_run(server, tmp_path / "out.jsonl"), candidates(6)
    run.ask_all(items)
    assert sum("response_format" in body for body in server.requests) == 1
    assert len(server.requests) == 7 and len(run.verdicts(items)) == 6
    assert run.signature.endswith("|answers:text")
    # Another process resumes it: nothing is asked again.
    again = make_run(server, tmp_path / "out.jsonl")
    again.ask_all(items)
    assert len(server.requests) == 7 and again.signature == run.signature
    assert again.quote(items).requests == 0


def test_both_forms_do_not_mix(server, tmp_path):
    server.takes_schema = False
    make_run(server, tmp_path / "out.jsonl").ask_all(candidates(3))
    server.takes_schema = True
    with pytest.raises(ModelChangedError, match="by JSON schema, and did not before"):
        make_run(server, tmp_path / "out.jsonl").ask_all(candidates(5))


def test_a_refusal_of_a_later_request_is_final(server, tmp_path):
    run = make_run(server, tmp_path / "out.jsonl")
    run.ask_all(candidates(1))
    server.faults = [400]
    with pytest.raises(ChatError, match="answered 400"):
        run.ask_all(candidates(3))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"score": 4}', 4),
        (' {"explanation": "ok", "score": 2} ', 2),
        ('{"score": 9}', 9),
        ('{"score": 4.0}', None),
        ('{"score": true}', None),
        ('{"score": "4"}', None),
        ("[4]", None),
        ("4", None),
        ('{"score": 4', None),
        ("[" * 20_000, None),
    ],
)
def test_an_answer_by_schema_is_an_object_with_a_score(text, label):
    verdict = read_verdict(text, None, 1, 5, by_schema=True)
    assert verdict.label == label
    assert verdict.score == (label if label != 9 else None)


def test_the_schema_holds_the_scale_and_all_fields_are_required():
    load = partial(answer_schema, low=1, high=3)
    assert load(Template.load("rating"))["properties"] == {
        "score": {"type": "integer", "enum": [1, 2, 3]}
    }
    assert load(Template.load("reasoned"))["required"] == ["explanation", "score"]
    error = load(Template.load("mqm"))["properties"]["errors"]["items"]
    assert {"critical", "major", "minor"} <= set(error["properties"]["severity"]["enum"])


def test_the_command_asks_by_schema(server, tmp_path, capsys):
    judgments = tmp_path / "set.jsonl"
    rows = [{"id": f"c{k}", "references": ["r"], "candidate": "w " * k} for k in range(1, 4)]
    judgments.write_text("\n".join(map(json.dumps, rows)))
    out = tmp_path / "out.jsonl"
    assert main(["judge", str(judgments), "--endpoint", server.url, "--model", "m", "--yes",
                 "--scale", "1-5", "--json-schema", "--out", str(out)]) == 0  # fmt: skip
    assert all("response_format" in body for body in server.requests)
    signature = json.loads(out.with_name("out.jsonl.signatures.json").read_text())["judge-m"]
    assert signature.endswith("|answers:json-schema")
