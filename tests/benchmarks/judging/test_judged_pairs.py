"""A judge of judged pairs: asked, resumed, compared with people, carried."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing, publishing
from benchmarks.submissions import services as submissions
from concord.formats import read_judgments, read_pairs
from core.accounts.roles import Role
from tests.benchmarks.analyses.test_judges import compute
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    judged_pair_lines,
    make_judged_pairs_set,
    score_here,
    write_lines,
)
from tests.benchmarks.judging.judges import make_judge, run
from tests.concord.judges.chat.chat_server import ChatServer
from tests.core.rest.people import caller

BOTH = re.compile(r"<answer1>(.*?)</answer1>\n<answer2>(.*?)</answer2>", re.DOTALL)
JUDGED = {"template": "pairwise", "pairs": "judged pairs", "logprobs": False}


@pytest.fixture
def judged(transactional_db: None, tmp_path: Path) -> JudgmentSet:
    """12 candidates, four minimal pairs, and six judged pairs; two of these have no majority."""
    return make_judged_pairs_set(tmp_path)


@pytest.fixture
def editor(judged: JudgmentSet) -> User:
    user = User.objects.create_user("edith")
    add_member("judged", user, Role.EDITOR)
    return user


@pytest.fixture
def chooses(server: ChatServer) -> ChatServer:
    """Chooses the answer "the ...", and the one shown first where both or none are such."""

    def label(prompt: str) -> str:
        first, second = (html.unescape(text) for text in BOTH.search(prompt).groups())
        return "2" if second.startswith("the") and not first.startswith("the") else "1"

    server.label = label
    return server


def choice_scores(submission: Submission) -> list[list[float]]:
    submission.refresh_from_db()
    scores = np.frombuffer(bytes(submission.choice_scores), "<f8").reshape(-1, 2)
    return scores.tolist()


def expected_scores(judged: JudgmentSet) -> list[list[float]]:
    scores = []
    for pair in judged.judged_pairs.select_related("candidate1", "candidate2"):
        good = [one.text.startswith("the") for one in (pair.candidate1, pair.candidate2)]
        scores.append([0.5, 0.5] if good[0] == good[1] else [float(each) for each in good])
    return scores


def test_judged_pairs_are_asked_in_both_orders_and_compared_with_people(judged, chooses, editor):
    judge = make_judge(judged, chooses, editor, **JUDGED)
    quote = judging.quote(judge)
    assert (judge.judged, quote.requests) == ("judged pairs", 12)
    assert run(judge).status == "complete" and len(chooses.requests) == 12
    assert judge.spent_tokens <= quote.tokens
    shown = [BOTH.search(body["messages"][0]["content"]).groups() for body in chooses.requests]
    assert {pair[::-1] for pair in shown} == set(shown)
    expected = expected_scores(judged)
    assert [0.5, 0.5] in expected and [1.0, 0.0] in expected
    assert choice_scores(judge.submission) == expected
    scores = MetricRun.objects.defer(None).get(submission=judge.submission).score_array
    assert np.isnan(scores).all() and len(scores) == judged.n_items
    submissions.publish(judge.submission, at=now())
    (row,) = compute("choices", judged, draws=100).result["metrics"]
    # By hand: the shares of people's choices for the first answer, and the judge's scores.
    points = {"tie": 0.5, 1: 1.0, 2: 0.0}
    lines = judged_pair_lines()
    shares = [np.mean([points[one["choice"]] for one in line["ratings"]]) for line in lines]
    signs = [(np.sign(share - 0.5), first - second)
             for share, (first, second) in zip(shares, expected, strict=True)]  # fmt: skip
    decided = [
        1.0 if np.sign(gap) == people else 0.5 * (gap == 0) for people, gap in signs if people
    ]
    assert row["metric"] == "my judge" and row["accuracy"]["value"] == np.mean(decided)
    with_ties = max(np.mean([np.sign(gap) * (abs(gap) > epsilon) == people
                             for people, gap in signs]) for epsilon in (0, 1))  # fmt: skip
    assert row["with_ties"]["value"] == pytest.approx(with_ties)


def test_the_judge_stands_beside_metrics_on_the_page(judged, chooses, editor, client):
    client.force_login(editor)
    minimal = run(make_judge(judged, chooses, editor, name="other", template="pairwise"))
    assert minimal.judged == "minimal pairs"
    judge = run(make_judge(judged, chooses, editor, **JUDGED))
    score_here(judged, "token-f1")
    compute("choices", judged, draws=100)
    page = client.get(judge.get_absolute_url()).content.decode()
    assert reverse("choices", args=[str(judged)]) in page
    for one in (judge, minimal):
        submissions.publish(one.submission, at=now())
    rows = compute("choices", judged, draws=100).result["metrics"]
    assert {row["metric"] for row in rows} == {"my judge", "token-f1"}
    url = reverse("metric-run", args=[str(judged), judge.submission.run.pk])
    assert "How often it chooses as people do" in client.get(url).content.decode()
    page = client.get(reverse("choices", args=["judged"]), follow=True).content.decode()
    assert "my judge" in page and "token-f1" in page


def test_no_page_of_the_set_breaks(judged, chooses, editor, client):
    """The run of a judge of judged pairs has scores of no item."""
    judge = run(make_judge(judged, chooses, editor, **JUDGED))
    client.force_login(editor)
    for name in ("judgment-set", "leaderboard", "comparison", "correctness", "judges", "errors",
                 "system-board", "minimal-pairs", "metric-runs", "set-data", "estimate",
                 "combination", "leaderboard-csv", "leaderboard-json", "scores-csv", "choices",
                 "submissions"):  # fmt: skip
        assert client.get(reverse(name, args=["judged"]), follow=True).status_code == 200, name
    for name in ("metric-run", "judge"):
        url = reverse(name, args=["judged", judge.submission.run.pk])
        assert client.get(url).status_code == 200, name


def test_a_stopped_judge_of_pairs_goes_on(judged, chooses, editor):
    judge = run(make_judge(judged, chooses, editor, **JUDGED, max_tokens=1200, threads=1))
    assert judge.status == "failed" and 0 < judge.answers.count() < 12
    judging.resume(judge, max_tokens=10**6, max_cost=None, by=editor, at=now())
    assert run(judge).status == "complete" and len(chooses.requests) == 12


def test_the_form_and_the_api_offer_judged_pairs(judged, chooses, editor, client):
    client.force_login(editor)
    values = {
        "name": "form", "endpoint": chooses.url, "model": "m", "template": "pairwise",
        "pairs": "judged pairs", "temperature": 0, "repeats": 1, "threads": 1,
        "max_tokens": 10_000, "prompt_price": 0, "completion_price": 0,
    }  # fmt: skip
    page = client.post(reverse("model-judges", args=["judged"]), values, follow=True)
    assert "each pair (pairs that people judged)" in " ".join(page.content.decode().split())
    assert ModelJudge.objects.get().judged == "judged pairs"
    body = {name: values[name] for name in ("endpoint", "model", "template", "max_tokens")}
    for pairs, expected in (("", "minimal pairs"), ("judged pairs", "judged pairs")):
        made = caller(editor).post(
            "/sets/judged/model-judges", body | {"name": f"api {pairs}", "pairs": pairs}
        )
        assert made.status_code == 201, made.content
        assert made.json()["judged"] == expected


def next_version(folder: Path, pairs: list[dict]) -> JudgmentSet:
    judgments = read_judgments([write_lines(folder / "next.jsonl", candidate_lines())], "concord")
    pair_file = read_pairs([write_lines(folder / "next-pairs.jsonl", pairs)], "concord")
    made = importing.import_judgments("judged", judgments, pair_file, at=now())
    publishing.publish(made, at=now())
    return made


def test_its_choices_are_carried(
    judged: JudgmentSet,
    chooses: ChatServer,
    editor: User,
    tmp_path: Path,
    client: Client,
) -> None:
    first = run(make_judge(judged, chooses, editor, **JUDGED)).submission
    submissions.publish(first, at=now())
    lines = judged_pair_lines()
    turned = lines[0] | {
        "system1": "b", "candidate1": lines[0]["candidate2"],
        "system2": "a", "candidate2": lines[0]["candidate1"],
    }  # fmt: skip
    second = next_version(tmp_path, [*lines[1:], turned])
    copy = Submission.objects.get(judgment_set=second)
    before = choice_scores(first)
    assert choice_scores(copy) == [*before[1:], before[0][::-1]]
    assert copy.run.signature == first.run.signature

    (row,) = compute("choices", second, draws=100).result["metrics"]
    assert row["metric"] == "my judge" and row["accuracy"]["value"] is not None
