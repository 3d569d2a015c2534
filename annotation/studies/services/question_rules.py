"""Which questions of a study are rated: the rules that look at all uploads together.

KPQA (Section 4.1) skips a question for which a system gave the reference, and draws 500 of the
others at random. The systems' answers may come in several files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256

from annotation.studies.models import ComparedCandidate, Study, StudyCandidate
from concord.protocols.packing import drop_reason, equals_reference

Use = StudyCandidate.Use
ANSWERED = "a system gave the reference word for word"
NOT_DRAWN = "not drawn"
BATCH_SIZE = 2000


@dataclass(frozen=True)
class RuleChanges:
    """Candidates of earlier files that are rated no more, and those that are now."""

    left_out: int = 0
    taken: int = 0


def apply(study: Study, target: int | None, new: Collection[int] = ()) -> RuleChanges:
    """Apply the rules to all candidates of the study. No stage may have been opened.

    `target` is how many questions are rated, drawn from those that no rule skips; None takes all
    but those that an earlier draw left out. The draw depends on the study's seed and the questions
    only: the same files give the same questions, together or one after the other. `new` has the
    candidates that are not from earlier files.
    """
    protocol = study.current.protocol
    rows = list(_single_candidates(study))
    by_question: dict[int, list[StudyCandidate]] = defaultdict(list)
    for row in rows:
        by_question[row.instance_id].append(row)
    reasons = {row.pk: _own_reason(study, row) for row in rows}
    if protocol.drop.question_when_equal:
        for candidates in by_question.values():
            if any(equals_reference(c.text, c.instance.references) for c in candidates):
                reasons |= {c.pk: ANSWERED for c in candidates}
    eligible = {
        question: candidates
        for question, candidates in by_question.items()
        if any(not reasons[c.pk] for c in candidates)
    }
    for question, reason in _not_drawn(study, eligible, target).items():
        reasons |= {c.pk: reasons[c.pk] or reason for c in eligible[question]}
    return _store(rows, reasons, set(new))


def _single_candidates(study: Study) -> list[StudyCandidate]:
    """The candidates that the rules are about: not those of minimal pairs, checks or units."""
    in_checks = ComparedCandidate.objects.filter(unit__study=study).exclude(unit__use=Use.RATED)
    rows = study.candidates.filter(use__in=(Use.RATED, Use.COMPARED, Use.DROPPED))
    rows = rows.filter(pair="", parts=None).exclude(pk__in=in_checks.values("candidate"))
    return list(rows.select_related("instance").order_by("position"))


def _own_reason(study: Study, row: StudyCandidate) -> str:
    """Why the candidate by itself is not rated; empty if it is."""
    if row.drop_reason == ANSWERED or row.drop_reason.startswith(NOT_DRAWN):
        instance, rules = row.instance, study.current.protocol.drop
        return drop_reason(row.text, instance.references, rules, instance.constituent)
    return row.drop_reason


def _not_drawn(
    study: Study, eligible: dict[int, list[StudyCandidate]], target: int | None
) -> dict[int, str]:
    """The questions that are not drawn, with the reason."""
    if target is None:
        return {
            question: candidate.drop_reason
            for question, candidates in eligible.items()
            for candidate in candidates
            if candidate.drop_reason.startswith(NOT_DRAWN)
        }

    def rank(question: int) -> bytes:
        key = f"{study.seed} {eligible[question][0].instance.key}"
        return sha256(key.encode("utf-8", "surrogatepass")).digest()

    ranked = sorted(eligible, key=rank)
    reason = (
        f"{NOT_DRAWN}: {min(target, len(ranked)):,} of {len(ranked):,} questions, seed {study.seed}"
    )
    return dict.fromkeys(ranked[target:], reason)


def _store(rows: list[StudyCandidate], reasons: dict[int, str], new: set[int]) -> RuleChanges:
    left_out = taken = 0
    changed = []
    for row in rows:
        reason = reasons[row.pk]
        was_dropped = row.use == Use.DROPPED
        if reason == row.drop_reason and bool(reason) == was_dropped:
            continue
        if row.pk not in new and bool(reason) != was_dropped:
            left_out += bool(reason)
            taken += not reason
        row.drop_reason = reason
        if reason:
            row.use = Use.DROPPED
        elif was_dropped:
            row.use = Use.RATED
        changed.append(row)
    StudyCandidate.objects.bulk_update(changed, ["use", "drop_reason"], batch_size=BATCH_SIZE)
    return RuleChanges(left_out, taken)
