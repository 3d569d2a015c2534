"""What people wrote about or to a rater, and its removal.

Whoever adds a column for such texts names it here: erasing a rater and deleting a study remove
them. The audit log cannot change, so it holds no such texts. A test writes a mark into all of them
and then searches every table.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q
from django.urls import reverse

from annotation.crowds.models import CrowdAssignment, CrowdCall, Payment
from annotation.quality.models import Adjudication, LedgerStep
from annotation.rating.models import Message, Participation, Worker
from annotation.studies.models import Study
from core.rest.idempotency import remove_answers


def remove(participations: Collection[int]) -> int:
    """Remove the texts of these participations but those in their ratings; returns how many
    messages. Notes on the candidates that they rated, and stored answers of the API about their
    studies, may be about them and are removed too.

    Calls to a platform must have been made or cancelled before: they send such texts.
    """
    Participation.objects.filter(pk__in=participations).update(exclusion_reason="")
    crowd = CrowdAssignment.objects.filter(participation__in=participations)
    crowd.update(feedback="", problem="")
    Payment.objects.filter(crowd_assignment__participation__in=participations).update(reason="")
    is_about = Q(crowd_assignment__participation__in=participations)
    is_about |= Q(payload__participation__in=participations)
    for call in CrowdCall.objects.filter(is_about):
        call.payload = _blank(call.payload, "feedback", "reason")
        call.error = ""
        call.save(update_fields=["payload", "error"])
    workers = Worker.objects.filter(participations__in=participations)
    names = list(workers.values_list("name", flat=True))
    for step in LedgerStep.objects.filter(content__worker__in=names).select_for_update():
        step.content, step.note = _blank(step.content, "reason"), ""
        step.save(update_fields=["content", "note"])
    rated = Q(candidate__ratings__worker__participations__in=participations)
    notes = Adjudication.objects.filter(rated).exclude(note="")
    Adjudication.objects.filter(pk__in=notes.values("pk")).update(note="")
    studies = Study.all_rows.filter(participations__in=participations).distinct()
    for slug in studies.values_list("slug", flat=True):
        remove_answers(reverse("api-study", args=[slug]))
    return Message.objects.filter(participation__in=participations).delete()[0]


def _blank(content: dict[str, object], *names: str) -> dict[str, object]:
    return content | dict.fromkeys(set(names) & content.keys(), "")
