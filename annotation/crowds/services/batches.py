"""Batches of Mechanical Turk's requester pages: input file and template out, results in."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from annotation.crowds.models import Listing, Publication
from annotation.crowds.providers.mturk.files import (
    InputHit,
    read_results,
    text_columns,
    value_columns,
    write_input,
)
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import CrowdError, State
from annotation.crowds.services import syncing
from annotation.crowds.services.pages import plain_texts, shown_parts
from annotation.markdown import render
from annotation.rating.models import Hit
from annotation.rating.services.hit_members import members
from annotation.rating.services.main_choices import ScaleChoice, choices, place_names
from annotation.rating.services.questions import CriterionQuestion, questions_for
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage
from concord.protocols import Protocol
from core import audit


@dataclass(frozen=True)
class TemplateItem:
    """The `number`-th candidate, pair or set of a HIT; its values are columns of the input file.

    texts: of each place its name, the column of its text, and a column that is empty where a
    smaller set has no such place.
    """

    number: int
    questions: list[CriterionQuestion]
    choices: list[ScaleChoice]
    texts: list[tuple[str, str, str]]


def input_file(stage: Stage) -> Iterator[str]:
    """The input file of the stage's HITs that need ratings.

    Raises StudyError if raters mark parts of the text.
    """
    protocol = stage.study.current.protocol
    check_batch(protocol)
    hits = list(stage.hits.filter(open_slots__gt=0).order_by("index"))
    compared = _most_compared(protocol)
    rows = [_input(hit, compared) for hit in hits]
    return write_input(rows, max((len(one.rows) for one in rows), default=1), compared=compared)


def template(stage: Stage) -> str:
    """The page for MTurk's editor. The columns of the input file fill its `${names}`.

    Raises StudyError if raters mark parts of the text.
    """
    protocol = stage.study.current.protocol
    check_batch(protocol)
    hits = stage.hits.filter(open_slots__gt=0)
    max_candidates = max((hit.members.count() for hit in hits), default=1)
    with translation.override(stage.study.rater_language or "en"):
        context = {
            "study": stage.study,
            "protocol": protocol,
            "instructions": render(protocol.instructions),
            "examples": render(protocol.examples),
            "has_turns": any(
                one.instance.conversation for hit in hits[:1] for one in members(hit.pk)
            ),
            "items": [_template_item(protocol, n) for n in range(1, max_candidates + 1)],
        }
        return render_to_string("annotation/crowds/batch_template.html", context)


def check_batch(protocol: Protocol) -> None:
    """Raise StudyError if raters mark parts of the text.

    The requester pages fill one template for all HITs, and each text has other parts to offer.
    """
    if any(one.kind == "spans" for one in protocol.criteria):
        raise StudyError(
            "Raters of this study mark parts of the text, which a batch of the requester pages "
            "cannot offer, because one template serves all texts. Publish the stage by the API, by "
            "a link or on Prolific."
        )


def import_results(stage: Stage, content: str, *, at: datetime) -> syncing.SyncResult:
    """Import a batch's results, all or nothing. Importing the same file again changes nothing.

    Raises StudyError if the file is invalid or names HITs that the stage does not have.
    """
    try:
        rows = read_results(content)
    except CrowdError as error:
        raise StudyError(f"{error} Nothing was imported.") from error
    hits = {hit.index: hit for hit in stage.hits.all()}
    unknown = sorted({row.hit_number for row in rows} - set(hits))
    if unknown:
        raise StudyError(
            f"The stage has no HIT {', '.join(map(str, unknown[:20]))}. Nothing was imported."
        )
    result = syncing.SyncResult()
    with transaction.atomic():
        publication = _publication(stage, at)
        listings: dict[str, Listing] = {}
        for row in rows:
            submission = row.submission
            if submission.listing_id not in listings:
                listings[submission.listing_id] = _listing(
                    publication,
                    hits[row.hit_number],
                    submission.listing_id,
                    row.places,
                    row.reward_cents,
                )
            change = syncing.record_submission(listings[submission.listing_id], submission, at=at)
            result.submitted += change == State.SUBMITTED
            result.decided += change in (State.APPROVED, State.REJECTED)
        result.listings = len(listings)
        about = {"submitted": result.submitted, "decided": result.decided}
        audit.record(None, "crowd.results taken in", publication, after=about, study=stage.study)
    return result


def _publication(stage: Stage, at: datetime) -> Publication:
    live = Publication.objects.filter(stage=stage).exclude(status=Publication.Status.ENDED)
    publication = live.select_related("stage__study").first()
    if publication is not None and publication.provider != "files":
        raise StudyError(
            f"The stage is published on {publication.provider}. End that publication first. "
            "Nothing was imported."
        )
    earlier = Publication.objects.filter(stage=stage, provider="files")
    publication = publication or earlier.select_related("stage__study").first()
    if publication is None:
        publication = Publication.objects.create(
            stage=stage,
            provider="files",
            site="",
            offer=Offer(stage.study.title, "A batch of the requester pages.").to_json(),
            uid=secrets.token_hex(6),
            status=Publication.Status.LIVE,
            created_at=at,
        )
    return publication


def _listing(
    publication: Publication, hit: Hit, provider_id: str, places: int, reward: int
) -> Listing:
    listing = publication.listings.filter(provider_id=provider_id).first()
    if listing is not None:
        return listing
    # The batch's HIT replaces the listing that was created when the batch was published here.
    planned = publication.listings.filter(hit=hit, provider_id__startswith=publication.uid).first()
    if planned is not None:
        planned.provider_id, planned.places = provider_id, places
        planned.pay_cents = reward or planned.pay_cents
        planned.save(update_fields=["provider_id", "places", "pay_cents"])
        return planned
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


def _most_compared(protocol: Protocol) -> int:
    """How many candidates the largest unit compares; 0 for single candidates."""
    return {"candidate": 0, "pair": 2, "set": len(protocol.scale)}[protocol.unit]


def _template_item(protocol: Protocol, number: int) -> TemplateItem:
    def cell(column: str) -> str:
        return f"${{{column}_{number}}}"

    compared = _most_compared(protocol)
    values = [cell(column) for column in value_columns(compared)]
    names = place_names(protocol) if compared else [gettext("Answer to rate")]
    return TemplateItem(
        number,
        questions_for(protocol, cell("key"), main_field="rating", shown=values),
        choices(protocol, values),
        list(zip(names, map(cell, text_columns(compared)), values or [cell("key")], strict=True)),
    )


def _input(hit: Hit, compared: int) -> InputHit:
    """The HIT's line. A set with fewer candidates than the largest leaves columns empty."""
    passages, rows = [], []
    for candidate in members(hit.pk):
        instance = candidate.instance
        if instance.passage not in passages:
            passages.append(instance.passage)
        reference = " / ".join(instance.references)
        question, text = plain_texts(candidate)
        cells = [text]
        if compared:
            order, texts = shown_parts(candidate)
            missing = [""] * (compared - len(texts))
            cells = [*texts, *missing, *map(str, order), *missing]
        rows.append((str(candidate.pk), question, reference, *cells))
    return InputHit(hit.index, "\n".join(passages), tuple(rows))
