"""Objects of every kind and people of every role, for tests of the whole API."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.crowds.models import Publication
from annotation.studies.models import StudyMember
from annotation.studies.services import uploads
from benchmarks.analyses import services as analyses
from benchmarks.checkpoints.services import read_checkpoint
from benchmarks.freezing import services as freezing
from benchmarks.judging import services as judging
from benchmarks.judging.services import JudgeSpec
from benchmarks.sets.models import JudgmentSet, SetMember
from benchmarks.submissions import services as submissions
from core.accounts.roles import Role
from core.webhooks import sealing, signing
from core.webhooks.models import Webhook
from core.webhooks.services import subscribing
from scorers.learned.checkpoint import checkpoint_folder
from tests.annotation import people
from tests.benchmarks.factories import ask_for_import, ask_for_tryout, write_lines
from tests.benchmarks.scenes import make_scene
from tests.core.rest.people import caller, person

RESEARCHERS = ("outsider", "administrator")
ROLES = ("visitor", "submitter", "outsider", "viewer", "editor", "owner", "administrator")


@dataclass
class Everything:
    """names: values of URL parameters by name. tokens: an API token for each role."""

    names: dict[str, Any]
    tokens: dict[str, str]


def make_everything(folder: Path) -> Everything:
    study = people.full_scene(people.researcher("rosa"))
    scene = make_scene()
    JudgmentSet.objects.update(published_at=None)
    users = {"owner": study.study.owner} | {
        role: person(role, is_staff=role in RESEARCHERS, is_superuser=role == "administrator")
        for role in ROLES
        if role not in ("visitor", "owner")
    }
    for role in Role:
        user = users[role.value]
        SetMember.objects.create(set_name="small", user=user, role=role, since=now())
        if role != Role.OWNER:
            StudyMember.objects.create(study=study.study, user=user, role=role, since=now())
    analysis = analyses.request_analysis("agreement", scene.judgment_set, {"draws": 50})
    names = {
        "ref": "small@1",
        "run": scene.run.pk,
        "queued": scene.queued.pk,
        "failed": scene.failed.pk,
        "analysis": analysis.pk,
        "freezing_id": freezing.request(study.study, "mean", by=users["owner"], at=now()).pk,
        "set_import": ask_for_import(users["owner"], folder).pk,
        "tryout": ask_for_tryout(users["owner"]).pk,
        "checkpoint": _checkpoint(),
        "submission": _submission(folder, scene.judgment_set, users["owner"]),
        "model_judge": judging.draft(
            scene.judgment_set,
            JudgeSpec("model", "https://8.8.8.8/v1", "m", "", 1000),
            owner=users["owner"],
            at=now(),
        ).pk,
        "key": "c1-b",
        "slug": study.slug,
        "version": 1,
        "import_id": people.candidate_import(study.study, users["owner"]).pk,
        "upload": _upload(study.study, users["owner"]),
        "kind": "full",
        "worker": study.workers[0].worker.name,
        "number": 1,
        "rating": study.rating.pk,
        "candidate": study.candidate.pk,
        "message": study.message.pk,
        "publication": _publication(study.stage),
        "provider": "link",
        "username": "viewer",
        "token": 1,
        "session": 1,
        "submitted": 1,
        "invitation": 1,
    }
    names["webhook"], names["delivery"] = _webhook(users["owner"])
    tokens = {role: caller(user).token for role, user in users.items()}
    return Everything(names, tokens | {"visitor": ""})


def _submission(folder: Path, judgment_set: JudgmentSet, owner: User) -> int:
    keys = judgment_set.candidates.values_list("key", flat=True)
    file = write_lines(folder / "scores.jsonl", [{"id": key, "score": 0.5} for key in keys])
    about = submissions.SubmissionInfo("Mine")
    submission = submissions.submit_scores(judgment_set, about, file, owner=owner, at=now())
    return submission.pk


def _checkpoint() -> str:
    read_checkpoint(checkpoint_folder("ava"), "learned", at=now()).save()
    return "learned"


def _upload(study: Any, by: User) -> int:
    line = b'{"id": "u1", "references": ["a"], "question": "q", "candidate": "b"}\n'
    return uploads.store_upload(study, "u.jsonl", line, "concord", "rated", by=by, at=now()).pk


def _webhook(owner: User) -> tuple[int, UUID]:
    webhook = Webhook.objects.create(
        owner=owner,
        kind="account",
        key=str(owner.pk),
        url="https://example.org/",
        events=["run.done"],
        sealed_secret=sealing.seal(signing.new_secret()),
        created_at=now(),
    )
    return webhook.pk, subscribing.ping(webhook, at=now()).pk


def _publication(stage: Any) -> int:
    publication = Publication.objects.create(
        stage=stage,
        provider="link",
        site="http://localhost/",
        offer={"title": "Rate", "description": "Is it right?"},
        uid="f00",
        status=Publication.Status.ENDED,
        created_at=now(),
    )
    return publication.pk
