"""Workers in a study: joining, consent, qualification test, exclusion, withdrawal, pay."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils.formats import number_format
from django.utils.translation import gettext

from annotation.identities.sealing import Sealed, lookups
from annotation.rating.models import Assignment, Message, Participation, Rating, Worker
from annotation.rating.services import handing_out
from annotation.rating.services.tokens import ERASED
from annotation.studies.models import ProtocolVersion, Stage, Study, StudyCandidate
from annotation.studies.services.checks import key_of
from concord.protocols import Protocol
from concord.protocols.keys import KeyedAnswer, graded_answers
from core import audit
from core.compiled_queries import CompiledQuery, Parameter
from core.refusals import RefusedError

Qualified = Participation.Qualified
PAID = (Assignment.Status.SUBMITTED, Assignment.Status.SURPLUS)
MESSAGE_CHARS = 10_000


def too_long() -> str:
    """The reason why a message is refused that is longer than MESSAGE_CHARS."""
    return gettext("A message may have at most %(limit)s characters.") % {
        "limit": number_format(MESSAGE_CHARS, force_grouping=True)
    }


@dataclass(frozen=True)
class TestAnswer:
    """The keyed answers of a worker to one item of a qualification test.

    value: the main answer; None if the worker could not judge.
    """

    candidate: StudyCandidate
    value: int | None
    graded: list[KeyedAnswer]

    @property
    def passed(self) -> bool:
        """Whether every keyed answer is right."""
        return all(one.is_right for one in self.graded)


@dataclass(frozen=True)
class TestResult:
    """The result of a qualification test. `tries_left` counts further tries."""

    answers: list[TestAnswer]
    passed: bool
    tries_left: int

    @property
    def correct(self) -> int:
        """How many keyed answers are right."""
        return sum(one.is_right for answer in self.answers for one in answer.graded)

    @property
    def count(self) -> int:
        """How many answers have a key."""
        return sum(len(answer.graded) for answer in self.answers)


def join(
    study: Study, provider: str, provider_id: str, *, at: datetime, simulated: bool = False
) -> Participation:
    """The worker's participation in a study; created at the first visit."""
    with transaction.atomic():
        worker = get_or_create_worker(study, provider, provider_id, simulated=simulated, at=at)
        participation, _ = Participation.objects.get_or_create(
            study=study, worker=worker, defaults={"created_at": at}
        )
    return participation


def consent(participation: Participation, *, at: datetime) -> None:
    """Record that the worker agreed to the consent text, and its version. The first consent
    counts."""
    with transaction.atomic():
        # The lock prevents a change between reading the version and storing it.
        version = ProtocolVersion.objects.select_for_update().get(pk=participation.study.current.pk)
        Participation.objects.filter(pk=participation.pk, consented_at=None).update(
            consented_at=at, consented_to=version
        )


def open_stage_for(participation: Participation, protocol: Protocol) -> Stage | None:
    """The stage in which the worker may rate now: the test first, then the latest open stage.

    protocol: the study's current one.
    """
    stages = {stage.kind: stage for stage in _open_stages.rows(study=participation.study_id)}
    for stage in stages.values():
        stage.study = participation.study
    test = stages.pop(Stage.Kind.QUALIFICATION, None)
    if protocol.qualification is not None and participation.qualified != Qualified.PASSED:
        if participation.qualified == Qualified.FAILED or is_over(participation.study):
            return None
        return test
    return next(reversed(stages.values()), None)


@CompiledQuery
def _open_stages() -> QuerySet[Stage]:
    rows = Stage.objects.filter(study=Parameter("study"), status=Stage.Status.OPEN)
    return rows.order_by("number")


def is_over(study: Study) -> bool:
    """Whether the study takes no more raters: it is archived, or its full stage was closed and no
    second look is open."""
    if study.archived_at is not None:
        return True
    states = dict(study.stages.values_list("kind", "status"))
    if states.get(Stage.Kind.SECOND_LOOK) == Stage.Status.OPEN:
        return False
    return states.get(Stage.Kind.FULL) == Stage.Status.CLOSED


def grade_test(assignment: Assignment) -> TestResult:
    """Grade a submitted qualification test and store the result. Grading again changes nothing.

    A worker passes with the protocol's share of right answers (`concord.protocols.keys`), among all
    that have a key. A worker who failed may try again
    while tries are left; the next try overwrites the ratings. A test that is not submitted is
    graded without storing the result.
    """
    rules = assignment.protocol_version.protocol.qualification
    assert rules is not None
    with transaction.atomic():
        participation = Participation.objects.select_for_update().get(
            study=assignment.hit.stage.study_id, worker=assignment.worker_id
        )
        answers = _answers(assignment, rules.tolerance)
        graded = [one.is_right for answer in answers for one in answer.graded]
        share = sum(graded) / max(1, len(graded))
        passed = share >= rules.pass_share - 1e-9
        # A test that is submitted twice, or whose result is shown again, counts as one try.
        submitted = Assignment.objects.filter(pk=assignment.pk, status__in=PAID, graded=False)
        if submitted.update(graded=True) and participation.qualified == Qualified.NOT_YET:
            participation.tries += 1
            if participation.tries > 1 and rules.pay_each_try:
                Assignment.objects.filter(pk=assignment.pk).update(
                    pay_cents=F("pay_cents") + assignment.hit.pay_cents
                )
            if passed:
                participation.qualified = Qualified.PASSED
            elif participation.tries >= rules.tries:
                participation.qualified = Qualified.FAILED
            participation.save(update_fields=["tries", "qualified"])
    return TestResult(answers, passed, max(0, rules.tries - participation.tries))


def count_keyed(test: Stage) -> int:
    """How many answers of an opened qualification test have a key."""
    rows = StudyCandidate.objects.filter(hits__stage=test)
    keys = rows.values_list("expected", "expected_answers")
    return sum((value is not None) + len(answers) for value, answers in keys)


def submit_test(assignment: Assignment, *, at: datetime) -> TestResult:
    """Submit a qualification test and grade it, in one transaction.

    Raises RefusedError as `submit` does.
    """
    with transaction.atomic():
        # The participation is locked first, as in `hand_out`. In another order, a test submitted
        # twice and a retry could deadlock.
        Participation.objects.select_for_update().get(
            study=assignment.hit.stage.study_id, worker=assignment.worker_id
        )
        return grade_test(handing_out.submit(assignment, at=at))


def retry_test(participation: Participation, *, at: datetime) -> Assignment | None:
    """Let a worker who failed and has tries left take the test again, in the same assignment.

    The new try begins without answers; those of the failed try are kept as earlier values. None if
    that is not possible, or while the test is paused.
    """
    with transaction.atomic():
        # Read again under the lock: the worker's other tab may have used the last try.
        participation = (
            Participation.objects.select_for_update(of=("self",))
            .select_related("study")
            .get(pk=participation.pk)
        )
        protocol = participation.study.current.protocol
        test = (
            Assignment.objects.select_for_update(of=("self",))
            .select_related("hit__stage", "protocol_version")
            .filter(
                worker=participation.worker_id,
                hit__stage__study=participation.study_id,
                hit__stage__kind=Stage.Kind.QUALIFICATION,
                status=Assignment.Status.SUBMITTED,
            )
            .first()
        )
        if test is None or protocol.qualification is None or test.hit.stage.paused_at is not None:
            return None
        grade_test(test)  # in case the site went down between submission and grading
        participation.refresh_from_db()
        if participation.qualified != Qualified.NOT_YET:
            return None
        test.status, test.graded = Assignment.Status.HELD, False
        test.lease_until = at + timedelta(minutes=protocol.time_limit_minutes)
        test.retried_at = at
        test.save(update_fields=["status", "graded", "lease_until", "retried_at"])
    return test


def exclude(participation: Participation, reason: str, *, at: datetime) -> None:
    """Assign a worker no more HITs. Submitted work is kept and paid."""
    rows = Participation.objects.filter(pk=participation.pk, excluded_at=None)
    with transaction.atomic():
        if rows.update(excluded_at=at, exclusion_reason=reason):
            _record(participation, "worker.excluded")


def readmit(participation: Participation) -> None:
    """Undo an exclusion."""
    rows = Participation.objects.filter(pk=participation.pk, excluded_at__isnull=False)
    with transaction.atomic():
        if rows.update(excluded_at=None, exclusion_reason=""):
            _record(participation, "worker.readmitted")


def _record(participation: Participation, action: str) -> None:
    audit.record(None, action, participation.worker, study=participation.study)


def withdraw(participation: Participation, text: str, *, at: datetime) -> None:
    """Record that a worker leaves the study. The ratings are no longer used."""
    with transaction.atomic():
        Participation.objects.filter(pk=participation.pk, withdrawn_at=None).update(withdrawn_at=at)
        write(participation, text or "Withdrawn.", Message.Kind.WITHDRAWAL, at=at)


def write(
    participation: Participation, text: str, kind: str = Message.Kind.QUESTION, *, at: datetime
) -> Message:
    """Store a worker's message to the researcher.

    Raises ValueError if it is empty or too long, and RefusedError if the worker was erased
    meanwhile.
    """
    text = text.strip()
    if not text:
        raise ValueError(gettext("Write a message first."))
    if len(text) > MESSAGE_CHARS:
        raise ValueError(too_long())
    with transaction.atomic():
        # An erasure deletes the messages under this lock, and with them one stored before.
        Participation.objects.select_for_update(no_key=True).get(pk=participation.pk)
        if Worker.objects.get(pk=participation.worker_id).erased_at is not None:
            raise RefusedError(ERASED, "link-refused")
        return Message.objects.create(
            participation=participation, text=text, kind=kind, created_at=at
        )


@dataclass(frozen=True)
class Totals:
    """A worker's submissions in the study, whether they count or not, and the pay for them.

    A test that is being repeated is not submitted, but stays paid.
    """

    submitted: int
    earned_cents: int


def totals(participation: Participation) -> Totals:
    """What the worker has submitted and earned in the study; one query."""
    return Totals(*(_totals.first(worker=participation.worker_id) or (0, 0)))


@CompiledQuery
def _totals() -> QuerySet[Assignment, tuple[int, int]]:
    of_worker = Assignment.objects.filter(worker=Parameter("worker")).order_by().values("worker")
    return of_worker.annotate(
        submitted=Count("pk", filter=Q(status__in=PAID)),
        earned_cents=Coalesce(Sum("pay_cents", filter=Q(submitted_at__isnull=False)), 0),
    ).values_list("submitted", "earned_cents")


def earned_cents(participation: Participation) -> int:
    """What the worker has earned in the study."""
    return totals(participation).earned_cents


def _answers(assignment: Assignment, tolerance: int) -> list[TestAnswer]:
    protocol = assignment.protocol_version.protocol
    rows = Rating.objects.made_in(assignment)
    ratings = {
        pk: (value, answers)
        for pk, value, answers in rows.values_list("candidate_id", "value", "answers")
    }
    items = []
    for candidate in assignment.hit.candidates.order_by("memberships__position"):
        value, answers = ratings.get(candidate.pk, (None, {}))
        graded = graded_answers(protocol, key_of(candidate), value, answers, tolerance)
        items.append(TestAnswer(candidate, value, graded))
    return items


def get_or_create_worker(
    study: Study, provider: str, provider_id: str, *, simulated: bool = False, at: datetime
) -> Worker:
    """The study's worker with this id at the provider; created at the first visit."""
    worker = Worker.objects.known_as(provider, provider_id).filter(study=study).first()
    if worker is not None:
        return worker
    new_worker, _ = Worker.objects.get_or_create(
        study=study,
        provider=provider,
        identity_key=lookups(provider, provider_id)[0],
        defaults={
            "identity": Sealed.of(provider_id),
            "name": _worker_name(study, provider, provider_id, simulated),
            "simulated": simulated,
            "created_at": at,
        },
    )
    return new_worker


def _worker_name(study: Study, provider: str, provider_id: str, simulated: bool) -> str:
    """The worker's name for researchers.

    It is random, so that it cannot be derived from the id. The name of a simulated worker is
    derived from its seed, so that simulations can be repeated.
    """
    if not simulated:
        return f"w-{secrets.token_hex(6)}"
    key = f"concord worker name {settings.SECRET_KEY}".encode()
    text = f"{study.slug}:{provider}:{provider_id}"
    digest = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"w-{digest[:10]}"
