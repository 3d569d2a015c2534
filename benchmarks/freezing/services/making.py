"""Writing a frozen study as a version of a judgment set, with its origin."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.studies.models import ProtocolVersion, Study, StudyCandidate
from benchmarks.freezing.services.preparing import Frozen, lock_and_refresh, prepare
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, announcing, importing, reports
from benchmarks.sets.services.importing import SetInfo
from concord.documents.set_reports import SetReport
from concord.protocols import Protocol
from core import audit
from core.accounts.roles import Role
from core.refusals import RefusedError

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
    """Make the next version of the set `name` (by default the study's slug) without a job.

    Raises RefusedError.
    """
    frozen = prepare(study, aggregation, stages)
    name = name or default_name(study)
    with transaction.atomic():
        return store(study, lock_and_refresh(study, frozen), name, by=by, at=at)


def default_name(study: Study) -> str:
    """The set that freezing makes a version of, unless another is named."""
    return study.for_set or study.slug


def has_only_pairs(study: Study) -> bool:
    """Whether the study has minimal pairs to rate and nothing else, so that it joins a set."""
    rated = study.candidates.filter(use=StudyCandidate.Use.RATED)
    return bool(study.for_set) or (rated.exists() and not rated.filter(pair="").exists())


def store(study: Study, frozen: Frozen, name: str, *, by: User, at: datetime) -> JudgmentSet:
    """Write the next version of the set `name`.

    The version is private. A new set has the study's members; of an existing set, `by` must be an
    editor. A study with minimal pairs only adds them to the set's latest version; what such studies
    added before stays in the set. Simulated ratings make an illustrative set, which is never the
    next version of another one. Raises RefusedError.
    """
    protocol = study.current.protocol
    info = SetInfo(
        title=study.title,
        description="Frozen from simulated ratings, not from people's."
        if frozen.is_simulated
        else "",
        illustrative=frozen.is_simulated,
    )
    try:
        with transaction.atomic():
            importing.lock_name(name)
            check_name(
                study,
                name,
                is_simulated=frozen.is_simulated,
                by=by,
                only_pairs=frozen.only_pairs,
            )
            report = _report(study, frozen)
            if frozen.only_pairs:
                judgment_set = importing.add_study_pairs(name, report["study"], frozen.pairs, at=at)
            else:
                latest = JudgmentSet.objects.filter(name=name).order_by("-version").first()
                judgment_set = importing.store_version(
                    name,
                    importing.SetContent(
                        frozen.candidates,
                        [*frozen.pairs, *importing.pairs_of_studies(latest)],
                        frozen.judged,
                        _scale(protocol),
                        FORMAT,
                        {**report, **importing.pair_studies(latest)},
                    ),
                    info,
                    {
                        member.user: Role(member.role)
                        for member in study.members.select_related("user")
                    },
                    at=at,
                )
            announcing.announce_freezing(study, judgment_set, at=at)
            after = {"judgment set": str(judgment_set), "aggregation": frozen.gold.aggregation}
            audit.record(
                by, "study.frozen", study, after=after, study=study, judgment_set=judgment_set
            )
            return judgment_set
    except RefusedError as error:
        raise RefusedError(str(error), "freeze-refused") from error


def check_name(study: Study, name: str, *, is_simulated: bool, by: User, only_pairs: bool) -> None:
    """Check that the study may make the next version of `name`.

    `by` must be an editor of an existing set, which must be frozen from this study, with ratings of
    the same origin (people or simulated). Minimal pairs without candidates need an existing set of
    any origin, with the study's scale. Raises RefusedError.
    """
    latest = JudgmentSet.objects.filter(name=name).order_by("-version").first()
    if latest is None:
        if only_pairs:
            raise RefusedError(
                "The study has minimal pairs only, which are added to a judgment set that exists. "
                f"There is no set {name}: enter the name of the set that they are for.",
                "freeze-refused",
            )
        return
    if not access.allows(by, name, Role.EDITOR):
        raise RefusedError(
            f"The name {name} is taken, and you are not an editor of that judgment set. Choose "
            "another name.",
            "freeze-refused",
        )
    origin = reports.study_report(latest)
    if only_pairs:
        scale = _scale(study.current.protocol)
        if latest.scale != scale:
            raise RefusedError(
                f"The scale of {latest} is {_written(latest.scale)}, that of this study "
                f"{_written(scale)}: its pairs cannot be added to that set.",
                "freeze-refused",
            )
    elif origin is None or origin.get("slug") != study.slug:
        raise RefusedError(
            f"The judgment set {latest} was not frozen from this study. Choose another name.",
            "freeze-refused",
        )
    if latest.illustrative != is_simulated:
        origins = ("simulated", "by people")
        set_origin, study_origin = origins if latest.illustrative else origins[::-1]
        raise RefusedError(
            f"The ratings in {latest} are {set_origin}, those of this study are {study_origin}. "
            "Choose another name.",
            "freeze-refused",
        )


def _scale(protocol: Protocol) -> tuple[float, float] | None:
    return None if protocol.compares else (float(protocol.low), float(protocol.high))


def _written(scale: tuple[float, float] | None) -> str:
    return "no scale" if scale is None else f"{scale[0]:g} to {scale[1]:g}"


def _report(study: Study, frozen: Frozen) -> SetReport:
    """The origin of the set. `report_lines` writes parts of it as sentences."""
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
            "protocols": {str(row.version): row.content for row in study.protocol_versions.all()},
            "stages": list(gold.stages),
            "aggregation": gold.aggregation,
            "ledger": [row.content_without_texts for row in steps if row.active],
            "ledger_steps": [
                {
                    "number": line.row.number,
                    "step": line.row.content_without_texts,
                    "active": line.row.active,
                    "removed": line.outcome.removed if line.outcome else None,
                }
                for line in ledger.lines
            ],
            "alpha": {
                "before": ledger.before,
                "after": ledger.after,
                "null": ledger.null,
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
