"""Creating a study and changing its protocol."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils.text import slugify

from annotation.quality.services import ledgers
from annotation.rating.models import Assignment
from annotation.stages.services.sampling_rules import sampling_of_study
from annotation.stages.services.set_up_costs import SetUpCost, set_up_cost
from annotation.studies.models import ProtocolVersion, Stage, Study, StudyMember
from annotation.studies.services import checks, comparisons
from concord.protocols import Protocol, ProtocolError, current_version
from core import audit
from core.accounts.roles import Role
from core.audit.recording import changed
from core.refusals import RefusedError

Kind = Stage.Kind
NAME_IN_USE = "A study of this name exists. Choose another name."
# The longest base of a free name: a hyphen and a number may follow.
MAX_BASE_CHARS = (Study._meta.get_field("slug").max_length or 0) - 6
# The items from which a study was created, as names and numbers.
Origin = dict[str, str | int]


@dataclass(frozen=True)
class StudySource:
    """What a study is made from. preset: of its protocol; its version is by default the current
    one. origin: the items from which it was created, if known. for_set: the set that gets its
    minimal pairs."""

    preset: str
    preset_version: int | None = None
    origin: Origin | None = None
    for_set: str = ""


def free_name(base: str) -> str:
    """The first unused name such as `boats`, `boats-2`."""
    used = set(Study.all_rows.filter(slug__startswith=base).values_list("slug", flat=True))
    names = (base if number == 1 else f"{base}-{number}" for number in range(1, len(used) + 2))
    return next(name for name in names if name not in used)


def name_from(title: str) -> str:
    """An unused name made of a title's letters and digits; `study` where it has none."""
    base = slugify(title)[:MAX_BASE_CHARS].strip("-_")
    return free_name("new-study" if base == "new" else base or "study")


def create_study(
    slug: str,
    title: str,
    protocol: Protocol,
    *,
    source: StudySource,
    owner: User,
    seed: int,
    at: datetime,
) -> Study:
    """Create a study without candidates, with its first protocol version and planned stages.

    It is private, and `owner` owns it. If the protocol says so, its ledger begins with the z-score
    filter. Raises ValidationError for a name in use.
    """
    protocol = protocol.validated()
    with transaction.atomic():
        study = Study(
            slug=slug,
            title=title,
            owner=owner,
            preset=source.preset,
            preset_version=source.preset_version or current_version(source.preset),
            seed=seed,
            origin=source.origin or {},
            for_set=source.for_set,
            created_at=at,
        )
        if Study.all_rows.filter(slug=slug).exists():
            raise ValidationError({"slug": NAME_IN_USE})
        study.full_clean()
        study.save(force_insert=True)
        StudyMember.objects.create(study=study, user=owner, role=Role.OWNER, since=at)
        ProtocolVersion.objects.create(
            study=study, version=1, content=protocol.to_json(), created_at=at
        )
        _plan_stages(study, protocol)
        about: dict[str, object] = {"title": title, "preset": source.preset, "seed": str(seed)}
        if source.origin:
            about["origin"] = source.origin
        audit.record(owner, "study.created", study, after=about, study=study)
        if protocol.quality.zscore_from_start:
            step = ledgers.zscore_step(protocol.quality)
            ledgers.add_step(study, step, note="From the protocol.", by=owner, at=at)
    return study


def change_protocol(study: Study, protocol: Protocol, *, at: datetime) -> ProtocolVersion:
    """Replace the current protocol, or add a version if it is in use or its consent text was
    accepted. Until the first stage is opened, the planned stages and what is rated, candidates,
    pairs or sets, follow the protocol. Raises ProtocolError for another unit after that, and while
    the study has a sampling rule, and after that for a protocol that correct answers of test items
    and hidden checks do not fit.
    """
    protocol = protocol.validated()
    with transaction.atomic():
        _plan_stages(study, protocol)
        current = ProtocolVersion.objects.select_for_update().get(pk=study.current.pk)
        if current.protocol == protocol:
            return current
        is_other_unit = _unit_of(protocol) != _unit_of(current.protocol)
        is_opened = study.stages.exclude(status=Stage.Status.PLANNED).exists()
        if is_other_unit and is_opened:
            raise ProtocolError({"unit": "cannot change, because a stage has been opened"})
        if is_other_unit and sampling_of_study(study) is not None:
            raise ProtocolError(
                {"unit": "cannot change: first remove the sampling rule, on the page Sampling"}
            )
        version = _store(study, current, protocol, at)
        if is_other_unit:
            try:
                comparisons.refresh(study)
            except RefusedError as error:
                raise ProtocolError({"unit": str(error)}) from error
        if is_opened:
            _check_keys(study)
        return version


def cost_with(study: Study, protocol: Protocol, *, at: datetime) -> SetUpCost | None:
    """What the study would cost with this protocol, as `set_up_cost`. Changes nothing.

    Raises ProtocolError as `change_protocol` does.
    """
    with transaction.atomic():
        change_protocol(study, protocol, at=at)
        cost = set_up_cost(study)
        transaction.set_rollback(True)
    return cost


def _check_keys(study: Study) -> None:
    try:
        for use in checks.USES:
            checks.check_stored_keys(study, use)
    except RefusedError as error:
        raise ProtocolError({"criteria": str(error)}) from error


def _unit_of(protocol: Protocol) -> tuple[object, ...]:
    """What decides which rows are rated."""
    by_unit: dict[str, tuple[object, ...]] = {
        "pair": (protocol.pairs,),
        "set": (protocol.sets, len(protocol.scale)),
    }
    return protocol.unit, *by_unit.get(protocol.unit, ())


def _store(
    study: Study, current: ProtocolVersion, protocol: Protocol, at: datetime
) -> ProtocolVersion:
    """Write the protocol into the current version, or add one if that is in use."""
    in_use = Assignment.objects.filter(protocol_version=current).exists()
    if not in_use and not current.consents.exists():
        version = ProtocolVersion.objects.get(pk=current.pk)
        version.content = protocol.to_json()
        version.save(update_fields=["content"])
        _record_change(version, current.protocol)
        return version
    version = ProtocolVersion.objects.create(
        study=study, version=current.version + 1, content=protocol.to_json(), created_at=at
    )
    _record_change(version, current.protocol)
    return version


def _plan_stages(study: Study, protocol: Protocol) -> None:
    """Plan the stages that the protocol has, unless one was opened. A stage with a draft for a
    crowd stays."""
    stages = study.stages.select_for_update()
    if any(stage.status != Stage.Status.PLANNED for stage in stages):
        return
    kinds = [Kind.QUALIFICATION] if protocol.qualification else []
    kinds += [Kind.TRIAL] if protocol.trial else []
    kinds.append(Kind.FULL)
    if {stage.kind for stage in stages} == set(kinds):
        return
    study.stages.exclude(kind__in=kinds).filter(publications=None).delete()
    planned = set(study.stages.values_list("kind", flat=True))
    # The numbers are unique, so the stages get them in two steps.
    study.stages.update(number=F("number") + len(Kind))
    ordered = [kind for kind in Kind if kind in planned or kind in kinds]
    for number, kind in enumerate(ordered, start=1):
        study.stages.update_or_create(kind=kind, defaults={"number": number})


def _record_change(version: ProtocolVersion, before: Protocol) -> None:
    old, new = changed(before.to_json(), version.content)
    audit.record(None, "protocol.changed", version, old, new, study=version.study)
