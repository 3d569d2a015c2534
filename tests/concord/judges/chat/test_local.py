"""A causal language model in a folder as a judge."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from concord.cli import main
from concord.judges.chat import ChatError, FileBudget, JudgeRun, LocalClient, Template
from concord.judges.chat.store import AnswerStore
from tests.concord.judges.chat.test_judging import candidates
from tests.concord.judges.chat.tiny_model import make_tiny_model

LABELS = [str(label) for label in range(8, 12)]  # of one and of two tokens; 1 begins 10 and 11


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("tiny-model"))


def by_hand(folder: Path, prompt: str, label: str) -> float:
    """The log-probability of a label and the end, one token after the other."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokeniser = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokens, total = tokeniser(f"{prompt}\n")["input_ids"], 0.0
    for token in [*tokeniser(label)["input_ids"], tokeniser.eos_token_id]:
        with torch.no_grad():
            logits = model(torch.tensor([tokens])).logits[0, -1].double()
        total += float(torch.log_softmax(logits, dim=-1)[token])
        tokens.append(token)
    return total


def test_log_probabilities_of_labels_are_exact(tiny_model):
    client = LocalClient(tiny_model, labels=LABELS)
    answer = client.ask("How good is it?")
    (scores,) = answer.logprobs
    assert list(scores) == LABELS
    for label in LABELS:
        expected = by_hand(tiny_model, "How good is it?", label)
        assert scores[label] == pytest.approx(expected, abs=1e-4)
    assert answer.text == max(scores, key=scores.get)
    assert answer.tokens == (len("How good is it?\n"), 1)
    assert client.ask("How good is it?").logprobs == answer.logprobs


def test_a_run_weighs_the_labels_by_their_probabilities(tiny_model, tmp_path):
    client = LocalClient(tiny_model, labels=["1", "2", "3", "4", "5"])
    template = Template.load("rating")
    store = AnswerStore(tmp_path / "out.jsonl")
    run = JudgeRun("judge", client, template, (1, 5), FileBudget(), store)
    items = candidates(3)
    run.ask_all(items)
    (scores,) = client.ask(template.render(items[0].item, 1, 5)).logprobs
    weights = {int(label): math.exp(value) for label, value in scores.items()}
    expected = sum(label * weight for label, weight in weights.items()) / sum(weights.values())
    assert run.verdicts(items)["c0"] == pytest.approx(expected)
    assert len(set(run.verdicts(items).values())) == 3
    assert f"model:{tiny_model.name}@" in run.signature and "endpoint:local" in run.signature


def test_without_labels_text_is_generated(tiny_model):
    answer = LocalClient(tiny_model, max_completion=7).ask("Why?")
    assert answer.logprobs is None and 0 < answer.tokens[1] <= 7
    assert len(answer.text) <= 7


def test_the_prompt_goes_through_the_chat_template(tiny_model, tmp_path):
    import shutil

    folder = tmp_path / "chat"
    shutil.copytree(tiny_model, folder)
    template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]"
    (folder / "chat_template.jinja").write_text(template)
    chat = LocalClient(folder, labels=LABELS)
    assert chat.ask("Hi").tokens[0] == len("[user]Hi[assistant]")
    assert chat.model != LocalClient(tiny_model, labels=LABELS).model


def test_a_prompt_that_is_too_long_is_refused(tiny_model):
    with pytest.raises(ChatError, match="reads 2,048") as refused:
        LocalClient(tiny_model, labels=LABELS).ask("x" * 2040)
    assert refused.value.is_final and not refused.value.was_sent


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has no causal language model"):
        LocalClient(tmp_path)


@pytest.fixture
def judgments(tmp_path) -> Path:
    path = tmp_path / "set.jsonl"
    rows = [{"id": f"c{k}", "references": ["r"], "candidate": "w " * k, "scale": [1, 5]}
            for k in range(1, 4)]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_the_command_judges_by_a_local_model(tiny_model, judgments, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    command = ["judge", str(judgments), "--local", str(tiny_model), "--yes", "--scale", "1-5",
               "--out", str(out)]  # fmt: skip
    assert main(command) == 0, capsys.readouterr().err
    assert "3 requests to local" in capsys.readouterr().err
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert all(1 < row["scores"][f"judge-{tiny_model.name}"] < 5 for row in rows)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "give --endpoint and --model, or --local"),
        (["--endpoint", "http://localhost/v1"], "give --endpoint and --model"),
        (["--local", "x", "--endpoint", "http://localhost/v1"], "--local goes without --endpoint"),
    ],
)
def test_what_is_to_judge_must_be_said(judgments, tmp_path, capsys, more, message):
    command = ["judge", str(judgments), "--yes", "--scale", "1-5", "--out", str(tmp_path / "o")]
    assert main(command + more) == 2
    assert message in capsys.readouterr().err
