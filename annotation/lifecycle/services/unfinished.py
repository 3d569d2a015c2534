"""The work and payments that keep a study from being archived or deleted."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Sum

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.rating.models import Assignment
from annotation.studies.models import CandidateImport, Stage, Study
from concord.sentences import counted

# Rated or submitted at a crowd platform, and neither approved nor rejected.
UNDECIDED = (CrowdAssignment.Status.RATED, CrowdAssignment.Status.SUBMITTED)
UNFINISHED_CALLS = (CrowdCall.Status.WAITING, CrowdCall.Status.STARTED)


def open_work(study: Study, *, at: datetime) -> list[str]:
    """What is in progress in the study, in sentences with what to do; empty if nothing is."""
    reasons = [
        f"The {kind} stage is open. Close it on the Stages page."
        for kind in study.stages.filter(status=Stage.Status.OPEN).values_list("kind", flat=True)
    ]
    n_tasks = Assignment.objects.filter(
        hit__stage__study=study, status=Assignment.Status.HELD, lease_until__gt=at
    ).count()
    if n_tasks:
        reasons.append(
            f"{counted(n_tasks, 'task is', 'tasks are')} in progress. Wait until they are "
            "submitted or expire."
        )
    publications = Publication.objects.filter(stage__study=study)
    if publications.filter(status=Publication.Status.LIVE).exists():
        reasons.append("The study is published on a crowd. End it on the Crowd page.")
    imports = CandidateImport.objects.filter(study=study, status__in=CandidateImport.ACTIVE)
    if imports.exists():
        reasons.append("Candidates are being added. Wait, or stop it on the Candidates page.")
    return reasons


def unpaid_work(study: Study) -> list[str]:
    """What the platforms still owe raters, in sentences with what to do; empty if nothing."""
    reasons = []
    crowd = CrowdAssignment.objects.filter(publication__stage__study=study)
    undecided = crowd.filter(status__in=UNDECIDED).count()
    if undecided:
        reasons.append(
            f"{counted(undecided, 'submission is', 'submissions are')} not reviewed. Approve "
            "or reject them on the "
            "Crowd page."
        )
    calls = CrowdCall.objects.filter(
        publication__stage__study=study, status__in=UNFINISHED_CALLS
    ).count()
    if calls:
        reasons.append(f"{counted(calls, 'call is', 'calls are')} to the platform not finished.")
    return reasons


def earned_by_links(study: Study) -> int:
    """What people earned in the study without a platform that pays them, in cents."""
    work = Assignment.objects.filter(
        hit__stage__study=study, submitted_at__isnull=False, worker__simulated=False
    ).exclude(
        worker__participations__in=CrowdAssignment.objects.filter(
            publication__stage__study=study
        ).values("participation")
    )
    total: int = work.aggregate(cents=Sum("pay_cents", default=0))["cents"]
    return total
