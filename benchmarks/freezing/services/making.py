"""Writing a frozen study as a version of a judgment set, with its provenance."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.quality.services.ledgers import ledger_of
from annotation.studies.models import ProtocolVersion, Study
from benchmarks.freezing.services.preparing import FreezeRefusedError, Frozen, locked, prepare
from benchmarks.sets.documents import AlphaRow, SetReport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, announcing, importing, reports
from benchmarks.sets.services.importing import About, ImportRefusedError
from concord.reliability import Alpha, Interval
from core import audit
from core.accounts.roles import Role

FORMAT = "study"


def freeze(
    study: Study,
    aggregation: str,
    *,
    name: str = "",
    stages: Iterable[str] | None = None,
    by: User,
    at: datetime,
) -> JudgmentSet:
    """Make the next version of the set `name` (the study's own name by default), here and now.
    Raises FreezeRefusedError."""
    frozen = prepare(study, aggregation, stages)
    with transaction.atomic():
        return store(study, locked(study, frozen), name or study.slug, by=by, at=at)


def store(study: Study, frozen: Frozen, name: str, *, by: User, at: datetime) -> JudgmentSet:
    """Write the next version of the set `name`.

    It is private. A name that is new has the study's members; of one that there is, `by` must be
    an editor. A study of simulated ratings makes a set marked illustrative, and never the next
    version of one that is not. Raises FreezeRefusedError.
    """
    protocol = study.current.protocol
    about = About(
        title=study.title,
        description="Frozen from simulated ratings, not from people's."
        if frozen.is_simulated
        else "",
        illustrative=frozen.is_simulated,
    )
    try:
        with transaction.atomic():
            importing.lock_name(name)
            check_name(study, name, is_simulated=frozen.is_simulated, by=by)
            made = importing.store_version(
                name,
                frozen.candidates,
                frozen.pairs,
                scale=(float(protocol.low), float(protocol.high)),
                source_format=FORMAT,
                report=_report(study, frozen),
                about=about,
                members={one.user: Role(one.role) for one in study.members.select_related("user")},
                at=at,
            )
            announcing.frozen(study, made, at=at)
            after = {"judgment set": str(made), "aggregation": frozen.gold.aggregation}
            audit.record(by, "study.frozen", study, after=after, study=study, judgment_set=made)
            return made
    except ImportRefusedError as error:
        raise FreezeRefusedError(str(error)) from error


def check_name(study: Study, name: str, *, is_simulated: bool, by: User) -> None:
    """Check that the study may make the next version of `name`: a set that came from it, people's
    ratings after people's, and `by` an editor of it. Raises FreezeRefusedError."""
    latest = JudgmentSet.objects.filter(name=name).order_by("-version").first()
    if latest is None:
        return
    if not access.allows(by, name, Role.EDITOR):
        raise FreezeRefusedError(
            f"The name {name} is taken, and you are no editor of that judgment set. Choose "
            "another name."
        )
    origin = reports.study_of(latest)
    if origin is None or origin.get("slug") != study.slug:
        raise FreezeRefusedError(
            f"The judgment set {latest} did not come from this study. Choose another name."
        )
    if latest.illustrative != is_simulated:
        kinds = ("simulated ones", "people's")
        held, now = kinds if latest.illustrative else kinds[::-1]
        raise FreezeRefusedError(
            f"The ratings in {latest} are {held}, those of this study {now}. Choose another name."
        )


def _report(study: Study, frozen: Frozen) -> SetReport:
    """Everything that tells how the set came about; `report_lines` words some of it."""
    gold, ledger = frozen.gold, frozen.gold.ledger
    version: ProtocolVersion = study.current
    steps = [line.row for line in ledger.lines]
    return {
        "study": {
            "slug": study.slug,
            "title": study.title,
            "preset": study.preset,
            "preset_version": study.preset_version,
            "seed": study.seed,
            "protocol_version": version.version,
            "protocol": version.content,
            "protocols": {str(one.version): one.content for one in study.protocol_versions.all()},
            "stages": list(gold.stages),
            "aggregation": gold.aggregation,
            "ledger": ledger_of(steps).to_json(),
            "ledger_steps": [
                {
                    "number": line.row.number,
                    "step": line.row.content,
                    "note": line.row.note,
                    "active": line.row.active,
                    "removed": line.outcome.removed if line.outcome else None,
                }
                for line in ledger.lines
            ],
            "alpha": {
                "before": _alpha(ledger.before, ledger.before_interval),
                "after": _alpha(ledger.after, ledger.after_interval),
                "null": None
                if ledger.null is None
                else {"alpha": ledger.null.mean, "ci": ledger.null.ends},
                "said": ledger.sentence,
            },
            "simulated": frozen.is_simulated,
            "ratings": "every rating that the ledger keeps",
            "ratings_kept": gold.kept,
            "ratings_left_out": gold.removed,
            "raters": gold.raters,
            "settled": frozen.settled,
            "shared": frozen.shared,
            "clipped": gold.clipped,
            "left_out": frozen.left_out,
            "pairs_turned": [list(pair) for pair in frozen.reversed_pairs],
            "pairs_unrated": frozen.unrated_pairs,
        },
    }


def _alpha(found: Alpha, interval: Interval) -> AlphaRow:
    return {
        "alpha": found.value,
        "ci": interval.ends,
        "level": found.level,
        "units": found.units,
        "ratings": found.ratings,
        "reason": found.reason,
    }
