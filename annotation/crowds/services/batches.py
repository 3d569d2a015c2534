"""Batches of Mechanical Turk's requester pages: input file and template out, results in."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.template.loader import render_to_string

from annotation.crowds.models import Listing, Publication
from annotation.crowds.providers.mturk.files import InputHit, read_results, write_input
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import CrowdError, State
from annotation.crowds.services import syncing
from annotation.markdown import render
from annotation.rating.models import Hit
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage
from core import audit


def input_file(stage: Stage) -> Iterator[str]:
    """The input file of a stage's HITs that lack ratings."""
    hits = list(stage.hits.filter(open_slots__gt=0).order_by("index"))
    found = [_input(hit) for hit in hits]
    return write_input(found, max((len(one.rows) for one in found), default=1))


def template(stage: Stage) -> str:
    """The page for MTurk's editor, whose `${names}` the input file's columns fill."""
    protocol = stage.study.current.protocol
    hits = stage.hits.filter(open_slots__gt=0)
    most = max((hit.members.count() for hit in hits), default=1)
    shown = {
        "study": stage.study,
        "protocol": protocol,
        "instructions": render(protocol.instructions),
        "examples": render(protocol.examples),
        "numbers": range(1, most + 1),
    }
    return render_to_string("annotation/crowds/batch_template.html", shown)


def take_results(stage: Stage, content: str, *, at: datetime) -> syncing.Synced:
    """Take a batch's results in, all or nothing; the same file again changes nothing.

    Raises StudyError for lines that name HITs which the stage does not have, and for files that
    are none.
    """
    try:
        rows = read_results(content)
    except CrowdError as error:
        raise StudyError(f"{error} Nothing was taken in.") from error
    hits = {hit.index: hit for hit in stage.hits.all()}
    unknown = sorted({row.hit_number for row in rows} - set(hits))
    if unknown:
        raise StudyError(
            f"The stage has no HIT {', '.join(map(str, unknown[:20]))}. Nothing was taken in."
        )
    found = syncing.Synced()
    with transaction.atomic():
        publication = _publication(stage, at)
        listings: dict[str, Listing] = {}
        for row in rows:
            told = row.submission
            if told.listing_id not in listings:
                listings[told.listing_id] = _listing(
                    publication,
                    hits[row.hit_number],
                    told.listing_id,
                    row.places,
                    row.reward_cents,
                )
            change = syncing.take_in(listings[told.listing_id], told, at=at)
            found.submitted += change == State.SUBMITTED
            found.decided += change in (State.APPROVED, State.REJECTED)
        found.listings = len(listings)
        about = {"submitted": found.submitted, "decided": found.decided}
        audit.record(None, "crowd.results taken in", publication, after=about, study=stage.study)
    return found


def _publication(stage: Stage, at: datetime) -> Publication:
    live = Publication.objects.filter(stage=stage).exclude(status=Publication.Status.ENDED)
    found = live.select_related("stage__study").first()
    if found is not None and found.provider != "files":
        raise StudyError(
            f"The stage is with {found.provider} now; end that first. Nothing was taken in."
        )
    earlier = Publication.objects.filter(stage=stage, provider="files")
    found = found or earlier.select_related("stage__study").first()
    if found is None:
        found = Publication.objects.create(
            stage=stage,
            provider="files",
            site="",
            offer=Offer(stage.study.title, "A batch of the requester pages.").to_json(),
            uid=secrets.token_hex(6),
            status=Publication.Status.LIVE,
            created_at=at,
        )
    return found


def _listing(
    publication: Publication, hit: Hit, provider_id: str, places: int, reward: int
) -> Listing:
    found = publication.listings.filter(provider_id=provider_id).first()
    if found is not None:
        return found
    # A batch's HIT takes the place of a listing that was made when the batch was ordered here.
    ordered = publication.listings.filter(hit=hit, provider_id__startswith=publication.uid).first()
    if ordered is not None:
        ordered.provider_id, ordered.places = provider_id, places
        ordered.pay_cents = reward or ordered.pay_cents
        ordered.save(update_fields=["provider_id", "places", "pay_cents"])
        return ordered
    part = publication.listings.filter(hit=hit).count() + 1
    return Listing.objects.create(
        publication=publication,
        hit=hit,
        part=part,
        places=places,
        pay_cents=reward or hit.pay_cents,
        key=f"{publication.uid}-{hit.pk}-{part}",
        provider_id=provider_id,
    )


def _input(hit: Hit) -> InputHit:
    members = hit.members.order_by("position").select_related("candidate__instance")
    passages, rows = [], []
    for member in members:
        candidate, instance = member.candidate, member.candidate.instance
        if instance.passage not in passages:
            passages.append(instance.passage)
        reference = " / ".join(instance.references)
        rows.append((str(candidate.pk), instance.question, reference, candidate.text))
    return InputHit(hit.index, "\n".join(passages), tuple(rows))
