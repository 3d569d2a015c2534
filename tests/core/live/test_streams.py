"""Streams of events: told of changes, bounded in number, closed to those who may not look."""

from __future__ import annotations

import threading
import time

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from annotation.studies.models import StudyMember
from benchmarks.runs.services import runs
from core.accounts.roles import Role
from core.live import hub as hubs
from core.live import streams
from core.live.hub import Hub, mark
from core.live.streams import Places, stream
from tests.annotation.studies import people
from tests.benchmarks.factories import make_set
from tests.benchmarks.factories import request as request_runs
from tests.core.webhooks.conftest import AT
from tests.waiting import wait_for

REQUEST = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(hubs, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.1)
    monkeypatch.setattr(streams, "LONGEST_SECONDS", 0.6)
    monkeypatch.setattr(streams, "PLACES", Places())


def read(response: StreamingHttpResponse) -> str:
    """All that the stream says. Django's test client closes it at its end, as a server does.

    Then nobody waits, but the hub may be looking: a test whose end takes the database away waits
    until it has looked.
    """
    assert response.status_code == 200
    text = b"".join(response.streaming_content).decode()
    wait_for(lambda: not hubs.HUB._looks)
    return text


def text_of(response: StreamingHttpResponse) -> str:
    """The same of a stream that came from no client."""
    try:
        return read(response)
    finally:
        response.close()


def test_a_stream_says_once_how_it_is_and_again_when_it_is_otherwise():
    state = ["first"]

    def change():
        time.sleep(0.25)
        state[0] = "second"

    thread = threading.Thread(target=change)
    thread.start()
    text = text_of(stream(REQUEST, "a", lambda: state[0], Hub()))
    thread.join()
    marks = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data")]
    assert marks == [mark(lambda: "first"), mark(lambda: "second")]
    assert text.startswith("retry: 2000\n\n") and ": still here\n\n" in text


def test_who_comes_back_is_told_only_of_what_is_new():
    known = mark(lambda: "same")
    request = RequestFactory().get("/", headers={"Last-Event-ID": known})
    assert "changed" not in text_of(stream(request, "a", lambda: "same", Hub()))
    request = RequestFactory().get("/", headers={"Last-Event-ID": "older"})
    assert text_of(stream(request, "a", lambda: "same", Hub())).count("changed") == 1


def test_streams_are_bounded_by_caller_and_by_process_and_places_come_back(settings):
    settings.EVENT_STREAMS = 5
    held = [stream(REQUEST, "a", lambda: 1, Hub()) for _ in range(streams.MOST_A_CALLER)]
    refused = stream(REQUEST, "a", lambda: 1, Hub())
    assert isinstance(refused, HttpResponse) and refused.status_code == 204
    other = RequestFactory().get("/", REMOTE_ADDR="192.0.2.2")
    held.append(stream(other, "a", lambda: 1, Hub()))
    assert stream(other, "a", lambda: 1, Hub()).status_code == 204
    for one in held:
        one.close()
        one.close()
    assert streams.PLACES._open.total() == 0
    last = stream(REQUEST, "a", lambda: 1, Hub())
    assert "changed" in text_of(last) and streams.PLACES._open.total() == 0


def test_places_may_be_none_at_all(settings):
    settings.EVENT_STREAMS = 0
    assert not Places().take("ann")


def test_many_streams_of_one_topic_look_once_and_nobody_looks_when_all_are_gone():
    hub, looks = Hub(), []

    def state():
        looks.append(threading.current_thread().name)
        return 1

    with hub.following("a", state), hub.following("a", state):
        time.sleep(0.2)
    by_hub = looks.count("live-hub")
    assert 1 <= by_hub <= 12
    time.sleep(0.15)
    assert looks.count("live-hub") <= by_hub + 1


@pytest.mark.django_db
def test_a_stream_of_runs_is_for_who_may_see_the_set(tmp_path):
    private = make_set(tmp_path, "small", public=False)
    request_runs(private, "bleu-1")
    member = User.objects.create_user("ann")
    path = f"/sets/{private}/runs/events"
    assert Client().get(path).status_code == 404
    client = Client()
    client.force_login(member)
    assert client.get(path).status_code == 404
    public = make_set(tmp_path, "open")
    answer = client.get(f"/sets/{public}/runs/events")
    assert answer["Content-Type"].startswith("text/event-stream")
    assert answer["Cache-Control"] == "no-store" and "changed" in read(answer)
    assert client.post(path).status_code == 405


@pytest.mark.django_db
def test_streams_of_a_study_are_for_its_members():
    study = people.new_study(people.researcher())
    viewer = User.objects.create_user("vera")
    StudyMember.objects.create(study=study, user=viewer, role=Role.VIEWER, since=AT)
    client = Client()
    for name in ("stages", "crowd"):
        path = f"/studies/{study.slug}/{name}/events"
        assert Client().get(path).status_code == 302
        client.force_login(User.objects.get_or_create(username="bob")[0])
        assert client.get(path).status_code == 404
        client.force_login(viewer)
        assert "changed" in read(client.get(path))


@pytest.mark.django_db(transaction=True)
def test_a_stream_tells_of_a_run_that_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "LONGEST_SECONDS", 4.0)
    judgment_set = make_set(tmp_path, "open")
    (run,) = request_runs(judgment_set, "bleu-1")
    answer = Client().get(f"/sets/{judgment_set}/runs/events")
    found: list[str] = []
    reading = threading.Thread(target=lambda: found.append(read(answer)))
    reading.start()
    time.sleep(1.0)
    runs.fail_run(run.pk, "It broke.", at=AT)
    reading.join()
    assert found[0].count("event: changed") == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_state_that_cannot_be_told_ends_the_looking_and_the_next_starts_it_again():
    hub, faulty = Hub(), [False]

    def state():
        if faulty[0]:
            raise LookupError("gone")
        return time.monotonic()

    with hub.following("a", state):
        faulty[0] = True
        time.sleep(0.1)
        with hub.following("b", lambda: 1):
            faulty[0] = False
            known = hub.wait("a", "", 1)
            assert hub.wait("a", known, 1) != known
