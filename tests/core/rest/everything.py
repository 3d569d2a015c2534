"""An object for every parameter of an address, and people of every role, for tests of the API."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from scorers.learned.checkpoint import checkpoint_folder
from tests.annotation import people
from tests.benchmarks.factories import ask_for_import, write_lines
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
        "analysis": analysis.pk,
        "freezing_id": freezing.request(study.study, "mean", by=users["owner"], at=now()).pk,
        "set_import": ask_for_import(users["owner"], folder).pk,
        "checkpoint": _checkpoint(),
        "submission": _submission(folder, scene.judgment_set, users["owner"]),
        "model_judge": judging.draft(
            scene.judgment_set,
            JudgeSpec("model", "https://8.8.8.8/v1", "m", "", 1000),
            owner=users["owner"],
            at=now(),
        ).pk,
        "slug": study.slug,
        "import_id": people.candidate_import(study.study, users["owner"]).pk,
        "upload": _upload(study.study, users["owner"]),
        "kind": "full",
        "publication": _publication(study.stage),
        "provider": "link",
    }
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
