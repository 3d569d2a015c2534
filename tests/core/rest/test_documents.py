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
from annotation.stages.services.sampling_figures import STATES
from annotation.studies.models import Stage, StudyCandidate
from annotation.studies.services import uploads
from benchmarks.runs.models import Submission
from concord.documents import (
    crowds,
    model_judges,
    runs,
    sampling,
    stages,
    study_candidates,
    work,
)
from concord.documents.conversion import declared_fields
from concord.sampling import AIMS, RULES, STRATIFY_BY, TARGET_KINDS
from core.jobs.models import Job
from core.rest.operations import FORM, JSON, Operation
from tests.core.rest.everything import Everything, make_everything
from tests.core.rest.people import BASE
from tests.core.rest.test_access import address, operations
from tests.documents import answered_operations

# Operations with real answers in the tests of their features only, which make what they need.
ELSEWHERE = [
    "POST api-checkpoints",
    "POST api-continue-sampling",
    "POST api-crowd-results",
    "GET api-crowd-submissions",
    "GET api-draft",
    "POST api-import-upload",
    "GET api-missing-raters",
    "POST api-missing-raters",
    "POST api-model-judges",
    "PUT api-new-draft",
    "POST api-open-stage",
    "POST api-publish-draft",
    "GET api-sampling",
    "POST api-sampling",
    "POST api-submissions",
    "PUT api-upload",
]
ROWS = b"id,question,reference,candidate\nu1,What?,a boat,a house\n"
LINES = b'{"id": "c1-a", "score": 4, "candidate": "a boat", "references": ["a"]}\n'


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
    client.force_login(User.objects.get(username="rosa"))
    if method == "GET":
        return client.get(path)
    body = BODIES.get(name, declared.example)
    if declared.takes == FORM:
        return client.post(path, body)
    return client.generic(method, path, "" if body is None else json.dumps(body), JSON)


def _file(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


# Bodies of the operations whose examples do not fit the objects of the tests.
BODIES: dict[str, dict[str, Any]] = {
    "POST api-uploads": {"file": _file("u.csv", ROWS), "use": "rated"},
    "POST api-sets": {"name": "new", "format": "concord", "files": _file("a.jsonl", LINES)},
}
CHOICES: tuple[tuple[Any, str, Sequence[Any]], ...] = (
    (work.WorkDocument, "status", Job.Status.values),
    (stages.StageDocument, "kind", Stage.Kind.values),
    (stages.StageDocument, "status", Stage.Status.values),
    (crowds.PublicationDocument, "status", Publication.Status.values),
    (crowds.CrowdSubmissionDocument, "status", CrowdAssignment.Status.values),
    (study_candidates.StudyCandidateDocument, "use", StudyCandidate.Use.values),
    (study_candidates.UploadDocument, "use", tuple(uploads.USES)),
    (runs.SubmissionDocument, "kind", Submission.Kind.values),
    (model_judges.ModelJudgeDocument, "judged", Submission.Judged.values),
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
