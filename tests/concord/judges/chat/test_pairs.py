"""A model that compares two answers, in both orders."""

from __future__ import annotations

import json
import re

import pytest

from concord.cli import main
from concord.judges.chat import Template, TemplateError
from tests.concord.judges.chat.chat_server import ChatServer


@pytest.fixture
def server():
    server = ChatServer()
    server.logprobs = False
    yield server
    server.close()


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"id": f"p{k}", "question": f"q{k}?", "references": ["r"], "candidate1": f"good {k}",
         "score1": 5, "candidate2": f"<b> bad {k}", "score2": 1}
        for k in range(20)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def arguments(server, pairs, *more):
    out = str(pairs.with_name("out.jsonl"))
    return ["judge-pairs", str(pairs), "--endpoint", server.url, "--model", "m", "--out", out,
            "--yes", *more]  # fmt: skip


def first_of(prompt):
    return re.search(r"<answer1>(.*?)</answer1>", prompt)[1]


def test_a_judge_of_the_answers_is_right_in_both_orders(server, pairs, capsys):
    server.label = lambda prompt: "1" if "good" in first_of(prompt) else "2"
    scores = pairs.with_name("scores.jsonl")
    assert main(arguments(server, pairs, "--scores", str(scores))) == 0
    captured = capsys.readouterr()
    assert "40 requests to 127.0.0.1 (model m), with first, passage, question" in captured.err
    assert "of each pair, twice" in captured.err
    assert "no preference for a side is seen" in captured.out
    assert re.search(r"right in both orders .*1\.000", captured.out)
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    assert rows[0] == {"id": "p0", "score1": 1.0, "score2": 0.0} and len(rows) == 20
    prompts = [body["messages"][0]["content"] for body in server.requests]
    assert sum(first_of(prompt).startswith("good") for prompt in prompts) == 20
    assert not any("<b>" in prompt for prompt in prompts)
    assert main(arguments(server, pairs)) == 0
    assert len(server.requests) == 40


def test_a_judge_of_the_first_side_ties_every_pair(server, pairs, capsys):
    server.label = lambda prompt: "1"
    scores = pairs.with_name("scores.jsonl")
    assert main(arguments(server, pairs, "--scores", str(scores))) == 0
    assert "prefers the answer shown first" in capsys.readouterr().out
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    assert {(row["score1"], row["score2"]) for row in rows} == {(0.5, 0.5)}


def test_an_invalid_answer_has_no_scores(server, pairs, capsys):
    server.label = lambda prompt: "no idea" if "good 3<" in prompt else "2"
    scores = pairs.with_name("scores.jsonl")
    assert main(arguments(server, pairs, "--scores", str(scores))) == 0
    captured = capsys.readouterr()
    assert "2 invalid answers" in captured.out
    assert "1 pair has no line for want of two valid answers, such as p3." in captured.err
    assert len(scores.read_text().splitlines()) == 19


def test_ties_of_the_judge_and_of_people(server, tmp_path, capsys):
    path, scores = tmp_path / "pairs.jsonl", tmp_path / "scores.jsonl"
    answers = ["tie", "both_bad", 1, 2]
    rows = [
        {"id": f"p{k}", "question": f"q{k}?", "references": ["r"], "candidate1": f"good {k}",
         "candidate2": f"bad {k}", "ratings": [{"worker": "w", "choice": answers[k % 4]}]}
        for k in range(12)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = {0: "**Tie**", 1: '{"score": "tie (bothbad)"}', 2: "1", 3: "no idea"}
    server.label = lambda prompt: said[int(re.search(r"q(\d+)", prompt)[1]) % 4]
    assert main(arguments(server, path, "--scores", str(scores))) == 0
    captured = capsys.readouterr()
    out = " ".join(captured.out.split())
    assert "12 pairs in both orders, 6 invalid answers" in out
    assert "The judge: 6 ties, 6 both bad and 6 invalid of 24 answers." in out
    assert "People: 3 ties, 3 both bad and 0 invalid of 12 answers." in out
    assert re.search(r"right, both orders together .*?0\.500", out)
    assert 'Answer: "no idea"' in captured.err
    both = [json.loads(line) for line in scores.read_text().splitlines()]
    assert [row["score1"] for row in both[:3]] == [0.5, 0.5, 0.5]  # 1 in both orders: a side
    assert main(arguments(server, path, "--scores", str(scores), "--both-bad", "leave-out")) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "9 pairs in both orders" in out and "9 pairs that people judged, 6 with a major" in out
    assert len(scores.read_text().splitlines()) == 6


def test_templates_are_of_candidates_or_of_pairs(server, pairs, capsys):
    assert main(arguments(server, pairs, "--template", "rating")) == 2
    assert "is not of pairs" in capsys.readouterr().err
    for text in ("{first}", "{first} {second} {candidate}", "{question}"):
        with pytest.raises(TemplateError, match=r"no field \{candidate\}"):
            Template.parse("own", text)


def test_pairs_that_people_judged_are_compared_with_the_majority(server, tmp_path, capsys):
    # People prefer the second answer of even pairs, and are divided over the last one.
    path = tmp_path / "pairs.jsonl"
    rows = []
    for k in range(9):
        choices = [2 - k % 2, 2 - k % 2, "tie"] if k < 8 else [1, 2]
        ratings = [{"worker": f"w{at}", "choice": one} for at, one in enumerate(choices)]
        texts = [f"good {k}", f"bad {k}"] if k % 2 else [f"bad {k}", f"good {k}"]
        rows.append({"id": f"p{k}", "question": f"q{k}?", "references": ["r"], "ratings": ratings,
                     "candidate1": texts[0], "candidate2": texts[1]})  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    # Wrong on pair 3 alone; on the last one it chooses the side shown first.
    server.label = lambda prompt: (
        "1" if "8?" in prompt or ("good" in first_of(prompt)) != ("q3?" in prompt) else "2"
    )
    assert main(arguments(server, path)) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "out.jsonl: 8 pairs in both orders, 0 invalid answers" in out
    assert re.search(r"right in both orders .*?0\.875", out)
    assert "9 pairs that people judged, 8 with a majority" in out
    # With ties: the last pair is a tie of the judge, too, so 8 of 9.
    assert "agrees with it in 0.875 (" in out and "with ties in 0.889 of all" in out
