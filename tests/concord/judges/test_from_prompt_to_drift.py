"""A judge by commands from the first prompt to drift, and through a SIGKILL."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys

import pytest

from concord.cli import main
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer
from tests.waiting import wait_for

STRICT = "Be strict. {question} <answer>{candidate}</answer> From {low} to {high}."
POLICY = """
[rules.agreement]
kind = "judge"
human = "answers.jsonl"
judges = "strict.jsonl"
judge = "strict"
graded = true
at_least = 0.8

[rules.as-before]
kind = "drift"
human = "answers.jsonl"
base = "strict.jsonl"
judges = "now.jsonl"
judge = "strict"
graded = true
at_least = -1
looks = 30
"""


class Model(ChatServer):
    """With strict instructions, rates right answers with 5 and wrong ones with 1, until it drifts;
    else by the answer's length."""

    has_drifted = False

    def label(self, prompt: str) -> str:
        answer = html.unescape(ANSWER.search(prompt)[1])
        if "Be strict" not in prompt:
            return str(1 + len(answer) % 5)
        return "5" if answer.startswith("right") != self.has_drifted else "1"


@pytest.fixture
def server():
    server = Model()
    server.logprobs = False
    yield server
    server.close()


@pytest.fixture
def answers(tmp_path):
    """80 answers to 40 questions, half of them in the train split; three people rate each."""
    rows = [
        {
            "id": f"c{k}",
            "question": f"What is {k // 2}?",
            "references": ["right"],
            "candidate": f"{'right' if k % 3 else 'wrong'} {'so ' * (k % 7)}",
            "scale": [1, 5],
            "split": "train" if k < 40 else "test",
            "ratings": [
                {"worker": f"w{n}", "value": (5 - (k + n) % 2) if k % 3 else 1 + (k + n) % 2}
                for n in range(3)
            ],
        }
        for k in range(80)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "strict.txt").write_text(STRICT)
    (tmp_path / "policy.toml").write_text(POLICY)
    return path


def command(server: ChatServer, answers, name: str, *more: str) -> list[str]:
    out = str(answers.with_name(f"{name}.jsonl"))
    return ["judge", str(answers), "--endpoint", server.url, "--model", "made-up", "--yes",
            "--quiet", "--no-logprobs", "--out", out, *more]  # fmt: skip


def document(capsys, *command: object, code: int = 0) -> dict:
    capsys.readouterr()
    assert main([*map(str, command), "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_judge_is_built_aligned_gated_and_found_drifting(server, answers, capsys):
    folder = answers.parent
    strict = "--name", "strict", "--template", str(folder / "strict.txt")
    # Built, through a SIGKILL: what is answered is not asked again.
    server.pause = 0.02
    first = command(server, answers, "first", "--name", "first")
    process = subprocess.Popen([sys.executable, "-m", "concord", *first])
    out = folder / "first.jsonl"
    wait_for(lambda: out.exists() and out.read_text().count("\n") >= 8, pause=0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    server.pause = 0.0
    assert main(first) == 0 and len(server.requests) <= 84
    # Aligned: of two prompts the one that is better on train, compared on the other passages.
    assert main(command(server, answers, "strict", *strict)) == 0
    files = "--scores", out, folder / "strict.jsonl"
    compared = document(capsys, "judge-compare", answers, *files, "--train", "train")
    assert compared["verdict"] == "the new version is better"
    # Gated, and the same the next night.
    assert main(command(server, answers, "now", *strict)) == 0
    check = document(capsys, "check", folder / "policy.toml")
    assert [row["verdict"] for row in check["rules"]] == ["holds", "holds"]
    # Found drifting, by the gate and by the command.
    server.has_drifted = True
    (folder / "now.jsonl").unlink()
    assert main(command(server, answers, "now", *strict)) == 0
    check = document(capsys, "check", folder / "policy.toml", code=1)
    assert [row["verdict"] for row in check["rules"]] == ["holds", "falls short"]
    report = document(
        capsys, "drift", folder / "strict.jsonl", folder / "now.jsonl",
        "--people", answers, "--graded", "--looks", "30",
    )  # fmt: skip
    row = report["judges"]["strict"]
    assert row["verdict"] == "agreement fell"
    fall = next(one for one in check["rules"] if one["name"] == "as-before")
    assert fall["value"] == pytest.approx(-row["fall"]["value"])
