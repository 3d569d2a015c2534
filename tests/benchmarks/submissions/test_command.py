"""`submit_scores`, as a person runs it, in this process."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from benchmarks.runs.models import Submission
from tests.benchmarks.submissions.conftest import score_lines


@pytest.fixture(autouse=True)
def _migrated(settings):
    settings.EMBEDDED = False  # the test database is up to date


def test_the_command_submits_for_an_account_or_without_an_owner(small, ann, scores_file, capsys):
    path = str(scores_file(score_lines(small)))
    call_command("submit_scores", "small", path, "--name", "mine", "--user", "ann")
    call_command("submit_scores", "small@1", path, "--name", "ours", "--lower-is-better")
    private, public = Submission.objects.order_by("pk")
    assert (private.owner, private.is_public, private.higher_is_better) == (ann, False, True)
    assert (public.owner, public.is_public, public.higher_is_better) == (None, True, False)
    assert capsys.readouterr().out.splitlines() == [
        "mine is on the board of small@1, only for ann.",
        "ours is on the board of small@1, for everybody.",
    ]


def test_errors_name_the_file_and_the_line(small, scores_file):
    path = scores_file([*score_lines(small)[1:], {"id": "stranger", "score": 1}])
    with pytest.raises(CommandError) as refused:
        call_command("submit_scores", "small", str(path), "--name", "mine")
    assert f'{path}:12: "stranger" is not an id of small@1' in str(refused.value)
    assert f'{path}: "c0-a" this candidate has no score' in str(refused.value)
    with pytest.raises(CommandError, match="no account 'nobody'"):
        call_command("submit_scores", "small", str(path), "--name", "x", "--user", "nobody")
    with pytest.raises(CommandError, match="metric of this installation"):
        call_command("submit_scores", "small", str(path), "--name", "bleu-1")
    assert not Submission.objects.exists()
