"""A study with thirty workers: who they are at their platforms stands nowhere."""

from __future__ import annotations

import itertools
import logging
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.crowds.services import pages, panel_files, reviewing, syncing
from annotation.crowds.services.identities import identity_of
from annotation.crowds.services.publication_specs import provider_of
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.privacy.services import erasing
from annotation.quality.services import ledgers
from annotation.rating.models import Message, Participation, Rating
from annotation.rating.services import participation
from annotation.rating.services.invitations import InvitedWorker, join_path, signed_invitation
from annotation.studies.models import Study, StudyMember
from benchmarks.freezing import services as freezing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import publishing
from core.accounts.roles import Role
from mturk_sandbox import Sandbox
from tests.annotation import people
from tests.annotation.crowds import scenes
from tests.annotation.crowds.workers import Turker
from tests.annotation.privacy.needles import body_of, database, forms_of, search

LINKED, OF_PROLIFIC, TURKERS, PANELISTS = 12, 8, 10, 6
# The one file that says who workers are, from a page and from the API: the panel pays by it. Only
# owners get it.
FOR_PAYMENT = ("study-crowd-decisions", "api-decisions")
# These go on for as long as somebody looks, and say no more than that something changed.
STREAMS = "events"


@dataclass
class World:
    """A study of thirty, a panel's and an invited one; all the ids, and what commands said."""

    study: Study
    mturk: Publication
    panel: Publication
    made: JudgmentSet
    root: User
    ids: list[str]
    told: dict[str, bytes] = field(default_factory=dict)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIALAB")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def world(db: None, caplog: pytest.LogCaptureFixture, settings: Any) -> Iterator[World]:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "unlimited")
    caplog.set_level(logging.DEBUG)
    with Sandbox() as sandbox:
        yield of_thirty(sandbox)


def of_thirty(sandbox: Sandbox) -> World:
    """Everything that is done with workers is done with some of them."""
    protocol = replace(scenes.small(ratings=30), qualification=None)
    study = scenes.make_study(2, protocol)
    mturk = scenes.published(study, sandbox.url, replace(scenes.OFFER, split=False))
    linked = [f"{secrets.token_hex(6)}+{secrets.token_hex(3)}@p.example" for _ in range(LINKED)]
    prolific = [secrets.token_hex(12) for _ in range(OF_PROLIFIC)]
    turkers = [f"A{secrets.token_hex(8).upper()}" for _ in range(TURKERS)]
    ghost = f"A{secrets.token_hex(8).upper()}"
    for provider, ids in (("link", linked), ("prolific", prolific)):
        for one in ids:
            invite = signed_invitation(study, InvitedWorker(provider, one))
            address = f"/rate/join/{study.slug}/?invite={invite}"
            assert Client().get(address, follow=True).status_code == 200
    stage = study.stages.get(kind="full")
    for participant in Participation.objects.select_related("worker", "study"):
        participation.consent(participant, at=now())
        people.rate(stage, participant)
        participation.write(participant, "Is a bridge a road?", at=now())
    for one in turkers:
        Turker(sandbox, one).do(mturk.listings.all()[len(one) % 2])
    assert study.participations.count() == LINKED + OF_PROLIFIC + TURKERS == 30
    reviewed(mturk)
    # Somebody whom the platform does not know: it answers with an error that names them.
    stranger = participation.join(study, provider_of(mturk).id_namespace, ghost, at=now())
    participation.exclude(stranger, "too fast", at=now())
    syncing.sync(mturk, everything=True, at=now())
    scenes.send(mturk)
    panelists, panel = of_a_panel()
    invited = of_those_invited()
    rosa = scenes.researcher()
    everybody = study.participations.select_related("worker", "study").order_by("pk")
    ledgers.exclude_worker(everybody[3], "always the same", by=rosa, at=now())
    erasing.erase(everybody[5], by=rosa, at=now())
    made = freezing.freeze(study, "mean", by=rosa, at=now())
    publishing.publish(made, at=now())
    ids = [*linked, *prolific, *turkers, ghost, *panelists, *invited]
    root = User.objects.create_superuser("root")
    return World(study, mturk, panel, made, root, ids)


def reviewed(mturk: Publication) -> None:
    """Approvals, a rejection, a bonus, an exclusion that the platform is told."""
    rosa = scenes.researcher()
    syncing.sync(mturk, at=now())
    waiting = list(reviewing.to_review(mturk))
    assert len(waiting) == TURKERS
    reviewing.reject(waiting[0], "not own", "A program rated this.", by=rosa, at=now())
    reviewing.bonus(waiting[1], 25, "Careful work.", by=rosa, at=now())
    ledgers.exclude_worker(waiting[2].participation, "one value", by=rosa, at=now())
    reviewing.approve_by_rule(mturk, ApprovalRule(), by=rosa, at=now())
    syncing.sync(mturk, at=now())
    scenes.send(mturk)
    kinds = set(CrowdCall.objects.filter(status="done").values_list("kind", flat=True))
    assert {"approve", "reject", "bonus", "exclude"} <= kinds


def of_a_panel() -> tuple[list[str], Publication]:
    """A panel's people, their file with a stranger and a wrong code in it."""
    protocol = replace(scenes.small(ratings=9), qualification=None)
    study = scenes.make_study(2, protocol, slug="panel")
    offer = replace(scenes.OFFER, tasks_each=1, id_parameter="pid", split=False)
    panel = scenes.published(study, "people", offer, provider="link")
    ids = [f"{secrets.token_hex(5)}.{secrets.token_hex(5)}@panel" for _ in range(PANELISTS)]
    address = pages.url_of(panel.listings.get()).removeprefix(scenes.SITE)
    for one in ids[1:]:
        assert Client().get(f"{address}?pid={quote(one)}").status_code == 303
    for crowd in CrowdAssignment.objects.filter(publication=panel):
        people.rate(study.stages.get(kind="full"), crowd.participation)
    rows = "".join(f"{one},WRONG\n" for one in ids)
    owner = Client()
    owner.force_login(scenes.researcher())
    form_data = {"file": SimpleUploadedFile("done.csv", f"pid,code\n{rows}".encode())}
    page = owner.post(reverse("study-crowd-file", args=["panel", "full"]), form_data, follow=True)
    content = page.content.decode()
    assert page.status_code == 200 and "in the file but unknown here: line 2" in content
    assert not search(ids, {"the answer to a panel's file": body_of(page)})
    return ids, panel


def of_those_invited() -> list[str]:
    protocol = replace(scenes.small(ratings=3), qualification=None)
    study = scenes.make_study(2, protocol, slug="invited")
    ids = [f"{secrets.token_hex(7)}@example.org" for _ in range(3)]
    offer = replace(scenes.OFFER, tasks_each=1, pay_per_task=True, split=False)
    scenes.published(study, "", offer, provider="link")
    for link in [join_path(study, one) for one in ids[1:]]:
        assert not search(ids, {"an invitation": link.encode()})
        assert Client().get(link).status_code == 303
    return ids


def everything_that_answers(world: World) -> Iterator[tuple[str, str]]:
    """(name, address) of every page, file and route, with all that its address can name."""
    study, made = world.study, world.made
    workers = study.participations.order_by("pk").values_list("worker__name", flat=True)
    pks = list(Publication.objects.values_list("pk", flat=True))
    values: dict[str, list[Any]] = {
        "slug": [study.slug, "panel", "invited"],
        "ref": [str(made)],
        "name": [workers[0], workers[25], made.name],
        "key": ["c0"],
        "kind": ["full"],
        "pk": pks,
        "version": [1],
        "number": [1],
        "extension": ["csv", "jsonl", "json", "tex", "svg"],
        "worker": [workers[1], workers[25]],
        "publication": pks,
        "submitted": list(CrowdAssignment.objects.values_list("pk", flat=True)[:3]),
        "candidate": [made.candidates.first().pk, study.candidates.first().pk],
        "rating": [Rating.objects.first().pk],
        "message": [Message.objects.first().pk],
    }
    for name, pattern in patterns(get_resolver().url_patterns):
        parts = list(pattern.pattern.converters)
        if pattern.pattern.__class__.__name__ == "RegexPattern":
            parts = list(pattern.pattern.regex.groupindex)
        choices = [values.get(part, ["1"]) for part in parts]
        for combination in itertools.product(*choices):
            try:
                yield name, reverse(name, kwargs=dict(zip(parts, combination, strict=True)))
            except NoReverseMatch:
                continue


def patterns(rows: Iterable[URLPattern | URLResolver]) -> Iterator[tuple[str, URLPattern]]:
    for row in rows:
        if isinstance(row, URLPattern):
            yield row.name or "", row
        elif row.app_name != "admin":
            yield from patterns(row.url_patterns)


def test_no_page_file_api_answer_log_or_table_contains_a_workers_id(
    world: World,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert_the_search_would_find_them(world)
    assert_the_panels_file_is_for_owners_alone(world)
    places = dict(pages_as(world, world.root)) | dict(pages_as(world, scenes.researcher()))
    assert sum(place.startswith("/studies/bridges/") for place in places) > 40
    assert sum(place.startswith("/sets/bridges@1/") for place in places) > 30
    assert sum(place.startswith("/api/") for place in places) > 30
    out = tmp_path / "out.jsonl"
    call_command("export_judgments", str(world.made), str(out))
    call_command("agreement", world.made.name, "--format", "json")
    call_command("agreement", world.study.slug, "--format", "json")
    places["export_judgments"] = out.read_bytes()
    captured = capfd.readouterr()
    places["what commands print"] = (captured.out + captured.err).encode()
    places["the log"] = "\n".join(
        f"{one.name} {one.getMessage()} {one.exc_text or ''} {one.args}" for one in caplog.records
    ).encode()
    assert len(caplog.records) > 100
    assert search(world.ids, places | database()) == []


def pages_as(world: World, user: User) -> Iterator[tuple[str, bytes]]:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    for name, address in everything_that_answers(world):
        if name in (*FOR_PAYMENT, "sign-out") or name.endswith(STREAMS):
            continue
        response = client.get(address)
        assert response.status_code < 500, address
        yield f"{address} ({user})", body_of(response)


def assert_the_search_would_find_them(world: World) -> None:
    """What the platform is told has them, and so has the panel's file: the search sees both."""
    crowd = CrowdAssignment.objects.filter(publication=world.mturk).first()
    assert crowd is not None
    assert identity_of(crowd.participation.worker) in world.ids
    text = "".join(panel_files.decisions(world.panel)).encode()
    assert len(search(world.ids, {"decisions": text})) == PANELISTS - 1
    one = world.ids[0]
    for form in forms_of(one):
        assert search([one], {"x": b"before " + form + b" after"}) == [f"x: {one}"]
    failed = CrowdCall.objects.filter(kind="exclude", status="failed").get()
    assert Participation.objects.get(pk=failed.payload["participation"]).worker.name in failed.error


def assert_the_panels_file_is_for_owners_alone(world: World) -> None:
    study = world.panel.stage.study
    addresses = [reverse(name, args=[study.slug, world.panel.pk]) for name in FOR_PAYMENT]
    for role, status in ((Role.VIEWER, 403), (Role.EDITOR, 403), (Role.OWNER, 200)):
        person = User.objects.create_user(f"their {role}")
        StudyMember.objects.create(study=study, user=person, role=role, since=now())
        client = Client()
        client.force_login(person)
        assert [client.get(one).status_code for one in addresses] == [status] * 2
