"""Judges on a set's next version: with examples, and of pairs."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.judging.models import ModelJudge
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing, publishing
from benchmarks.submissions import services as submissions
from concord.formats import read_judgments, read_pairs
from core.accounts.roles import Role
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    make_set,
    pair_lines,
    write_lines,
)
from tests.benchmarks.judging.judges import make_judge, run
from tests.concord.judges.chat.chat_server import ANSWER, ChatServer

BOTH = re.compile(r"<answer1>(.*?)</answer1>\n<answer2>(.*?)</answer2>", re.DOTALL)


@pytest.fixture
def first_version(transactional_db: None, tmp_path: Path) -> JudgmentSet:
    """12 candidates in three splits, and four minimal pairs."""
    return make_set(tmp_path, "small", pairs=4)


@pytest.fixture
def editor(first_version: JudgmentSet) -> User:
    user = User.objects.create_user("edith")
    add_member("small", user, Role.EDITOR)
    return user


def next_version(
    folder: Path, lines: list[dict[str, Any]], pairs: list[dict[str, Any]] | None = None
) -> JudgmentSet:
    judgments = read_judgments([write_lines(folder / "next.jsonl", lines)], "concord")
    pair_file = None
    if pairs is not None:
        pair_file = read_pairs([write_lines(folder / "next-pairs.jsonl", pairs)], "concord")
    made = importing.import_judgments("small", judgments, pair_file, at=now())
    publishing.publish(made, at=now())
    return made


def published(judge: ModelJudge) -> Submission:
    assert judge.submission is not None
    submissions.publish(judge.submission, at=now())
    return judge.submission


def carried(judgment_set: JudgmentSet) -> Submission:
    return Submission.objects.get(judgment_set=judgment_set)


def scores_of(submission: Submission) -> np.ndarray:
    return MetricRun.objects.defer(None).get(submission=submission).score_array


@pytest.fixture
def few_shot(first_version: JudgmentSet, server: ChatServer, editor: User) -> Submission:
    server.label = lambda prompt: str(min(5, len(ANSWER.findall(prompt)[-1].split())))
    judge = make_judge(first_version, server, editor, template="examples", shots=2, seed=7)
    return published(run(judge))


def choose_better(server: ChatServer, better: set[str]) -> None:
    def label(prompt: str) -> str:
        return "1" if html.unescape(BOTH.search(prompt)[1]) in better else "2"

    server.label = label


@pytest.fixture
def pairwise(first_version: JudgmentSet, server: ChatServer, editor: User) -> Submission:
    better = set(first_version.pairs.exclude(position=1).values_list("candidate1", flat=True))
    choose_better(server, better | {first_version.pairs.get(position=1).candidate2})
    judge = make_judge(first_version, server, editor, template="pairwise", logprobs=False)
    return published(run(judge))


def test_a_judge_with_examples_owes_nothing_of_their_split(few_shot, tmp_path):
    lines = candidate_lines()
    train = lines[0] | {"id": "more", "system": "new", "candidate": "one more answer"}
    assert train["split"] == "train"
    second = next_version(tmp_path, [*lines, train])
    copy = carried(second)
    before, after = scores_of(few_shot)[:12], scores_of(copy)[:13]
    assert np.array_equal(after[:12], before, equal_nan=True) and np.isnan(after[12])
    rows = {row["group"]: row for row in leaderboard(second, "split").rows}
    assert rows["test"]["metric"] == "my judge" and rows["test"]["pearson"]["value"] is not None


def test_the_pairs_of_a_pairwise_judge_are_carried_in_either_order(pairwise, tmp_path):
    assert scores_of(pairwise)[12:].tolist() == [1, 0, 0, 1, 1, 0, 1, 0]
    lines = pair_lines(4)
    # The second pair is turned: people now prefer the other answer, as the judge did.
    turned = lines[1] | {
        "candidate1": lines[1]["candidate2"],
        "candidate2": lines[1]["candidate1"],
    }
    more = candidate_lines()[0] | {"id": "more", "system": "new", "candidate": "one more answer"}
    second = next_version(
        tmp_path, [*candidate_lines(), more], [lines[3], turned, lines[0], lines[2]]
    )
    copy = carried(second)
    scores = scores_of(copy)
    assert np.isnan(scores[:13]).all() and scores[13:].tolist() == [1, 0, 1, 0, 1, 0, 1, 0]


def test_a_judge_that_was_not_asked_about_a_pair_is_not_carried(pairwise, tmp_path):
    second = next_version(tmp_path, candidate_lines(), pair_lines(5))
    assert not Submission.objects.filter(judgment_set=second).exists()


def test_an_invalid_pair_is_carried_without_scores(first_version, server, editor, tmp_path):
    doubtful = first_version.pairs.get(position=3).candidate1
    server.label = lambda prompt: "?" if doubtful in html.unescape(prompt) else "1"
    judge = make_judge(first_version, server, editor, template="pairwise", logprobs=False)
    published(run(judge))
    copy = carried(next_version(tmp_path, candidate_lines(), pair_lines(4)[::-1]))
    scores = scores_of(copy)[12:]
    assert np.isnan(scores[:2]).all() and (scores[2:] == 0.5).all()


def test_a_pairwise_judge_has_no_copy_without_pairs(pairwise, tmp_path):
    second = next_version(tmp_path, candidate_lines())
    assert not Submission.objects.filter(judgment_set=second).exists()
    third = next_version(tmp_path, candidate_lines(), pair_lines(4))
    assert scores_of(carried(third)).tolist()[12:] == scores_of(pairwise).tolist()[12:]
