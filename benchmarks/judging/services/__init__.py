"""Model judges: drafts, quotes, the owner's confirmation, and the work of a worker.

Callers send the task, `tasks.ask_model`.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.timezone import now

from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import alignment
from benchmarks.judging.services.asking import UnexpectedUsageError, ask_missing
from benchmarks.judging.services.drafts import (
    JudgeBudget,
    JudgeQuote,
    JudgeSpec,
    check_examples,
    draft,
    quote,
)
from benchmarks.judging.services.finishing import submit_answers
from benchmarks.judging.services.versions import compare_with_previous
from concord.documents.conversion import to_json
from concord.judges.chat import BudgetSpentError, ChatError, ModelChangedError
from core import audit
from core.jobs.kinds import JobKind
from core.jobs.performing import StoppedError
from core.refusals import RefusedError
from core.security import sealing

__all__ = [
    "JUDGES",
    "JudgeBudget",
    "JudgeQuote",
    "JudgeSpec",
    "alignment",
    "confirm",
    "discard",
    "draft",
    "quote",
    "resume",
    "stop",
]


def confirm(judge: ModelJudge, *, by: User, at: datetime) -> None:
    """The owner allows the site to send. The caller sends the task. Raises RefusedError."""
    _check_owner(judge, by)
    if not judge.is_draft:
        raise RefusedError(f"{judge.name} is confirmed already.", "judge-refused")
    check_examples(judge)
    with transaction.atomic():
        judge.confirmed_at = judge.sent_at = at
        judge.save(update_fields=["confirmed_at", "sent_at"])
        _record(judge, "judge.confirmed", by)


def stop(judge: ModelJudge, *, by: User, at: datetime) -> bool:
    """Stop asking; what is answered is kept. False if it has ended, or was never confirmed."""
    if judge.is_draft:
        return False
    with transaction.atomic():
        stopped = judge.cancel(at=at)
        if stopped:
            _record(judge, "judge.stopped", by)
    return stopped


def resume(
    judge: ModelJudge, *, max_tokens: int, max_cost: float | None, by: User, at: datetime
) -> None:
    """Go on with a stopped or failed judge, within this budget, which includes what was spent.

    The caller sends the task. Raises RefusedError.
    """
    _check_owner(judge, by)
    if judge.is_draft:
        raise RefusedError(f"{judge.name} is not confirmed yet.", "judge-refused")
    check_examples(judge)
    if max_tokens < judge.spent_tokens:
        raise RefusedError(
            f"{judge.spent_tokens:,} tokens are spent already.", "judge-refused", "max_tokens"
        )
    with transaction.atomic():
        if not judge.queue_again(at=at, max_tokens=max_tokens, max_cost=max_cost):
            raise RefusedError(f"{judge.name} is {judge.status}.", "judge-refused")
        judge.refresh_from_db()
        _record(judge, "judge.resumed", by)


def discard(judge: ModelJudge, *, by: User) -> None:
    """Delete a judge that is not active, with its key and answers; a submission made of them
    stays. Raises RefusedError."""
    _check_owner(judge, by)
    if judge.is_active and not judge.is_draft:
        raise RefusedError(f"{judge.name} is {judge.status}: stop it first.", "judge-refused")
    with transaction.atomic():
        _record(judge, "judge.deleted", by)
        judge.delete()


def _ask(judge: ModelJudge) -> None:
    """Ask for the missing answers of a confirmed judge, and submit them."""
    check_examples(judge)
    ask_missing(judge)
    judge.refresh_from_db(
        fields=["answered_model", "json_schema", "spent_prompt", "spent_completion"]
    )
    with transaction.atomic():
        submission = submit_answers(judge, at=now())
        if not judge.complete(at=now(), submission=submission, sealed_key=""):
            raise StoppedError
    # The answers are paid for: a comparison that fails loses none of them.
    comparison = compare_with_previous(judge, submission)
    ModelJudge.objects.filter(pk=judge.pk).update(comparison=to_json(comparison))


def _check_owner(judge: ModelJudge, by: User) -> None:
    if judge.owner_id != by.pk:
        raise RefusedError(f"Only {judge.owner} may do this: the key is theirs.", "role-needed")


def _record(judge: ModelJudge, action: str, by: User) -> None:
    """In the audit log, with what is sent where, never with the key."""
    template = judge.parsed_template
    details = {
        "judge": judge.name,
        "set": str(judge.judgment_set),
        "host": judge.host,
        "model": judge.model,
        "fields": template.sent_fields,
        "template": f"{template.name}-{template.hash}",
        "examples": judge.shots,
        "budget": judge.max_tokens,
        "max_cost": judge.max_cost,
        "spent": judge.spent_tokens,
    }
    audit.record(by, action, judge, after=details, judgment_set=judge.judgment_set)


JUDGES = JobKind(
    ModelJudge,
    _ask,
    expected_errors=(
        BudgetSpentError,
        ChatError,
        ModelChangedError,
        RefusedError,
        UnexpectedUsageError,
        sealing.SealError,
    ),
    stop=lambda judge, by, at: stop(judge, by=by, at=at),
)
