"""One object and one person of every kind, for the URLs of the access table."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.services import ordering, publishing
from annotation.rating.models import Assignment
from annotation.rating.services.tokens import token_for
from annotation.studies.services import uploads
from annotation.studies.services.members import members as study_members
from benchmarks.freezing import services as freezing
from benchmarks.judging import services as judging
from benchmarks.judging.services import JudgeSpec
from benchmarks.runs.models import MetricRun, Submission
from core.accounts import tokens
from core.accounts.models import SignIn
from core.accounts.roles import Role, SiteRole
from core.accounts.services import invitations
from core.webhooks import sealing, signing
from core.webhooks.models import Webhook
from core.webhooks.services import subscribing
from tests.annotation.crowds.scenes import OFFER, SITE
from tests.annotation.people import Scene as StudyScene
from tests.annotation.people import candidate_import, full_scene
from tests.benchmarks.factories import add_member, ask_for_import, ask_for_tryout
from tests.benchmarks.scenes import Scene as SetScene
from tests.benchmarks.scenes import make_scene

HOUR = timedelta(hours=1)


@dataclass
class Scene:
    """keys: the session keys of the people. values: URL parameters by name. own: URL parameters of
    single routes."""

    study: StudyScene
    set: SetScene
    keys: dict[str, str]
    values: dict[str, Any]
    own: dict[str, dict[str, Any]]
    browser: Client = field(default_factory=Client)

    def client(self, person: str) -> Client:
        """The browser with only the person's session: a test also signs out."""
        self.browser.cookies.clear()
        if person in self.keys:
            self.browser.cookies[settings.SESSION_COOKIE_NAME] = self.keys[person]
        return self.browser

    def kwargs(self, name: str, parts: set[str]) -> dict[str, Any]:
        """The parts of a route's address."""
        arguments = self.values | self.own.get(name, {})
        return {part: arguments[part] for part in parts}


def make_everything(folder: Path) -> Scene:
    people = {
        "submitter": User.objects.create_user("submitter"),
        "outsider": User.objects.create_user("outsider", is_staff=True),
        "viewer": User.objects.create_user("viewer"),
        "editor": User.objects.create_user("editor"),
        "owner": User.objects.create_user("owner", is_staff=True),
        "administrator": User.objects.create_superuser("administrator"),
    }
    study, judged = full_scene(people["owner"]), make_scene()
    # Who has waited long makes the page ask the broker for workers, and nobody answers here.
    MetricRun.objects.filter(status__in=MetricRun.ACTIVE).update(created_at=now() + HOUR)
    for role in (Role.VIEWER, Role.EDITOR):
        study_members(study.study).add(people[role.value], role, at=now())
    for role in Role:
        add_member("small", people[role.value], role)
    keys = {}
    for name, user in people.items():
        client = Client()
        client.force_login(user)
        keys[name] = client.cookies[settings.SESSION_COOKIE_NAME].value
    return Scene(study, judged, keys, _values(study, judged), _own(study, judged, people, folder))


def _values(study: StudyScene, judged: SetScene) -> dict[str, Any]:
    return {
        "page": "nothing.html",
        "slug": study.slug,
        "ref": judged.ref,
        "version": 1,
        "number": 1,
        "kind": "full",
        "name": study.workers[0].worker.name,
        "provider": "link",
        "extension": "json",
        "key": "c1-b",
        "pk": judged.run.pk,
        "token": token_for(study.workers[0]),
    }


def _own(
    study: StudyScene, judged: SetScene, people: dict[str, User], folder: Path
) -> dict[str, dict[str, Any]]:
    owner = people["owner"]
    upload = uploads.store_upload(
        study.study, "a.csv", b"reference,candidate\na,b\n", "csv", "rated", by=owner, at=now()
    )
    crowd = _publication(study, owner)
    submitted = _submitted(crowd, study)
    token, _ = tokens.make(
        owner,
        "one",
        ["sets:read"],
        expires_at=now() + timedelta(days=1),
        at=now(),
    )
    invited = invitations.invite(owner, SiteRole.SUBMITTER, at=now())
    submission = Submission.objects.create(
        judgment_set=judged.judgment_set,
        owner=owner,
        kind="scores",
        name="mine",
        created_at=now(),
    )
    webhook = Webhook.objects.create(
        owner=owner,
        kind="study",
        key=study.slug,
        url="https://hooks.example.org/",
        events=["stage.completed"],
        sealed_secret=sealing.seal(signing.new_secret()),
        created_at=now(),
    )
    spec = JudgeSpec("model", "https://8.8.8.8/v1", "m", "", 1000)
    asked_model = judging.draft(judged.judgment_set, spec, owner=owner, at=now())
    sent = ask_for_import(owner, folder)
    delivery = subscribing.ping(webhook, at=now())
    tried = ask_for_tryout(owner).pk
    hold = Assignment.objects.filter(worker=study.workers[0].worker).earliest("pk")
    arguments_by_route: dict[str, dict[str, Any]] = {
        "study-verdict": {"pk": study.rating.pk},
        "study-settle": {"pk": study.candidate.pk},
        "study-answer": {"pk": study.message.pk},
        "revoke-token": {"pk": token.pk},
        "end-session": {"pk": SignIn.objects.filter(user=owner)[0].pk},
        "withdraw-invitation": {"pk": invited.pk},
        "invitation": {"signed": invitations.signed(invited)},
        "password_reset_confirm": {"uidb64": "MQ", "token": "a-b"},
        "change-submission": {"pk": submission.pk},
        "model-judge": {"pk": asked_model.pk},
        "change-model-judge": {"pk": asked_model.pk},
        "align": {"pk": asked_model.pk},
        "comparison-file": {"name": "comparison"},
        "correctness-file": {"name": "roc", "extension": "svg"},
        "study-crowd-decide": {"pk": submitted.pk},
        "crowd-account-enter": {"provider": "mturk"},
        "crowd-account-test": {"pk": 1_000_000},
        "crowd-account-remove": {"pk": 1_000_000},
        "retry-run": {"pk": judged.failed.pk},
        "stop-run": {"pk": judged.queued.pk},
        "rating-assignment": {"pk": hold.pk},
        "rating-ratings": {"pk": hold.pk},
        "crowd-enter": {"signed": "a:b"},
        "crowd-task": {"token": "a:b"},
        "crowd-ratings": {"token": "a:b"},
    }
    importing = candidate_import(study.study, owner)
    for name in ("candidate-import", "stop-candidate-import", "after-import", "take-out-import"):
        arguments_by_route[f"study-{name}"] = {"pk": importing.pk}
    for name in ("study-upload", "study-import-upload", "study-discard-upload"):
        arguments_by_route[name] = {"pk": upload.pk}
    for name in ("sync", "try-again", "order", "end", "budget", "review", "approve", "payments"):
        arguments_by_route[f"study-crowd-{name}"] = {"pk": crowd.pk}
    for name in ("refresh-payments", "decisions"):
        arguments_by_route[f"study-crowd-{name}"] = {"pk": crowd.pk}
    for name in ("webhook", "webhook-change", "webhook-do", "webhook-delivery"):
        arguments_by_route[name] = {"pk": webhook.pk, "key": delivery.pk}
    asked = freezing.request(study.study, "mean", by=owner, at=now())
    for name in ("study-freezing", "study-stop-freezing"):
        arguments_by_route[name] = {"pk": asked.pk}
    for name in ("set-import", "set-import-columns", "discard-set-import", "stop-set-import"):
        arguments_by_route[name] = {"pk": sent.pk}
    arguments_by_route["tryout"] = {"pk": tried}
    for name in ("stop-job", "retry-job"):
        run = {"kind": "metricrun", "pk": judged.run.pk}
        arguments_by_route[f"administration-{name}"] = run
    arguments_by_route["webhook-redeliver"] = arguments_by_route["webhook-delivery"]
    files = ("study-history-file", "study-ratings-file", "set-history-file", "audit-file")
    for name in (*files, "across-file"):
        arguments_by_route[name] = {"extension": "csv"}
    return arguments_by_route


def _publication(study: StudyScene, owner: User) -> Publication:
    """A crowd of people who are sent a link; ordered, and nobody told yet."""
    draft = publishing.draft(
        study.stage, "link", OFFER, environment="", site=SITE, budget_cents=None, at=now()
    )
    cost = dollars(publishing.quote(draft).price.total)
    ordering.order(draft, confirmed=cost, by=owner, at=now())
    draft.refresh_from_db()
    return draft


def _submitted(crowd: Publication, study: StudyScene) -> CrowdAssignment:
    """One worker's submission, to be decided on."""
    listing = Listing.objects.create(publication=crowd, places=1, pay_cents=4, key="access-1")
    return CrowdAssignment.objects.create(
        publication=crowd,
        listing=listing,
        participation=study.workers[0],
        provider_id="session-1",
        status=CrowdAssignment.Status.SUBMITTED,
        submitted_at=now(),
    )
