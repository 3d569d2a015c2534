"""Try-outs: quick metrics in the request, the others by a worker, nothing kept for long."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

import scorers
from benchmarks.runs.services import scoring
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts import tasks
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import requests, scores, texts
from benchmarks.tryouts.services.examples import EXAMPLES
from core.jobs.models import MAX_TRIES
from core.refusals import RefusedError
from tests.benchmarks.factories import TRIED, ask_for_tryout
from tests.waiting import wait_for

SENT = {
    "candidate": "There are seven steps involved in a hypothesis test .",
    "references": "Four steps are involved in a hypothesis test.",
    "question": "How many steps are involved in a hypothesis test?",
}
HEAVY = ("meteor", "google-rouge")
pytestmark = pytest.mark.django_db


@pytest.fixture
def sam(db: None) -> User:
    return User.objects.create_user("sam")


@pytest.fixture
def signed_in(sam: User) -> Client:
    client = Client()
    client.force_login(sam)
    return client


def test_a_visitor_sees_the_quick_metrics_at_once_and_nothing_is_stored(client: Client) -> None:
    answer = client.post("/try/", SENT)
    page = answer.content.decode()
    assert answer.status_code == 200 and not TryOut.objects.exists()
    # KPQA's Figure 1 prints BLEU-1 0.778 and ROUGE-L 0.713.
    assert "0.778" in page and "0.713" in page
    rows = {row["metric"]: row for row in answer.context["rows"]}
    assert rows["bleu-1"]["signature"] == scorers.parse_metrics("bleu-1")[0].signature()
    assert rows["cider"]["score"] is None and "whole set" in rows["cider"]["note"]
    assert not {"lerc", "ava", "bertscore", "meteor", "google-rouge-1"} & rows.keys()
    assert "for those who" in page and "sign in" in page


def test_the_web_process_loads_neither_an_encoder_nor_meteor(
    client: Client, signed_in: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    score = scorers.Session.score

    def noted(session: scorers.Session, metric: scorers.Metric, *rest: object) -> object:
        asked.append(metric)
        return score(session, metric, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(scorers.Session, "score", noted)
    monkeypatch.setattr(tasks.score_tryout, "delay", lambda pk: None)
    client.post("/try/", SENT)
    signed_in.post("/try/", SENT)
    assert asked
    assert not [one.name for one in asked if one.has_model or one.name.startswith(HEAVY)]


def test_who_is_signed_in_sees_every_metric_and_the_weights(
    signed_in: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: object
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.score_tryout, "delay", sent.append)
    named = "bleu-1,rouge-l,bleu-1-kpqa,ava,sacrebleu"
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        answer = signed_in.post("/try/", {**SENT, "metrics": named})
    made = TryOut.objects.get()
    assert sent == [made.pk] and answer["Location"] == f"/try/{made.pk}/#scores"
    assert (made.status, made.percent, len(made.scores)) == ("queued", 60, 3)
    page = signed_in.get(answer["Location"]).content.decode()
    assert "2 more are being computed" in page and "0.778" in page and "Refresh" in page
    tryouts.TRY_OUTS.perform(made.pk)
    made.refresh_from_db()
    assert (made.status, made.percent, made.reason) == ("complete", 100, "")
    by_metric = {row["metric"]: row for row in made.scores}
    assert by_metric.keys() == set(named.split(","))
    (metric,) = scorers.parse_metrics("ava")
    item = scorers.Item(SENT["candidate"], (SENT["references"],), SENT["question"])
    assert by_metric["ava"]["score"] == scoring.session().score(metric, [item])[0]
    assert by_metric["ava"]["signature"] == metric.signature()
    assert by_metric["ava"]["threshold"] == metric.threshold  # type: ignore[attr-defined]
    page = signed_in.get(answer["Location"]).content.decode()
    for shown in (
        "Word importance",
        "heat-number",
        "correct",
        metric.signature(),
        "All metrics are done",
    ):
        assert shown in page
    titles = [one["title"] for one in made.weights]
    assert titles == ["Reference", "Candidate"]
    seven = [word for word in made.weights[1]["views"][0]["words"] if word["text"] == "seven"]
    assert 0 <= seven[0]["weight"] <= 1


def test_quick_metrics_alone_need_no_worker(sam: User) -> None:
    made = ask_for_tryout(sam, "bleu-1,token-f1")
    assert made.status == "complete" and made.finished_at is not None


def test_only_ones_own_is_shown(sam: User, signed_in: Client) -> None:
    other = ask_for_tryout(User.objects.create_superuser("root"))
    assert signed_in.get(f"/try/{other.pk}/").status_code == 404
    assert signed_in.get(f"/try/{ask_for_tryout(sam).pk}/").status_code == 200


def test_a_killed_workers_try_out_goes_on_and_fails_after_three(sam: User) -> None:
    made = ask_for_tryout(sam)
    late = TryOut.claim(made.pk, at=now())
    assert late is not None and TryOut.claim(made.pk, at=now()) is None
    after = now() + timedelta(hours=1)
    assert TryOut.stale(at=after) == [made.pk]
    assert TryOut.claim(made.pk, at=after) is not None
    assert not late.advance(at=after) and not late.complete(at=after)
    for _ in range(1, MAX_TRIES):
        TryOut.objects.update(lease_until=now() - timedelta(seconds=1))
        assert TryOut.claim(made.pk, at=now()) is not None
    TryOut.objects.update(lease_until=now() - timedelta(seconds=1))
    tryouts.TRY_OUTS.perform(made.pk)
    made.refresh_from_db()
    assert made.status == "failed" and "died 3 times" in made.reason


def test_an_account_has_three_at_once(sam: User, signed_in: Client) -> None:
    for _ in range(requests.MAX_ACTIVE):
        ask_for_tryout(sam)
    with pytest.raises(RefusedError, match="Wait"):
        ask_for_tryout(sam)
    answer = signed_in.post("/try/", SENT)
    assert answer.status_code == 422 and "still being scored" in answer.content.decode()
    ask_for_tryout(User.objects.create_user("ruth"))


def test_old_ones_are_deleted(sam: User) -> None:
    old, new = ask_for_tryout(sam), ask_for_tryout(sam)
    TryOut.objects.filter(pk=old.pk).update(created_at=now() - timedelta(hours=25))
    tasks.delete_old_tryouts()
    assert list(TryOut.objects.values_list("pk", flat=True)) == [new.pk]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"references": " \n "}, "This field is required"),
        ({"references": "\n".join(["a"] * (texts.MAX_REFERENCES + 1))}, "9 references"),
        ({"references": "a" * (texts.MAX_REFERENCE + 1)}, "2,001 characters"),
        ({"candidate": "a" * (texts.MAX_CANDIDATE + 1)}, "at most 2000 characters"),
        ({"candidate": ""}, "This field is required"),
        ({"metrics": "bleu-9"}, "There is no metric"),
        ({"metrics": "lerc(checkpoint=/etc)"}, "neither shipped nor trained here"),
        ({"metrics": "lerc(checkpoint=..)"}, "neither shipped nor trained here"),
        ({"metrics": "lerc(checkpoint=docs)"}, "neither shipped nor trained here"),
        ({"metrics": "lerc(checkpoint=no-such)"}, "neither shipped nor trained here"),
    ],
)
def test_what_cannot_be_scored_is_refused_by_name(
    client: Client, wrong: dict[str, str], said: str
) -> None:
    answer = client.post("/try/", {**SENT, **wrong})
    assert answer.status_code == 422 and said in answer.content.decode()


def test_a_checkpoint_whose_encoder_was_not_added_is_refused_by_name(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCORD_ENCODERS", str(tmp_path))
    answer = client.post("/try/", {**SENT, "metrics": "lerc(checkpoint=lerc-mpnet)"})
    assert answer.status_code == 422
    assert "python -m scorers encoders add all-mpnet-base-v2" in answer.content.decode()


def test_it_is_rate_limited(settings: object, db: None) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "try": "2/h"}  # type: ignore[attr-defined]
    client = Client()
    sent = {**SENT, "metrics": "token-f1"}
    assert [client.post("/try/", sent).status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/try/").status_code == 200


def test_a_forged_form_is_refused(db: None) -> None:
    assert Client(enforce_csrf_checks=True).post("/try/", SENT).status_code == 403


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_the_papers_examples_fill_in_the_form_and_can_be_scored(
    client: Client, example: object
) -> None:
    for name, answer in example.choices:  # type: ignore[attr-defined]
        page = client.get(f"/try/?example={name}")
        fields = {
            field: page.context["form"].initial[field]
            for field in ("passage", "question", "references", "candidate")
        }
        assert fields["candidate"] == answer.candidate
        assert answer.candidate in fields["candidate"]
        sent = client.post("/try/", {**fields, "metrics": "token-f1"})
        assert sent.status_code == 200 and sent.context["rows"][0]["score"] is not None
    assert client.get("/try/?example=nothing").status_code == 200


def test_a_metric_without_its_question_says_so(sam: User) -> None:
    (metric,) = scorers.parse_metrics("lerc")
    row = scores.score_row(metric, texts.TryOutTexts("a", ("a",)))
    assert (row["score"], row["note"]) == (None, "It needs a question.")


def test_it_is_in_the_navigation_and_on_the_home_page(client: Client) -> None:
    assert client.get("/").content.decode().count('href="/try/"') == 2


@pytest.mark.django_db(transaction=True)
def test_a_real_worker_scores_it(worker: object) -> None:
    made = ask_for_tryout(User.objects.create_user("sam"), "token-f1,bleu-1-kpqa")
    worker.start()  # type: ignore[attr-defined]
    tasks.score_tryout.delay(made.pk)
    wait_for(lambda: not TryOut.objects.get(pk=made.pk).is_active)
    made.refresh_from_db()
    assert (made.status, made.reason) == ("complete", "")
    assert {row["metric"] for row in made.scores} == {"token-f1", "bleu-1-kpqa"}
    assert TRIED.candidate == made.texts["candidate"]
