"""Every operation of the API is asked for a real answer, which must be as its document declares.

`tests.documents.check_answers` compares the answers, here and in all other tests.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.rating.models import Assignment, Message, Participation
from annotation.stages.services.sampling_figures import STATES
from annotation.studies.models import Stage, StudyCandidate
from annotation.studies.services import uploads
from benchmarks.runs.models import Submission
from concord.documents import (
    account,
    crowds,
    model_judges,
    quality,
    ratings,
    runs,
    sampling,
    stages,
    study_candidates,
    webhooks,
    work,
)
from concord.documents.conversion import declared_fields
from concord.sampling import AIMS, RULES, STRATIFY_BY, TARGET_KINDS
from core.accounts.roles import Role
from core.jobs.models import Job
from core.rest.operations import FORM, JSON, Operation
from core.webhooks.models import Delivery
from tests.core.rest.everything import Everything, make_everything
from tests.core.rest.people import BASE
from tests.core.rest.test_access import address, operations
from tests.documents import answered_operations

# Operations with real answers in the tests of their features only, which make what they need.
ELSEWHERE = [
    "POST api-approve",
    "POST api-archive-study",
    "POST api-bonus",
    "GET api-changes",
    "POST api-checkpoints",
    "POST api-continue-sampling",
    "GET api-criteria",
    "POST api-crowd-results",
    "GET api-crowd-submission",
    "GET api-crowd-submissions",
    "GET api-draft",
    "POST api-import-upload",
    "GET api-missing-raters",
    "POST api-missing-raters",
    "POST api-model-judges",
    "PUT api-new-draft",
    "POST api-open-stage",
    "POST api-publish-draft",
    "POST api-redeliver",
    "POST api-reject",
    "POST api-resume-model-judge",
    "GET api-sampling",
    "POST api-sampling",
    "GET api-spans",
    "POST api-submissions",
    "POST api-top-up",
    "PUT api-upload",
    "PUT api-webhook",
    "POST api-webhooks",
    "POST api-write-pair",
]
STUDY = f"{BASE}/studies/boats"
# What is requested first, so that an operation has something to answer about.
BEFORE: dict[str, tuple[str, dict[str, Any]]] = {
    "POST api-resume-stage": (f"{STUDY}/stages/full/pause", {"reason": "The text was wrong."}),
    "GET api-invitations": (f"{BASE}/account/invitations", {"site_role": "submitter"}),
}
ROWS = b"id,question,reference,candidate\nu1,What?,a boat,a house\n"
LINES = b'{"id": "c1-a", "score": 4, "candidate": "a boat", "references": ["a"]}\n'
PAIR = {"id": "p", "candidate1": "a", "score1": 5, "candidate2": "b", "score2": 1}


@pytest.fixture
def everything(db: None, tmp_path: Path, settings: Any) -> Everything:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "unlimited")
    return make_everything(tmp_path)


def test_every_operation_answers_with_its_document(everything: Everything) -> None:
    answered_operations.clear()
    without = []
    for method, pattern in operations():
        view: Any = pattern.callback
        declared: Operation = getattr(view.cls, method.lower()).operation
        name = f"{method} {pattern.name}"
        if declared.answer is None or declared.sends != JSON or name in ELSEWHERE:
            continue
        path = BASE + address(pattern, everything)
        with transaction.atomic():
            response = _ask(name, method, path, declared, everything)
            transaction.set_rollback(True)
        if declared.id not in answered_operations:
            without.append(f"{name}: {response.content[:300].decode()}")
    assert not without, "no answer to compare:\n" + "\n".join(without)


def _ask(name: str, method: str, path: str, declared: Operation, everything: Everything) -> Any:
    client = Client()
    by = "administrator" if name == "GET api-audit" else "rosa"
    client.force_login(User.objects.get(username=by))
    if name in BEFORE:
        before, body = BEFORE[name]
        assert client.post(before, body, content_type=JSON).status_code < 300
    if method == "GET":
        return client.get(path, {"run": everything.names["run"]} if "disagree" in path else None)
    body = _bodies(everything).get(name, declared.example)
    if declared.takes == FORM:
        return client.post(path, body)
    return client.generic(method, path, "" if body is None else json.dumps(body), JSON)


def _bodies(everything: Everything) -> dict[str, Any]:
    """Bodies of the operations whose examples do not fit the objects of the tests."""
    names = everything.names
    return {
        "POST api-uploads": {"file": _file("u.csv", ROWS), "use": "rated"},
        "POST api-erase-worker": {"confirm": names["worker"]},
        "POST api-study-from-set": {"items": "disagreements", "run": names["run"]},
        "POST api-sets": {"name": "new", "format": "concord", "files": _file("a.jsonl", LINES)},
        "POST api-import-pairs": {
            "format": "concord",
            "file": _file("p.jsonl", json.dumps(PAIR).encode()),
        },
    }


def _file(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


CHOICES: tuple[tuple[Any, str, Sequence[Any]], ...] = (
    (work.WorkDocument, "status", Job.Status.values),
    (stages.StageDocument, "kind", Stage.Kind.values),
    (stages.StageDocument, "status", Stage.Status.values),
    (stages.AssignmentDocument, "status", Assignment.Status.values),
    (quality.ParticipationDocument, "qualified", Participation.Qualified.values),
    (ratings.MessageDocument, "kind", Message.Kind.values),
    (crowds.PublicationDocument, "status", Publication.Status.values),
    (crowds.CrowdSubmissionDocument, "status", CrowdAssignment.Status.values),
    (study_candidates.StudyCandidateDocument, "use", StudyCandidate.Use.values),
    (study_candidates.UploadDocument, "use", tuple(uploads.USES)),
    (runs.SubmissionDocument, "kind", Submission.Kind.values),
    (model_judges.ModelJudgeDocument, "judged", Submission.Judged.values),
    (webhooks.DeliveryDocument, "status", Delivery.Status.values),
    (account.MemberDocument, "role", [role.value for role in Role]),
    (sampling.SamplingRuleDocument, "name", (*RULES, "active")),
    (sampling.SamplingRuleDocument, "aim", AIMS),
    (sampling.SamplingRuleDocument, "by", STRATIFY_BY),
    (sampling.StoppingRuleDocument, "kind", TARGET_KINDS),
    (sampling.SamplingDocument, "state", STATES),
)


@pytest.mark.parametrize(("document", "name", "values"), CHOICES)
def test_documents_name_all_values_of_a_choice(
    document: Any, name: str, values: Sequence[Any]
) -> None:
    (declared,) = [field.type for field in declared_fields(document) if field.name == name]
    assert list(get_args(declared)) == list(values)
