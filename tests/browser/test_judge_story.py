"""A judge in the browser: built, aligned and gated, through a kill of its worker."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now
from playwright.sync_api import Page, expect

from benchmarks.judging.models import ModelJudge
from concord.cli import main
from core.accounts.roles import Role
from tests.benchmarks.factories import add_member, make_set
from tests.benchmarks.judging.judges import KEY, allowed_server, kill_worker, run
from tests.browser.conftest import PASSWORD, sign_in
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer

pytestmark = pytest.mark.browser
STRICT = "Be strict. {question} <answer>{candidate}</answer> From {low} to {high}."


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    yield from allowed_server(settings, monkeypatch)


def answers(server: ChatServer) -> None:
    """With strict instructions, the model tells right answers from wrong ones."""

    def label(prompt: str) -> str:
        answer = html.unescape(ANSWER.findall(prompt)[-1])
        if "Be strict" not in prompt:
            return str(1 + len(answer) % 5)
        return "5" if answer.startswith("the ") else "2"

    server.label, server.logprobs = label, False


def send(page: Page, button: str, **values: str) -> None:
    """Fill in the form of a button, by the names of its fields, and press the button."""
    form = page.locator("form", has=page.get_by_role("button", name=button, exact=True))
    for name, value in values.items():
        field = form.locator(f'[name="{name}"]')
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    form.get_by_role("button", name=button, exact=True).click()


def killed(judge: ModelJudge, server: ChatServer, *, after: int) -> ModelJudge:
    """The judge after a worker died and another one went on; what was stored is not asked again."""
    server.pause = 0.05
    stored = kill_worker(judge, after=after)
    server.pause = 0.0
    ModelJudge.objects.filter(pk=judge.pk).update(lease_until=now())
    assert judge.pk in ModelJudge.stale(at=now())
    run(judge)
    assert judge.status == "complete" and stored <= set(judge.answers.values_list("pk", flat=True))
    return judge


def check(page: Page, folder: Path, at_least: float) -> int:
    """The exit code of the gate, on the files that the set's page offers."""
    for name in ("judgments.jsonl", "scores.csv"):
        (folder / name).write_bytes(page.request.get(f"/sets/large/{name}").body())
    policy = folder / "policy.toml"
    rule = {"kind": "metric", "files": "judgments.jsonl", "scores": "scores.csv"}
    rows = [f"{key} = {json.dumps(value)}" for key, value in {**rule, "metric": "second"}.items()]
    policy.write_text("\n".join(["[rules.agrees]", *rows, f"at_least = {at_least}", ""]))
    return main(["check", str(policy)])


def test_a_judge_is_built_aligned_and_gated(
    transactional_db: None,
    tmp_path: Path,
    server: ChatServer,
    open_page: Callable[..., Page],
) -> None:
    make_set(tmp_path, "large", instances=30)
    sam = User.objects.create_user("sam", password=PASSWORD)
    add_member("large", sam, Role.EDITOR)
    answers(server)
    page = open_page("/sign-in/?next=/sets/large/model-judges/")
    sign_in(page)
    # Built: nothing is sent before its owner confirms. A worker is killed in the middle.
    send(page, "Show what would be sent", name="first", endpoint=server.url, model="made-up",
         key=KEY, template="rating", temperature="0", threads="2",
         max_tokens="1000000", prompt_price="0", completion_price="0")  # fmt: skip
    expect(page.locator("main")).to_contain_text("60 requests go to")
    assert server.requests == []
    first = ModelJudge.objects.get()
    page.locator('button[value="confirm"]').click()
    expect(page.locator('button[value="confirm"]')).to_have_count(0)
    killed(first, server, after=10)
    assert len(server.requests) <= 62
    # Aligned, with the disagreements in view.
    page.reload()
    page.get_by_role("link", name="Align with people").click()
    expect(page.get_by_role("status").first).to_contain_text("first agrees with people at r =")
    assert page.locator("#disagreements + p + ol > li").count() > 3
    send(page, "Show what would be sent", name="second", own_template=STRICT, key=KEY,
         max_tokens="1000000")  # fmt: skip
    page.locator('button[value="confirm"]').click()
    expect(page.locator('button[value="confirm"]')).to_have_count(0)
    run(ModelJudge.objects.get(name="second"))
    page.reload()
    page.get_by_role("link", name="Align with people").click()
    expect(page.get_by_role("status").first).to_contain_text("second agrees with people at r =")
    # Gated, on the files that the set's page offers.
    assert check(page, tmp_path, 0.3) == 0
    assert check(page, tmp_path, 0.99999) == 1
