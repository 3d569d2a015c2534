"""From a study to a judgment set: its gold scores, ratings and provenance, frozen as a version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.quality.services.collected import simulation
from annotation.quality.services.gold import CandidateGold, StudyGold, study_gold
from annotation.quality.services.ledgers import ledger_of
from annotation.studies.models import ProtocolVersion, Study, StudyCandidate, StudyInstance
from benchmarks.sets.documents import AlphaRow, SetReport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, announcing, importing, reports
from benchmarks.sets.services.importing import About, ImportRefusedError
from concord.formats.records import CandidateRecord, InstanceRecord, PairRecord, RatingRecord
from concord.protocols.protocol import AGGREGATIONS
from concord.reliability import Alpha, Interval
from core import audit
from core.accounts.roles import Role

FORMAT = "study"


class FreezeRefusedError(ValueError):
    """The study cannot be frozen as it stands; the message says why and what to do."""


@dataclass(frozen=True)
class Frozen:
    """What a study would freeze to. left_out counts candidates by the reason why they are not in
    the set; reversed_pairs are pairs whose better member is not rated higher, with both scores."""

    candidates: list[CandidateRecord]
    pairs: list[PairRecord]
    left_out: dict[str, int]
    reversed_pairs: list[tuple[str, str, float, float]]
    unrated_pairs: int
    shared: int
    settled: int
    gold: StudyGold
    is_simulated: bool

    @property
    def rating_count(self) -> int:
        """Ratings the set would hold; those of minimal pairs' members are not among them."""
        return sum(len(candidate.ratings) for candidate in self.candidates)


def prepare(study: Study, aggregation: str, stages: Iterable[str] | None = None) -> Frozen:
    """What freezing with these choices would make; writes nothing.

    Gold scores come from the ratings that the ledger keeps, of `stages` (by default of all but
    a trial that does not count), and settled values take their place. A duplicate has its
    original's gold and ratings. Raises FreezeRefusedError for an unknown aggregation, for simulated
    ratings beside people's, and where no candidate has a rating.
    """
    if aggregation not in AGGREGATIONS:
        raise FreezeRefusedError(f"There is no aggregation “{aggregation}”.")
    origin = simulation(study)
    if origin.mixed:
        raise FreezeRefusedError(
            f"The study holds {origin.simulated:,} simulated ratings and {origin.real:,} of "
            "people. They cannot be frozen together: collect people's ratings in a study of their "
            "own."
        )
    gold = study_gold(study, aggregation, stages)
    rows = study.candidates.select_related("instance").order_by("position")
    left_out: Counter[str] = Counter()
    candidates: list[CandidateRecord] = []
    members: dict[str, dict[int, StudyCandidate]] = {}
    instances: dict[int, InstanceRecord] = {}
    for row in rows.iterator(chunk_size=2000):
        if row.use == StudyCandidate.Use.DROPPED:
            left_out[row.drop_reason] += 1
        elif row.use != StudyCandidate.Use.RATED:
            continue
        elif row.pair:
            members.setdefault(row.pair, {})[row.pair_member or 0] = row
        elif (judged := gold.of(row)).score is None:
            left_out["no kept rating"] += 1
        else:
            instance = instances.setdefault(row.instance_id, _instance(row.instance))
            candidates.append(_candidate(row, instance, judged))
    pairs, turned, unrated = _pairs(members, gold, instances)
    if not candidates and not pairs:
        raise FreezeRefusedError("No candidate has a kept rating yet: there is nothing to freeze.")
    if not candidates:
        raise FreezeRefusedError("Only minimal pairs have ratings: a set needs candidates as well.")
    judged_rows = gold.by_candidate.values()
    return Frozen(
        candidates=candidates,
        pairs=pairs,
        left_out=dict(left_out),
        reversed_pairs=turned,
        unrated_pairs=unrated,
        shared=study.candidates.filter(same_as__isnull=False, use="rated").count(),
        settled=sum(one.settled for one in judged_rows),
        gold=gold,
        is_simulated=bool(origin.simulated),
    )


def freeze(
    study: Study,
    aggregation: str,
    *,
    name: str = "",
    stages: Iterable[str] | None = None,
    by: User,
    at: datetime,
) -> JudgmentSet:
    """Make the next version of the set `name` (the study's own name by default).

    It is private. A name that is new has the study's members; of one that there is, `by` must be
    an editor. A study of simulated ratings makes a set marked illustrative, and never the next
    version of one that is not. Raises FreezeRefusedError.
    """
    frozen = prepare(study, aggregation, stages)
    name = name or study.slug
    _refuse_other_sets(study, name, frozen, by)
    protocol = study.current.protocol
    about = About(
        title=study.title,
        description="Frozen from simulated ratings; nobody's judgments."
        if frozen.is_simulated
        else "",
        illustrative=frozen.is_simulated,
    )
    try:
        with transaction.atomic():
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
            after = {"judgment set": str(made), "aggregation": aggregation}
            audit.record(by, "study.frozen", study, after=after, study=study, judgment_set=made)
            return made
    except ImportRefusedError as error:
        raise FreezeRefusedError(str(error)) from error


def _refuse_other_sets(study: Study, name: str, frozen: Frozen, by: User) -> None:
    """A study goes on only with a set that came from it, and people's with people's."""
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
    if latest.illustrative != frozen.is_simulated:
        kinds = ("simulated ones", "people's")
        held, now = kinds if latest.illustrative else kinds[::-1]
        raise FreezeRefusedError(
            f"The ratings in {latest} are {held}, those of this study {now}. Choose another name."
        )


def _candidate(
    row: StudyCandidate, instance: InstanceRecord, judged: CandidateGold
) -> CandidateRecord:
    ratings = tuple(RatingRecord(r.worker, r.value, "", r.simulated) for r in judged.ratings)
    return CandidateRecord(row.key, instance, row.text, row.system, judged.score, ratings)


def _instance(row: StudyInstance) -> InstanceRecord:
    return InstanceRecord(
        key=row.key,
        references=tuple(row.references),
        passage=row.passage,
        question=row.question,
        constituent=row.constituent,
        split=row.split,
        category=row.category,
        short_answer=row.short_answer,
    )


def _pairs(
    members: dict[str, dict[int, StudyCandidate]],
    gold: StudyGold,
    instances: dict[int, InstanceRecord],
) -> tuple[list[PairRecord], list[tuple[str, str, float, float]], int]:
    """Pairs whose better member is rated higher (MOCHA, Section 2.5); the others; the unrated."""
    kept: list[PairRecord] = []
    turned: list[tuple[str, str, float, float]] = []
    unrated = 0
    for key, pair in members.items():
        better, worse = pair[1], pair[2]
        high, low = gold.of(better).score, gold.of(worse).score
        if high is None or low is None:
            unrated += 1
        elif high > low:
            instance = instances.setdefault(better.instance_id, _instance(better.instance))
            kept.append(
                PairRecord(key, instance, better.text, high, worse.text, low, better.phenomenon)
            )
        else:
            turned.append((key, better.phenomenon, high, low))
    return kept, turned, unrated


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
