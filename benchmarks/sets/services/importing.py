"""Making versions of judgment sets. A version is written whole or not at all, then frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

import numpy as np
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from benchmarks.sets import fingerprints
from benchmarks.sets.documents import SetReport
from benchmarks.sets.models import JudgmentSet, SetMember
from benchmarks.sets.services import announcing, storage
from concord.formats.records import CandidateRecord, JudgmentFile, PairFile, PairRecord
from concord.meta.description import describe
from core import audit
from core.accounts.roles import Role

Scale = tuple[float, float] | None


class ImportRefusedError(ValueError):
    """The file is well formed but does not fit the set it was meant for; says why."""


@dataclass(frozen=True)
class About:
    """What a person says of a set; a later version keeps it unless told otherwise."""

    title: str = ""
    description: str = ""
    illustrative: bool = False


@dataclass(frozen=True)
class _Content:
    candidates: Sequence[CandidateRecord]
    pairs: Sequence[PairRecord]
    scale: Scale
    source_format: str
    report: SetReport


def import_judgments(
    name: str,
    judgments: JudgmentFile,
    pairs: PairFile | None = None,
    *,
    about: About | None = None,
    owner: User | None = None,
    at: datetime,
) -> JudgmentSet:
    """Make the next version of `name` (the first, when there is none) from a file's candidates.

    Its minimal pairs are those given: a version before passes on none of its own. It is private,
    like every version that is made; the first one's `owner` owns the name.
    """
    if not judgments.candidates:
        raise ImportRefusedError(
            "The file holds no candidate that could be kept; nothing was imported."
        )
    report = _report(judgments)
    own_pairs = _own_instances(judgments.candidates, pairs.pairs) if pairs else ()
    if pairs:
        report["pairs"] = _report(pairs)
    content = _Content(
        judgments.candidates, own_pairs, judgments.scale, judgments.report.format, report
    )
    return _next_version(name, content, about, at, {owner: Role.OWNER} if owner else {})


def add_systems(name: str, judgments: JudgmentFile, *, at: datetime) -> JudgmentSet:
    """Make the next version of `name`: the latest one and the file's candidates besides.

    Raises ImportRefusedError when an id exists already, when an instance of the same key differs,
    or when the scales differ.
    """
    previous = JudgmentSet.objects.named(name)
    candidates = list(storage.load_candidates(previous))
    _check_they_fit(previous, candidates, judgments)
    known = {candidate.instance.key: candidate.instance for candidate in candidates}
    for candidate in judgments.candidates:
        before = known.setdefault(candidate.instance.key, candidate.instance)
        if before != candidate.instance:
            raise ImportRefusedError(
                f"Candidate '{candidate.key}': its instance '{candidate.instance.key}' differs "
                f"from the one in {previous} in passage, question, references or labels."
            )
    content = _Content(
        [*candidates, *judgments.candidates],
        list(storage.load_pairs(previous)),
        judgments.scale or _scale(previous),
        previous.source_format,
        {**_report(judgments), "added_to": str(previous)},
    )
    return _next_version(previous.name, content, None, at)


def import_pairs(name: str, pairs: PairFile, *, at: datetime) -> JudgmentSet:
    """Make the next version of `name`: the latest one with these minimal pairs in place of its."""
    if not pairs.pairs:
        raise ImportRefusedError("The file holds no minimal pair; nothing was imported.")
    previous = JudgmentSet.objects.named(name)
    candidates = list(storage.load_candidates(previous))
    report: SetReport = previous.report
    content = _Content(
        candidates,
        _own_instances(candidates, pairs.pairs),
        _scale(previous) or pairs.scale,
        previous.source_format,
        {**report, "pairs": _report(pairs)},
    )
    return _next_version(previous.name, content, None, at)


def lock_name(name: str) -> None:
    """Have who makes a version of this name wait until the caller's transaction has ended."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"set:{name}"])


def store_version(
    name: str,
    candidates: Sequence[CandidateRecord],
    pairs: Sequence[PairRecord],
    *,
    scale: Scale,
    source_format: str,
    report: SetReport,
    about: About,
    members: Mapping[User, Role],
    at: datetime,
) -> JudgmentSet:
    """Make the next version of `name` from records that come from no file.

    `members` are those of the name, if it is new. Raises ImportRefusedError for a name that is
    none.
    """
    pairs = _own_instances(candidates, pairs)
    content = _Content(candidates, pairs, scale, source_format, report)
    return _next_version(name, content, about, at, members)


def _next_version(
    name: str,
    content: _Content,
    about: About | None,
    at: datetime,
    members: Mapping[User, Role] | None = None,
) -> JudgmentSet:
    with transaction.atomic():
        lock_name(name)
        latest = JudgmentSet.objects.filter(name=name).order_by("-version").first()
        if about is None:
            about = About() if latest is None else _about(latest)
        low, high = content.scale or (None, None)
        gold = [np.nan if c.score is None else c.score for c in content.candidates]
        judgment_set = JudgmentSet(
            name=name,
            version=1 if latest is None else latest.version + 1,
            title=about.title,
            description=about.description,
            illustrative=about.illustrative,
            source_format=content.source_format,
            scale_low=low,
            scale_high=high,
            content_hash=fingerprints.content_hash(
                content.candidates, content.pairs, content.scale
            ),
            report=content.report,
            statistics=describe(content.candidates, content.pairs, content.scale),
            n_candidates=len(content.candidates),
            n_pairs=len(content.pairs),
            gold_scores=np.asarray(gold, dtype="<f8").tobytes(),
            created_at=at,
            **_item_keys(content),
        )
        try:
            judgment_set.full_clean(exclude=["gold_scores", "text_keys", "context_keys"])
        except ValidationError as error:
            raise ImportRefusedError("; ".join(error.messages)) from error
        judgment_set.save(force_insert=True)
        storage.store(judgment_set, content.candidates, content.pairs)
        if latest is None:
            for user, role in (members or {}).items():
                SetMember.objects.create(set_name=name, user=user, role=role, since=at)
        announcing.imported(judgment_set, at=at)
        _note(judgment_set)
    return judgment_set


def _note(judgment_set: JudgmentSet) -> None:
    about = {
        "version": judgment_set.version,
        "format": judgment_set.source_format,
        "candidates": judgment_set.n_candidates,
        "pairs": judgment_set.n_pairs,
        "content_hash": judgment_set.content_hash,
    }
    audit.record(None, "set.version made", judgment_set, after=about, judgment_set=judgment_set)


def _item_keys(content: _Content) -> dict[str, bytes]:
    items = [(c.text, c.instance) for c in content.candidates]
    for pair in content.pairs:
        items += [(pair.candidate1, pair.instance), (pair.candidate2, pair.instance)]
    return {
        "text_keys": b"".join(fingerprints.text_key(t, i.references) for t, i in items),
        "context_keys": b"".join(fingerprints.context_key(t, i) for t, i in items),
    }


def _check_they_fit(
    previous: JudgmentSet, candidates: Sequence[CandidateRecord], judgments: JudgmentFile
) -> None:
    scale = _scale(previous)
    if judgments.scale and scale and judgments.scale != scale:
        raise ImportRefusedError(
            f"The file's scale is {judgments.scale[0]:g} to {judgments.scale[1]:g}, but that of "
            f"{previous} is {scale[0]:g} to {scale[1]:g}."
        )
    taken = {candidate.key for candidate in candidates}
    twice = [c.key for c in judgments.candidates if c.key in taken]
    if twice:
        shown = ", ".join(twice[:20]) + (", ..." if len(twice) > 20 else "")
        raise ImportRefusedError(f"{len(twice)} ids are in {previous} already: {shown}.")


def _report(file: JudgmentFile | PairFile) -> SetReport:
    # A type checker takes a SetReport for another type, since it may hold more.
    return cast(SetReport, file.report.to_json())


def _own_instances(
    candidates: Sequence[CandidateRecord], pairs: Sequence[PairRecord]
) -> list[PairRecord]:
    """Pairs whose instances keep apart from the candidates' unless they are the very same.

    A pair's file may lack the constituent or split of the instance it was written for, or name
    another instance by the same key; then the pair's instance gets a key of its own.
    """
    known = {candidate.instance.key: candidate.instance for candidate in candidates}
    apart: list[PairRecord] = []
    for pair in pairs:
        instance = pair.instance
        if known.setdefault(instance.key, instance) != instance:
            instance = replace(instance, key=f"pair:{pair.key}")
        apart.append(replace(pair, instance=instance))
    return apart


def _scale(judgment_set: JudgmentSet) -> Scale:
    if judgment_set.scale_low is None or judgment_set.scale_high is None:
        return None
    return judgment_set.scale_low, judgment_set.scale_high


def _about(judgment_set: JudgmentSet) -> About:
    return About(judgment_set.title, judgment_set.description, judgment_set.illustrative)
