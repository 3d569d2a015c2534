"""Crowds whose people come for a session: Prolific, any panel, people invited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment, Publication
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services import (
    arrivals,
    ordering,
    outbox,
    pages,
    panel_files,
    payment_totals,
    progress,
    publishing,
    reviewing,
    syncing,
)
from annotation.crowds.services.publication_specs import offer_of
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.rating.models import Assignment, Participation, Rating
from annotation.rating.services import handing_out, participation
from annotation.rating.services.invitations import (
    LOCAL,
    InvitedWorker,
    join_path,
    signed_invitation,
)
from annotation.rating.services.tokens import token_for
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.crowds import scenes
from tests.annotation.crowds.fake_prolific import TOKEN, FakeProlific
from tests.annotation.crowds.scenes import OFFER, make_study, small

pytestmark = pytest.mark.django_db
Status = CrowdAssignment.Status
SESSION = replace(OFFER, tasks_each=2, fee_percent="33.3", split=False)
LONG = (
    "You rated every answer with the same value within one second, also the ones that are empty. "
)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProlific]:
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    with FakeProlific() as server:
        yield server


def untested(**more: Any) -> Any:
    return replace(small(**more), qualification=None)


@pytest.fixture
def scene(fake: FakeProlific) -> Publication:
    study = make_study(4, untested(ratings=2, cents=10))
    return scenes.published(study, fake.url, SESSION, provider="prolific")


def enter(publication: Publication, browser: Client | None = None, **parameters: str) -> Any:
    listing = publication.listings.get()
    path = urlsplit(pages.url_of(listing)).path
    return (browser or Client()).get(f"{path}?{urlencode(parameters)}")


def prolific(publication: Publication, fake: FakeProlific, name: str) -> CrowdAssignment:
    session = fake.state.arrive(publication.listings.get().provider_id, name)
    page = enter(publication, PROLIFIC_PID=name, STUDY_ID="s", SESSION_ID=session)
    assert page.status_code == 303
    return CrowdAssignment.objects.get(provider_id=session)


def by_name(name: str) -> CrowdAssignment:
    """The one session of a worker of a panel that names no sessions."""
    (crowd,) = [
        one
        for one in CrowdAssignment.objects.select_related("participation__worker")
        if one.participation.worker.is_known_as(name)
    ]
    return crowd


def rate(crowd: CrowdAssignment, tasks: int) -> Any:
    """Rate so many tasks as the pages do; the page of the code."""
    study = crowd.publication.stage.study
    participation.consent(crowd.participation, at=now())
    for _ in range(tasks):
        assignment = handing_out.hand_out(
            crowd.participation.worker, study.stages.get(kind="full"), at=now()
        )
        assert assignment is not None
        ratings = {
            pk: handing_out.Answer(4)
            for pk in assignment.hit.candidates.values_list("pk", flat=True)
        }
        handing_out.save_ratings(assignment, ratings, at=now())
        handing_out.submit(assignment, at=now())
    return Client().post(reverse("rating-done", args=[token_for(crowd.participation)]))


def test_reading_the_page_of_the_code_ends_no_session(
    scene: Publication, fake: FakeProlific
) -> None:
    crowd = prolific(scene, fake, "PIDONE")
    page = reverse("rating-done", args=[token_for(crowd.participation)])
    code = scene.completion_code
    assert code in rate(crowd, 2).content.decode()
    CrowdAssignment.objects.update(status=Status.ACCEPTED, rated_at=None)
    for send in (Client().head, Client().get):
        answer = send(page)
        assert answer.status_code == 200 and code not in answer.content.decode()
    crowd.refresh_from_db()
    assert crowd.status == Status.ACCEPTED
    assert code in Client().post(page).content.decode()
    crowd.refresh_from_db()
    assert crowd.status == Status.RATED and code in Client().get(page).content.decode()


def test_a_session_ends_with_the_submission_of_its_last_task(
    scene: Publication, fake: FakeProlific
) -> None:
    crowd = prolific(scene, fake, "PIDONE")
    token = token_for(crowd.participation)
    rater = Client()
    participation.consent(crowd.participation, at=now())
    for expected in (Status.ACCEPTED, Status.RATED):
        rater.post(reverse("rating-task", args=[token]))
        task = Assignment.objects.get(status="held")
        values = {f"value-{pk}": "4" for pk in task.hit.candidates.values_list("pk", flat=True)}
        path = reverse("rating-assignment", args=[token, task.pk])
        rater.post(path, values | {"action": "submit-and-stop"})
        crowd.refresh_from_db()
        assert crowd.status == expected


def test_an_answer_that_is_no_json_is_asked_for_again(fake: FakeProlific) -> None:
    drafted = scenes.confirmed(
        scenes.drafted(make_study(4, untested(ratings=2)), fake.url, SESSION, provider="prolific")
    )
    fake.state.pages_of_a_proxy = 1
    result = outbox.run(drafted, first_delay=0.002)
    assert (result.waits, result.failed, result.problem) == (1, 0, "")
    scenes.send(drafted)
    assert len(fake.state.studies) == 1


def test_a_study_is_made_and_published_with_its_code(
    scene: Publication, fake: FakeProlific
) -> None:
    (study,) = fake.state.studies.values()
    assert study["status"] == "ACTIVE" and study["reward"] == 20
    assert study["total_available_places"] == 4  # eight ratings, two tasks a session
    (code,) = study["completion_codes"]
    assert code["code_type"] == "COMPLETED" and len(code["code"]) == 10
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in study["external_study_url"]
    blocked, approval = study["filters"]
    assert blocked["selected_values"] == [scene.provider_ids["exclusion"]]
    assert approval["selected_range"]["lower"] == 96, "above 95, in whole numbers"
    assert scene.confirmed_cents == 4 * (20 + 7)


def test_a_session_from_its_entry_to_the_code_to_its_pay(
    scene: Publication, fake: FakeProlific
) -> None:
    crowd = prolific(scene, fake, "PIDONE")
    assert "No code yet" in rate(crowd, 1).content.decode()
    text = rate(crowd, 1).content.decode()
    code = next(iter(fake.state.studies.values()))["completion_codes"][0]["code"]
    assert f"https://app.prolific.com/submissions/complete?cc={code}" in text
    crowd.refresh_from_db()
    assert crowd.status == Status.RATED
    syncing.sync(scene, at=now())
    crowd.refresh_from_db()
    assert crowd.status == Status.RATED  # Prolific says nothing of it yet
    fake.state.finish(crowd.provider_id, code)
    syncing.sync(scene, at=now())
    assert reviewing.approve_by_rule(scene, ApprovalRule(), by=None, at=now()) == 1
    scenes.send(scene)
    assert fake.state.submissions[crowd.provider_id]["status"] == "APPROVED"
    assert (Payment.objects.get().cents, Payment.objects.get().fee_cents) == (20, 7)
    assert payment_totals.refresh(scene, at=now()).matches


def test_only_sessions_with_their_tasks_code_and_pace_are_approved_by_rule(
    scene: Publication, fake: FakeProlific
) -> None:
    code = scene.completion_code
    nothing, wrong, returned, hasty, careful = (
        prolific(scene, fake, f"PID{number}") for number in range(5)
    )
    for crowd in (wrong, returned, hasty, careful):
        rate(crowd, 1)
    Rating.objects.update(seconds=0.5)
    Rating.objects.filter(worker=careful.participation.worker).update(seconds=30)
    CrowdAssignment.objects.exclude(pk=nothing.pk).update(status=Status.RATED, rated_at=now())
    arrivals.mark_returned(returned)
    fake.state.finish(nothing.provider_id, "NOCODE")
    fake.state.finish(wrong.provider_id, "NOCODE")
    for crowd in (returned, hasty, careful):
        fake.state.finish(crowd.provider_id, code.lower())
    syncing.sync(scene, at=now())
    problems = dict(CrowdAssignment.objects.values_list("pk", "problem"))
    assert "before its tasks were completed" in problems[nothing.pk]
    assert problems[wrong.pk] == "The completion code is missing or wrong."
    assert problems[returned.pk] == "The session was returned before it was submitted."
    assert set(reviewing.approvable(scene, ApprovalRule())) == {hasty, careful}
    assert set(reviewing.approvable(scene, ApprovalRule(min_seconds=20))) == {careful}
    scene.assignments.update(problem="")  # as of a submission that was recorded before 0.3.0
    assert nothing not in reviewing.approvable(scene, ApprovalRule())


def test_more_than_the_reward_is_owed_as_a_bonus_and_paid_once(
    scene: Publication, fake: FakeProlific
) -> None:
    crowd = prolific(scene, fake, "PIDONE")
    rate(crowd, 3)
    fake.state.finish(crowd.provider_id, scene.completion_code)
    syncing.sync(scene, at=now())
    reviewing.approve_by_rule(scene, ApprovalRule(), by=None, at=now())
    scenes.send(scene)
    assert [(one.pk, more) for one, more in reviewing.underpaid(scene)] == [(crowd.pk, 10)]
    reviewing.bonus(crowd, 10, "One task more", by=scenes.researcher(), at=now())
    fake.state.lose = 2  # the answer to the announcement, then the one to the payment
    scenes.send(scene)
    assert fake.state.submissions[crowd.provider_id]["bonus_payments"] == [10]
    assert reviewing.underpaid(scene) == [] and payment_totals.refresh(scene, at=now()).matches


def test_a_rejection_has_a_hundred_characters_and_a_category(
    scene: Publication, fake: FakeProlific
) -> None:
    crowd = prolific(scene, fake, "PIDONE")
    fake.state.finish(crowd.provider_id, "X")
    syncing.sync(scene, at=now())
    by = scenes.researcher()
    with pytest.raises(RefusedError, match="100 characters"):
        reviewing.reject(crowd, "not read", "Too short.", by=by, at=now())
    reviewing.reject(crowd, "not read", LONG * 2, by=by, at=now())
    scenes.send(scene)
    assert fake.state.submissions[crowd.provider_id]["status"] == "REJECTED"


def test_creating_survives_a_lost_answer_and_a_throttled_call(
    fake: FakeProlific,
) -> None:
    study = make_study(2, untested())
    publication = scenes.confirmed(scenes.drafted(study, fake.url, SESSION, provider="prolific"))
    fake.state.lose, fake.state.busy = 4, 2
    assert scenes.send(publication).left == 0
    assert [one["status"] for one in fake.state.studies.values()] == ["ACTIVE"]
    assert len({group["name"] for group in fake.state.groups.values()}) == len(fake.state.groups)


def test_a_missing_or_rejected_token_is_reported(
    fake: FakeProlific, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = scenes.drafted(make_study(2, untested()), fake.url, SESSION, provider="prolific")
    for token, message in (("", "no Prolific token"), ("old", "rejects the token")):
        monkeypatch.setenv("PROLIFIC_TOKEN", token)
        with pytest.raises(CrowdError, match=message):
            ordering.order(draft, confirmed="0.20", by=None, at=now())
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    fake.state.balance = 3
    with pytest.raises(CrowdError, match=r"balance is \$0\.03"):
        ordering.order(draft, confirmed="0.20", by=None, at=now())
    assert not CrowdCall.objects.exists()


def test_places_grow_and_the_study_stops(scene: Publication, fake: FakeProlific) -> None:
    stage = scenes.full_stage(scene.stage.study)
    stage.hits.update(open_slots=6, wanted=6)
    assert scenes.topped_up(scene) == 8
    assert scenes.topped_up(scene) == 0
    scenes.send(scene)
    (study,) = fake.state.studies.values()
    assert study["total_available_places"] == 12
    publishing.end(scene, at=now())
    assert scenes.send(scene).left == 0
    assert {one["status"] for one in fake.state.studies.values()} == {"AWAITING REVIEW"}


def test_sessions_are_returned_passed_or_excluded(fake: FakeProlific) -> None:
    study = make_study(2, small(ratings=2))
    scene = scenes.published(study, fake.url, SESSION, provider="prolific")
    crowd = prolific(scene, fake, "PIDONE")
    other = prolific(scene, fake, "PIDTWO")
    fake.state.submissions[crowd.provider_id]["status"] = "TIMED-OUT"
    Participation.objects.filter(pk=other.participation_id).update(qualified="passed")
    participation.exclude(crowd.participation, "no", at=now())
    syncing.sync(scene, at=now())
    syncing.sync(scene, at=now())
    assert scenes.send(scene).done == 2
    crowd.refresh_from_db()
    assert crowd.status == Status.ABANDONED
    groups = {
        name: fake.state.groups[pk]["participants"] for name, pk in scene.provider_ids.items()
    }
    assert groups == {"exclusion": ["PIDONE"], "passed": ["PIDTWO"]}


def test_the_next_listing_may_ask_only_those_who_passed(fake: FakeProlific) -> None:
    study = make_study(2, small(ratings=2))
    only = replace(SESSION, only_passed=True)
    draft = scenes.drafted(study, fake.url, only, provider="prolific")
    with pytest.raises(RefusedError, match="has passed its test yet"):
        scenes.confirmed(draft)
    assert not CrowdCall.objects.exists()
    first = scenes.published(study, fake.url, SESSION, provider="prolific")
    publishing.end(first, at=now())
    scenes.send(first)
    second = scenes.published(study, fake.url, only, provider="prolific")
    listed = fake.state.studies[second.listings.get().provider_id]
    allowed = {"filter_id": "participant_group_allowlist"}
    assert allowed | {"selected_values": [first.provider_ids["passed"]]} in listed["filters"]


def test_two_bonuses_alike_are_refused_since_prolific_could_not_tell_them_apart(
    scene: Publication, fake: FakeProlific
) -> None:
    crowd = prolific(scene, fake, "PIDONE")
    fake.state.finish(crowd.provider_id, "X")
    syncing.sync(scene, at=now())
    rosa = scenes.researcher()
    reviewing.bonus(crowd, 5, "Careful", by=rosa, at=now())
    with pytest.raises(RefusedError, match=r"\$0\.05 is queued already"):
        reviewing.bonus(crowd, 5, "Quick", by=rosa, at=now())
    reviewing.bonus(crowd, 6, "Quick", by=rosa, at=now())
    scenes.send(scene)
    assert sorted(fake.state.submissions[crowd.provider_id]["bonus_payments"]) == [5, 6]


def test_a_session_of_another_person_and_an_address_without_one_are_refused(
    scene: Publication, fake: FakeProlific
) -> None:
    crowd = prolific(scene, fake, "PIDONE")
    for parameters in (
        {"PROLIFIC_PID": "PIDTWO", "SESSION_ID": crowd.provider_id},
        {"PROLIFIC_PID": "PIDTWO"},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}", "SESSION_ID": "x"},
    ):
        assert enter(scene, **parameters).status_code == 409
    assert CrowdAssignment.objects.count() == 1
    assert enter(scene, PROLIFIC_PID="PIDONE", SESSION_ID=crowd.provider_id).status_code == 303


def test_a_session_that_prolific_does_not_confirm_takes_no_place(
    scene: Publication, fake: FakeProlific
) -> None:
    listing = scene.listings.get()
    ended, elsewhere, other = (
        fake.state.arrive(study, "PIDONE") for study in (listing.provider_id, "another", "another")
    )
    fake.state.finish(ended, "X")
    fake.state.submissions[other] |= {"study_id": listing.provider_id, "participant_id": "PIDTWO"}
    for session in ("made-up", ended, elsewhere, other):
        assert enter(scene, PROLIFIC_PID="PIDONE", SESSION_ID=session).status_code == 409
    session = fake.state.arrive(listing.provider_id, "PIDONE")
    fake.state.busy = 1
    assert enter(scene, PROLIFIC_PID="PIDONE", SESSION_ID=session).status_code == 503
    assert not CrowdAssignment.objects.exists() and not Participation.objects.exists()
    assert enter(scene, PROLIFIC_PID="PIDONE", SESSION_ID=session).status_code == 303


def test_nobody_joins_a_study_of_a_crowd_by_its_name(scene: Publication, rosa: Client) -> None:
    study = scene.stage.study
    path = reverse("rating-join", args=[study.slug])
    for query in ("", "?PROLIFIC_PID=PIDONE", "?worker=ann"):
        for send in (Client().get, Client().post):
            refused = send(f"{path}{query}")
            assert refused.status_code == 403 and study.title not in refused.content.decode()
    assert not Participation.objects.exists()
    assert Client().get(join_path(study, "ann")).status_code == 303
    links = rosa.get(reverse("study-invitations", args=[study.slug])).content.decode()
    assert "Nobody can join by the open link" in links and "Accept signed" not in links
    publishing.end(scene, at=now())
    assert Client().get(path).status_code == 403, "those who were paid keep their pages"


@pytest.fixture
def rosa(db: None) -> Client:
    client = Client()
    client.force_login(scenes.researcher())
    return client


@pytest.fixture
def panel(db: None) -> Publication:
    offer = replace(SESSION, id_parameter="pid", return_url="https://panel.example/end?c={code}")
    study = make_study(4, untested(ratings=2, cents=10))
    return scenes.published(study, "panel", offer, provider="link")


def test_any_panel_by_a_link_a_code_and_a_file(panel: Publication) -> None:
    assert progress.panel_link(panel).endswith("/?pid=ID")
    codes = {}
    for name in ("p1", "p2", "p3"):
        assert enter(panel, pid=name).status_code == 303
        crowd = by_name(name)
        if name != "p3":
            text = rate(crowd, 2).content.decode()
            codes[name] = text.partition("https://panel.example/end?c=")[2][:10]
    file = f"pid,code\np1,{codes['p1']}\np2,WRONG\np9,X\n"
    for submitted, unchanged in ((2, 0), (0, 2)):
        report = panel_files.import_file(panel, file, at=now())
        assert (report.submitted, report.unchanged) == (submitted, unchanged)
        second = by_name("p2").participation.worker
        assert (report.unknown_lines, report.wrong_codes) == ([4], [second.name])
    assert reviewing.approve_by_rule(panel, ApprovalRule(), by=None, at=now()) == 1
    assert by_name("p2").problem == "The completion code is missing or wrong."
    reviewing.approve(by_name("p2"), by=None, at=now())
    scenes.send(panel)
    lines = "".join(panel_files.decisions(panel))
    assert "p1,approved,,0.20,0.00" in lines and "p3" not in lines
    assert payment_totals.compare(panel).recorded.rewards == 40


def test_a_panels_file_is_imported_completely_or_not_at_all(panel: Publication) -> None:
    enter(panel, pid="p1")
    for content, message in (
        ("name\np1\n", "no column of worker ids"),
        ("pid,status\np1,completed\np1,perhaps\n", "line 3"),
    ):
        with pytest.raises(RefusedError, match=message):
            panel_files.import_file(panel, content, at=now())
    assert CrowdAssignment.objects.get().status == Status.ACCEPTED


def test_a_link_admits_as_many_workers_as_it_has_places(panel: Publication) -> None:
    answers = [enter(panel, pid=f"p{n}").status_code for n in range(5)]
    assert answers == [303] * 4 + [409]


def test_a_panels_person_comes_back_in_the_browser_in_which_they_began(panel: Publication) -> None:
    browser = Client()
    first = enter(panel, browser, pid="p1")
    assert enter(panel, browser, pid="p1")["Location"].split("/")[1] == "rate"
    stranger = enter(panel, pid="p1")
    assert first.status_code == 303 and stranger.status_code == 403
    assert "Location" not in stranger and CrowdAssignment.objects.count() == 1


def path_of(address: str) -> str:
    return urlsplit(address)._replace(scheme="", netloc="").geturl()


def test_invited_people_are_paid_for_their_work(db: None) -> None:
    study = make_study(4, untested(ratings=2, cents=10))
    offer = replace(SESSION, pay_per_task=True, fee_percent="0")
    scene = scenes.published(study, "", offer, provider="link")
    assert scene.confirmed_cents == 80
    anna = join_path(study, "anna")
    assert "anna" not in anna
    for _ in range(2):  # the second visit is the same person
        assert Client().get(anna).status_code == 303
    account = Client()
    account.force_login(people.researcher("bert@example.org", staff=False))
    listed = path_of(pages.url_of(scene.listings.get()))
    assert account.get(listed).status_code == 303
    assert account.get(join_path(study, "bert@example.org")).status_code == 303
    assert Client().get(listed).status_code == 409
    for name, tasks in (("anna", 3), ("bert@example.org", 2)):
        rate(by_name(name), tasks)
    syncing.sync(scene, at=now())
    assert reviewing.approve_by_rule(scene, ApprovalRule(), by=None, at=now()) == 2
    scenes.send(scene)
    assert sorted(Payment.objects.values_list("cents", "fee_cents")) == [(20, 0), (30, 0)]


def test_a_personal_link_needs_no_free_place_and_none_is_paid_without_a_listing(db: None) -> None:
    study = make_study(1, untested(ratings=1, cents=10))
    assert Client().get(join_path(study, "early")).status_code == 303
    assert not CrowdAssignment.objects.exists()
    scenes.published(study, "", replace(SESSION, tasks_each=1), provider="link")
    for name in ("anna", "bert"):
        assert Client().get(join_path(study, name)).status_code == 303
    assert CrowdAssignment.objects.count() == 2


def test_an_invitation_of_the_page_crowd_stays_the_persons_own(db: None) -> None:
    study = make_study(2, untested(ratings=2))
    scene = scenes.published(study, "", SESSION, provider="link")
    worker = participation.join(study, LOCAL, "anna", at=now())
    invite = signed_invitation(study, InvitedWorker(LOCAL, "anna"))
    listed = f"{path_of(pages.url_of(scene.listings.get()))}?{urlencode({'invite': invite})}"
    for link in (listed, join_path(study, "anna")):
        page = Client().get(link, follow=True)
        assert page.redirect_chain[-1][0] == reverse("rating-home", args=[token_for(worker)])
    assert CrowdAssignment.objects.get().participation == worker


def test_publications_to_invited_people_become_links_that_pay_per_task(db: None) -> None:
    study = make_study(2, untested(ratings=2))
    scene = scenes.published(study, "", SESSION, provider="link")
    stored = {**scene.offer, "invited": ["sealed"]}
    del stored["pay_per_task"]
    Publication.objects.update(provider="local", offer=stored)
    import_module("annotation.migrations.0014_one_link").forwards(apps, None)
    scene.refresh_from_db()
    assert scene.provider == "link"
    assert offer_of(scene) == replace(SESSION, pay_per_task=True)


def test_a_study_with_a_listing_invites_people_whom_no_panel_knows(db: None) -> None:
    study = make_study(2, untested(ratings=2))
    scene = scenes.published(study, "", SESSION, provider="link")
    owner = Client()
    owner.force_login(scenes.researcher())
    links = reverse("study-invitations", args=[study.slug])
    assert "Make signed links" in owner.get(links).content.decode()
    page = owner.post(links, {"workers": "anna"}).content.decode()
    assert join_path(study, "anna").partition("?")[0] in page
    Client().get(join_path(study, "anna"))
    rate(by_name("anna"), 2)
    enter(scene, worker="p1")
    rate(by_name("p1"), 2)
    names = panel_files.import_file(scene, "worker\n", at=now()).missing
    assert names == [by_name("p1").participation.worker.name]
