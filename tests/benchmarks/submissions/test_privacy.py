"""Who sees a submission, and what its owner may do with it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.analyses.models import Analysis
from benchmarks.runs.models import MetricRun, RunChunk, Submission
from benchmarks.runs.services.listing import column_names
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from core.refusals import RefusedError
from tests.benchmarks.factories import score_here
from tests.benchmarks.submissions.conftest import score_lines

NAME = "zebra-score"
MEETING = (
    "leaderboard",
    "leaderboard-csv",
    "leaderboard-json",
    "comparison",
    "system-board",
    "metric-runs",
    "minimal-pairs",
    "scores-csv",
    "candidate",
)


@pytest.fixture
def zebra(small, ann, scores_file) -> Submission:
    score_here(small, "token-f1")
    path = scores_file(score_lines(small, pairs=True))
    about = SubmissionInfo(
        NAME, authors="A. Ann", link="https://example.org/zebra", note="Stripes."
    )
    return submissions.submit_scores(small, about, path, owner=ann, at=now())


def address(name: str) -> str:
    key = ["c0-a"] if name == "candidate" else []
    return reverse(name, args=["small@1", *key])


def seen_by(people, name: str) -> set[str]:
    viewers = set()
    for person, client in people.items():
        response = client.get(address(name))
        assert response.status_code == 200
        body = response.getvalue() if response.streaming else response.content
        if NAME in body.decode():
            viewers.add(person)
    return viewers


@pytest.mark.parametrize("name", MEETING)
def test_only_its_owner_and_administrators_see_a_private_submission(zebra, people, name):
    assert seen_by(people, name) == {"ann", "sue"}


@pytest.mark.parametrize("name", ["leaderboard", "metric-runs", "scores-csv", "candidate"])
def test_everybody_sees_a_public_submission(zebra, people, name):
    submissions.publish(zebra, at=now())
    assert seen_by(people, name) == set(people)


@pytest.mark.parametrize("name", ["metric-run", "scatter-svg"])
def test_others_cannot_see_the_run_of_a_private_submission(zebra, people, name):
    url = reverse(name, args=["small@1", zebra.run.pk])
    statuses = {person: client.get(url).status_code for person, client in people.items()}
    assert statuses == {"visitor": 404, "ann": 200, "bob": 404, "sam": 404, "sue": 200}
    pairs = f"{address('minimal-pairs')}?run={zebra.run.pk}"
    assert people["bob"].get(pairs).status_code == 404
    assert people["ann"].get(pairs).status_code == 200
    assert (
        people["sam"].post(reverse("stop-run", args=["small@1", zebra.run.pk])).status_code == 404
    )
    submissions.publish(zebra, at=now())
    page = people["visitor"].get(reverse("metric-run", args=["small@1", zebra.run.pk])).content
    for text in ("A. Ann", 'href="https://example.org/zebra"', "Stripes.", "nofollow"):
        assert text in page.decode()


def test_a_submission_is_ranked_on_the_board_by_its_scores(zebra, people):
    rows = people["ann"].get(address("leaderboard-json")).json()["rows"]
    row = next(row for row in rows if row["metric"] == NAME)
    assert row["signature"] == f"submission:{NAME}|scores|sha256:{zebra.digest}|no:{zebra.pk}"
    assert row["pairs"]["accuracy"] == 1.0 and row["n"] == 12
    assert row["submission"]["is_public"] is False and row["multi_ref"] == "own"


def test_a_submission_may_declare_that_lower_scores_are_better(small, ann, scores_file):
    path = scores_file(score_lines(small, pairs=True))
    about = SubmissionInfo("turned", higher_is_better=False)
    made = submissions.submit_scores(small, about, path, owner=ann, at=now())
    assert made.run.statistics["rows"][""][0]["pairs"]["accuracy"] == 0.0


@pytest.mark.parametrize("do", ["publish", "make-private", "withdraw", "stop", "retry", "nonsense"])
def test_nobody_else_changes_it(zebra, people, do):
    url = reverse("change-submission", args=["small@1", zebra.pk])
    for person, expected in (("visitor", 302), ("bob", 404), ("sam", 404)):
        assert people[person].post(url, {"do": do}).status_code == expected
    again = Submission.objects.get(pk=zebra.pk)
    assert not again.is_public and not again.is_withdrawn and again.run.status == "complete"
    assert people["ann"].post(url, {"do": do}).status_code == 302
    assert people["ann"].get(url).status_code == 405


def test_its_owner_publishes_unpublishes_and_withdraws_a_submission(zebra, people):
    url = reverse("change-submission", args=["small@1", zebra.pk])
    people["ann"].post(url, {"do": "publish"})
    assert seen_by(people, "leaderboard") == set(people)
    people["ann"].post(url, {"do": "make-private"})
    assert seen_by(people, "leaderboard") == {"ann", "sue"}
    assert Analysis.objects.filter(runs__contains=[zebra.run.pk]).exists()
    people["ann"].post(url, {"do": "withdraw"}, follow=True)
    assert seen_by(people, "leaderboard") == set()
    assert not MetricRun.objects.filter(metric=NAME).exists()
    assert NAME not in str(list(Analysis.objects.values_list("result", flat=True)))
    assert people["ann"].post(url, {"do": "publish"}).status_code == 404
    page = people["ann"].get(reverse("submissions", args=["small@1"])).content.decode()
    assert "withdrawn" in page and NAME in page


def test_an_administrator_may_withdraw_any_submission(zebra, people):
    submissions.publish(zebra, at=now())
    url = reverse("change-submission", args=["small@1", zebra.pk])
    people["sue"].post(url, {"do": "withdraw"}, follow=True)
    assert seen_by(people, "leaderboard") == set()


def test_the_limit_of_three_a_day_counts_all_versions_and_withdrawn_submissions(
    small, ann, sam, scores_file
):
    path, start = scores_file(score_lines(small)), now()
    for hour in range(3):
        about = SubmissionInfo(f"try {hour}")
        at = start + timedelta(hours=hour)
        made = submissions.submit_scores(small, about, path, owner=ann, at=at)
        submissions.withdraw(made, at=at)
    late = start + timedelta(hours=23)
    with pytest.raises(RefusedError, match=r"3 times to small in\s+24 hours"):
        submissions.submit_scores(small, SubmissionInfo("try 3"), path, owner=ann, at=late)
    with pytest.raises(RefusedError, match="24 hours"):
        submissions.submit_metric(
            small, SubmissionInfo("try 3"), "endpoint", "https://example.org/", owner=ann, at=late
        )
    next_day = start + timedelta(hours=24, minutes=1)
    submissions.submit_scores(small, SubmissionInfo("try 3"), path, owner=ann, at=next_day)
    assert submissions.remaining_today(small, ann, at=next_day) == 0
    assert submissions.remaining_today(small, sam, at=late) is None
    assert Submission.objects.count() == 4


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bleu-1", "is a metric of this installation"),
        ("BLEU-1", "is a metric of this installation"),
        ("", "blank"),
        ("a|b", "valid"),
        ("<b>", "valid"),
        ("=cmd", "valid"),
        ("a\nb", "valid"),
        ("x" * 81, "80"),
        (NAME, "on this board already"),
        (NAME.upper(), "on this board already"),
    ],
)
def test_a_name_that_a_board_cannot_show_is_refused(zebra, ann, scores_file, name, sentence):
    path = scores_file(score_lines(zebra.judgment_set))
    with pytest.raises(RefusedError, match=sentence) as refused:
        submissions.submit_scores(
            zebra.judgment_set, SubmissionInfo(name), path, owner=ann, at=now()
        )
    assert refused.value.field == "name"


def test_private_submissions_may_share_a_name_and_the_first_public_one_keeps_it(
    zebra, bob, sue, scores_file
):
    path = scores_file(score_lines(zebra.judgment_set))
    other = submissions.submit_scores(
        zebra.judgment_set, SubmissionInfo(NAME), path, owner=bob, at=now()
    )
    runs = list(MetricRun.objects.filter(metric=NAME))
    assert len(set(column_names(runs))) == 2
    submissions.publish(zebra, at=now())
    with pytest.raises(RefusedError, match="has the name"):
        submissions.publish(other, at=now())


def test_the_page_accepts_a_file_and_lists_the_errors_of_a_faulty_one(small, people, scores_file):
    url, ann = reverse("submit", args=["small@1"]), people["ann"]
    fields = {"kind": "scores", "name": NAME, "direction": "higher"}

    def upload(lines):
        data = scores_file(lines).read_bytes()
        return ann.post(url, {**fields, "scores": SimpleUploadedFile("s.jsonl", data)})

    lines = score_lines(small)
    lines[3]["score"] = "<script>"
    lines[4]["id"] = "<i>nobody</i>"
    response = upload(lines)
    page = response.content.decode()
    assert response.status_code == 422 and "The file was rejected" in page
    assert (
        "score is &quot;&lt;script&gt;&quot;; a number is expected" in page
        and "<i>nobody" not in page
    )
    assert NAME in page, "what was filled in is kept"
    assert not Submission.objects.exists()
    assert upload(score_lines(small)).status_code == 302
    page = ann.get(reverse("submissions", args=["small@1"])).content.decode()
    assert NAME in page and "2 more times" in page
    assert ann.post(url, fields).status_code == 422
    assert ann.post(url, {**fields, "name": "b", "link": "javascript:alert(1)"}).status_code == 422
    assert people["visitor"].post(url, fields).status_code == 302


def test_a_file_that_is_too_large_is_refused(small, people, settings):
    settings.SUBMISSION_MAX_BYTES = 1000
    file = SimpleUploadedFile("s.jsonl", b"\n" * 1001)
    fields = {"kind": "scores", "name": NAME, "direction": "higher", "scores": file}
    response = people["ann"].post(reverse("submit", args=["small@1"]), fields)
    assert response.status_code == 413
    assert "larger than the limit of 1,000 bytes" in response.content.decode()


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://localhost/",
        "https://169.254.169.254/latest/meta-data/",
        "https://10.1.2.3/",
        "https://[::ffff:10.1.2.3]/",
        "https://ann:word@example.org/",
    ],
)
def test_an_endpoint_in_the_own_network_is_refused_at_once(small, people, sent, url):
    fields = {"kind": "endpoint", "name": NAME, "direction": "higher", "source": url}
    response = people["ann"].post(reverse("submit", args=["small@1"]), fields)
    assert response.status_code == 422 and 'id="id_source_error"' in response.content.decode()
    assert not Submission.objects.exists() and not RunChunk.objects.exists() and sent == []


def test_only_staff_start_code_that_is_installed_here(small, ann, people, monkeypatch, tmp_path):
    with pytest.raises(RefusedError, match="Only researchers"):
        submissions.submit_metric(
            small, SubmissionInfo(NAME), "entry-point", "length", owner=ann, at=now()
        )
    fields = {"kind": "entry-point", "name": NAME, "direction": "higher", "source": "length"}
    page = people["ann"].post(reverse("submit", args=["small@1"]), fields)
    assert page.status_code == 422 and not Submission.objects.exists()
    page = people["ann"].get(reverse("submissions", args=["small@1"]) + "?kind=entry-point")
    assert "Python entry point" not in page.content.decode()
    page = people["sam"].get(reverse("submissions", args=["small@1"]) + "?kind=entry-point")
    assert "Python entry point" in page.content.decode()


def test_submissions_without_an_owner_are_public(small, scores_file):
    path = scores_file(score_lines(small))
    made = submissions.submit_scores(small, SubmissionInfo("baseline"), path, owner=None, at=now())
    assert made.is_public
    with pytest.raises(RefusedError, match="no owner"):
        submissions.make_private(made)
