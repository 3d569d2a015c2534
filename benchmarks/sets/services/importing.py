"""Making versions of judgment sets. A version is written in one transaction and never changed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import cast

import numpy as np
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from benchmarks.sets import fingerprints
from benchmarks.sets.models import JudgmentSet, SetMember
from benchmarks.sets.models.judgments import scale_fields
from benchmarks.sets.services import announcing, judged_pairs, storage
from concord.documents.set_reports import PairStudyRow, SetReport, StudyReport
from concord.formats.records import (
    CandidateRecord,
    JudgmentFile,
    PairFile,
    PairRecord,
    criteria_scales,
    has_unequal_draws,
    scale_text,
)
from concord.meta.description import describe
from core import audit
from core.accounts.roles import Role
from core.postgresql.locks import lock
from core.refusals import RefusedError

Scale = tuple[float, float] | None
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class SetInfo:
    """Title and description of a set. A later version inherits them unless others are set.

    A set with simulated ratings is illustrative without being declared so.
    """

    title: str = ""
    description: str = ""
    illustrative: bool = False


@dataclass(frozen=True)
class SetContent:
    """The records of a version. judged: the pairs that people judged."""

    candidates: Sequence[CandidateRecord]
    pairs: Sequence[PairRecord]
    judged: Sequence[PairRecord]
    scale: Scale
    source_format: str
    report: SetReport


def import_judgments(
    name: str,
    judgments: JudgmentFile,
    pairs: PairFile | None = None,
    *,
    info: SetInfo | None = None,
    owner: User | None = None,
    at: datetime,
) -> JudgmentSet:
    """Make the next version of `name`, or the first, from a file's candidates.

    Its minimal pairs and judged pairs are `pairs`; those of the previous version are not copied.
    The version is private. `owner` becomes the owner of a new name.
    """
    if not judgments.candidates:
        raise RefusedError(
            "The file has no candidate to import; nothing was imported.", "import-refused"
        )
    report = _report(judgments)
    candidates: Sequence[CandidateRecord] = judgments.candidates
    minimal, judged = _by_kind(pairs.pairs if pairs else ())
    candidates, judged = judged_pairs.link(candidates, judged)
    if pairs:
        report["pairs"] = _report(pairs)
    content = SetContent(
        candidates,
        _separate_instances(candidates, minimal),
        judged,
        judgments.scale,
        judgments.report.format,
        report,
    )
    return _next_version(name, content, info, at, {owner: Role.OWNER} if owner else {})


def add_systems(name: str, judgments: JudgmentFile, *, at: datetime) -> JudgmentSet:
    """Make the next version of `name`: the latest version plus the file's candidates.

    Raises RefusedError if an id exists already, if an instance of the same key differs, or if
    the scales differ.
    """
    previous = JudgmentSet.objects.named(name)
    candidates = list(storage.load_candidates(previous))
    _check_compatible(previous, candidates, judgments)
    instances = {candidate.instance.key: candidate.instance for candidate in candidates}
    for candidate in judgments.candidates:
        if instances.setdefault(candidate.instance.key, candidate.instance) != candidate.instance:
            raise RefusedError(
                f"Candidate '{candidate.key}': its instance '{candidate.instance.key}' differs "
                f"from the one in {previous} in passage, question, references or labels.",
                "import-refused",
            )
    content = SetContent(
        [*candidates, *judgments.candidates],
        list(storage.load_pairs(previous)),
        list(judged_pairs.load(previous)),
        judgments.scale or previous.scale,
        previous.source_format,
        {**_report(judgments), **pair_studies(previous), "added_to": str(previous)},
    )
    return _next_version(previous.name, content, None, at)


def import_pairs(
    name: str, pairs: PairFile, *, owner: User | None = None, at: datetime
) -> JudgmentSet:
    """Make the next version of `name`: the latest version with other pairs.

    Minimal pairs replace its minimal pairs, and judged pairs its judged pairs, whose candidates are
    added where the set lacks them. A new name takes judged pairs only; `owner` becomes its owner.
    Raises RefusedError for other pairs, and where a pair contradicts a candidate.
    """
    if not pairs.pairs:
        raise RefusedError("The file has no pair; nothing was imported.", "import-refused")
    minimal, judged = _by_kind(pairs.pairs)
    if not JudgmentSet.objects.filter(name=name).exists():
        return _from_judged_pairs(name, pairs, minimal, judged, owner, at)
    previous = JudgmentSet.objects.named(name)
    candidates = list(storage.load_candidates(previous))
    if judged:
        candidates, judged = judged_pairs.link(candidates, judged)
    report: SetReport = previous.report
    if minimal:
        report = cast(SetReport, {k: v for k, v in report.items() if k != "pair_studies"})
    content = SetContent(
        candidates,
        _separate_instances(candidates, minimal) if minimal else list(storage.load_pairs(previous)),
        judged or list(judged_pairs.load(previous)),
        previous.scale or pairs.scale,
        previous.source_format,
        {**report, "pairs": _report(pairs)},
    )
    return _next_version(previous.name, content, None, at)


def add_study_pairs(
    name: str, study: StudyReport, pairs: Sequence[PairRecord], *, at: datetime
) -> JudgmentSet:
    """Make the next version of `name`: the latest version plus minimal pairs of a study.

    Pairs of the study's earlier freezing are replaced. A pair whose key another pair of the set has
    gets the study's name before it.
    """
    previous = JudgmentSet.objects.named(name)
    report: SetReport = previous.report
    earlier = report.get("pair_studies", {})
    replaced = set(earlier[study["slug"]]["keys"]) if study["slug"] in earlier else set()
    others = [pair for pair in storage.load_pairs(previous) if pair.key not in replaced]
    used = {pair.key for pair in others}
    added = [
        replace(pair, key=f"{study['slug']}/{pair.key}") if pair.key in used else pair
        for pair in pairs
    ]
    candidates = list(storage.load_candidates(previous))
    row: PairStudyRow = {"study": study, "keys": [pair.key for pair in added]}
    added_report: SetReport = {"pair_studies": {**earlier, study["slug"]: row}}
    content = SetContent(
        candidates,
        _separate_instances(candidates, [*others, *added]),
        list(judged_pairs.load(previous)),
        previous.scale,
        previous.source_format,
        report | added_report,
    )
    return _next_version(previous.name, content, None, at)


def pair_studies(judgment_set: JudgmentSet | None) -> SetReport:
    """The part of a set's report about studies of minimal pairs; empty without any."""
    rows = judgment_set.report.get("pair_studies") if judgment_set else None
    return cast(SetReport, {"pair_studies": rows} if rows else {})


def pairs_of_studies(judgment_set: JudgmentSet | None) -> list[PairRecord]:
    """The minimal pairs that studies of their own added to the set."""
    rows = pair_studies(judgment_set).get("pair_studies", {})
    keys = {key for row in rows.values() for key in row["keys"]}
    if judgment_set is None or not keys:
        return []
    return [pair for pair in storage.load_pairs(judgment_set) if pair.key in keys]


def _from_judged_pairs(
    name: str,
    pairs: PairFile,
    minimal: Sequence[PairRecord],
    judged: Sequence[PairRecord],
    owner: User | None,
    at: datetime,
) -> JudgmentSet:
    """The first version of a name, whose candidates are those of the pairs."""
    if minimal:
        raise RefusedError(
            f"There is no set {name} to add minimal pairs to: import its judgments first.",
            "import-refused",
        )
    candidates, judged = judged_pairs.link((), judged)
    content = SetContent(candidates, (), judged, pairs.scale, pairs.report.format, _report(pairs))
    return _next_version(name, content, None, at, {owner: Role.OWNER} if owner else {})


def _by_kind(pairs: Sequence[PairRecord]) -> tuple[list[PairRecord], list[PairRecord]]:
    """Minimal pairs, and pairs that people judged."""
    return [one for one in pairs if not one.choices], [one for one in pairs if one.choices]


_listeners: list[Callable[[JudgmentSet, datetime], None]] = []


def on_next_version(listener: Callable[[JudgmentSet, datetime], None]) -> None:
    """Call `listener` with each new version that is not the first of its name, in the transaction
    that makes it."""
    _listeners.append(listener)


def lock_name(name: str) -> None:
    """Lock the name until the end of the transaction, so that versions are made one at a time."""
    lock(f"set:{name}")


def store_version(
    name: str, content: SetContent, info: SetInfo, members: Mapping[User, Role], *, at: datetime
) -> JudgmentSet:
    """Make the next version of `name` from records that were not read from a file.

    `members` become members of a new name. Raises RefusedError for an invalid name.
    """
    pairs = _separate_instances(content.candidates, content.pairs)
    candidates, judged = judged_pairs.link(content.candidates, content.judged)
    linked = replace(content, candidates=candidates, pairs=pairs, judged=judged)
    return _next_version(name, linked, info, at, members)


def _next_version(
    name: str,
    content: SetContent,
    info: SetInfo | None,
    at: datetime,
    members: Mapping[User, Role] | None = None,
) -> JudgmentSet:
    content = replace(content, candidates=list(_complete_criteria(content.candidates)))
    with transaction.atomic():
        lock_name(name)
        latest = JudgmentSet.objects.filter(name=name).order_by("-version").first()
        if info is None:
            info = SetInfo() if latest is None else _info(latest)
        statistics = describe(content.candidates, content.pairs, content.scale, content.judged)
        report = content.report
        if statistics["simulated_ratings"] and not info.illustrative:
            report = report | {"simulated": True}
        designs = (c.sampling.probabilities for c in content.candidates if c.sampling is not None)
        if has_unequal_draws(designs):
            report = report | {"unequal_sampling": True}
        gold = [np.nan if c.score is None else c.score for c in content.candidates]
        judgment_set = JudgmentSet(
            name=name,
            version=1 if latest is None else latest.version + 1,
            pseudonym_key=secrets.token_hex(32) if latest is None else latest.pseudonym_key,
            title=info.title,
            description=info.description,
            illustrative=info.illustrative or statistics["simulated_ratings"] > 0,
            source_format=content.source_format,
            **scale_fields(content.scale),
            content_hash=fingerprints.content_hash(
                content.candidates, content.pairs, content.scale, content.judged
            ),
            report=report,
            statistics=statistics,
            n_candidates=len(content.candidates),
            n_pairs=len(content.pairs),
            gold_scores=np.asarray(gold, dtype="<f8").tobytes(),
            created_at=at,
            **_item_keys(content),
        )
        try:
            judgment_set.full_clean(exclude=["gold_scores", "text_keys", "context_keys"])
        except ValidationError as error:
            raise RefusedError("; ".join(error.messages), "import-refused") from error
        judgment_set.save(force_insert=True)
        storage.store(judgment_set, content.candidates, content.pairs, content.judged)
        if latest is None:
            for user, role in (members or {}).items():
                SetMember.objects.create(set_name=name, user=user, role=role, since=at)
        announcing.announce_import(judgment_set, at=at)
        _record(judgment_set)
        if latest is not None:
            for listener in _listeners:
                listener(judgment_set, at)
    return judgment_set


def _record(judgment_set: JudgmentSet) -> None:
    about = {
        "version": judgment_set.version,
        "format": judgment_set.source_format,
        "candidates": judgment_set.n_candidates,
        "pairs": judgment_set.n_pairs,
    }
    audit.record(None, "set.version made", judgment_set, after=about, judgment_set=judgment_set)


def _item_keys(content: SetContent) -> dict[str, bytes]:
    items = [(c.text, c.instance) for c in content.candidates]
    for pair in content.pairs:
        items += [(pair.candidate1, pair.instance), (pair.candidate2, pair.instance)]
    return {
        "text_keys": b"".join(fingerprints.text_key(t, i.references) for t, i in items),
        "context_keys": b"".join(fingerprints.context_key(t, i) for t, i in items),
    }


def _complete_criteria(candidates: Sequence[CandidateRecord]) -> Iterator[CandidateRecord]:
    """The candidates without criteria on which they are not judged; of others with the scale that
    any candidate has."""
    scales = criteria_scales(candidates)
    for candidate in candidates:
        criteria = tuple(
            replace(one, scale=scales[one.name])
            for one in candidate.criteria
            if one.score is not None or one.ratings
        )
        yield candidate if criteria == candidate.criteria else replace(candidate, criteria=criteria)


def _check_compatible(
    previous: JudgmentSet, candidates: Sequence[CandidateRecord], judgments: JudgmentFile
) -> None:
    scales = {"": previous.scale} | criteria_scales(candidates)
    new_scales = {"": judgments.scale} | criteria_scales(judgments.candidates)
    for name, new in new_scales.items():
        scale = scales.get(name)
        if new and scale and new != scale:
            of_criterion = f" of the criterion '{name}'" if name else ""
            raise RefusedError(
                f"The file's scale{of_criterion} is {scale_text(new)}, but that of {previous} is "
                f"{scale_text(scale)}.",
                "import-refused",
            )
    existing = {candidate.key for candidate in candidates}
    repeated = [c.key for c in judgments.candidates if c.key in existing]
    if repeated:
        shown = ", ".join(repeated[:20]) + (", ..." if len(repeated) > 20 else "")
        raise RefusedError(
            f"{len(repeated)} ids are in {previous} already: {shown}.", "import-refused"
        )


def _report(file: JudgmentFile | PairFile) -> SetReport:
    """The report of files, without the names of those that name a rater."""
    raters = {rater for _, rater in file.raters}
    report = file.report.to_json()
    report["files"] = [_without_raters(name, at, raters)
                       for at, name in enumerate(report["files"], start=1)]  # fmt: skip
    # The report of a file is a SetReport without its optional keys; a type checker cannot tell.
    return cast(SetReport, report)


def _without_raters(name: str, number: int, raters: Collection[str]) -> str:
    """The name of a file; "file 2.jsonl" for one that has the name of a rater."""
    path = PurePath(name)
    parts = {path.stem, *_WORDS.findall(path.stem)}
    parts = {one.casefold() for one in parts if not one.isdigit()}
    is_named = any(rater.casefold() in parts for rater in raters)
    return f"file {number}{path.suffix}" if is_named else name


def _separate_instances(
    candidates: Sequence[CandidateRecord], pairs: Sequence[PairRecord]
) -> list[PairRecord]:
    """The pairs, with a key of its own for each instance that differs from a candidate's instance
    of the same key.

    A file of pairs may leave out the constituent or split of an instance, or use the same key for
    another instance.
    """
    instances = {candidate.instance.key: candidate.instance for candidate in candidates}
    separate: list[PairRecord] = []
    for pair in pairs:
        instance = pair.instance
        if instances.setdefault(instance.key, instance) != instance:
            instance = replace(instance, key=f"pair:{pair.key}")
        separate.append(replace(pair, instance=instance))
    return separate


def _info(judgment_set: JudgmentSet) -> SetInfo:
    # The version's own ratings show whether they are simulated.
    illustrative = judgment_set.illustrative and not judgment_set.is_simulated
    return SetInfo(judgment_set.title, judgment_set.description, illustrative)
