"""Model judges: drafts, quotes, the owner's confirmation, and the work of a worker.

Callers send the task, with `tasks.ask_model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.timezone import now

from benchmarks.judging.models import MAX_TEMPLATE, ModelJudge
from benchmarks.judging.services.asking import (
    CHAT_PATH,
    PURPOSE,
    Asker,
    ModelChangedError,
    UnexpectedUsageError,
    missing_answers,
)
from benchmarks.judging.services.budget import BudgetSpentError
from benchmarks.judging.services.finishing import submit_answers
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from benchmarks.submissions.services import SubmissionRefusedError
from concord.judges.chat import Template, TemplateError
from concord.judges.chat.client import most_tokens
from concord.sentences import to_sentence
from core import audit
from core.jobs.performing import StoppedError
from core.jobs.performing import perform as perform_job
from core.security import sealing
from core.security.outgoing.addresses import AddressRefusedError, resolve
from core.security.outgoing.calls import CallError

OWN_TEMPLATE = "own"
TEMPLATES = {
    "rating": "a number on the scale",
    "correct": "correct or not, by the references",
    "reasoned": "an explanation, then a number",
    OWN_TEMPLATE: "my own, below",
}
MAX_BUDGET = 10**12
MAX_MONEY = 1e9
MAX_KEY = 500
MAX_REPEATS = 10
MAX_THREADS = 16
MAX_COMPLETION = 4096
COMPLETION = {False: 16, True: 512}
VALIDATED_FIELDS = ("name", "endpoint", "model")
QUOTE_BLOCK = 2000
EXPECTED = (
    BudgetSpentError,
    CallError,
    ModelChangedError,
    SubmissionRefusedError,
    UnexpectedUsageError,
    sealing.SealError,
)


class JudgingRefusedError(ValueError):
    """A judge or a change is refused; `field` is the invalid field, or ""."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class NotOwnerError(JudgingRefusedError):
    """Only the owner of a judge, whose key it uses, may do this."""


@dataclass(frozen=True)
class JudgeSpec:
    """What an owner enters. template: a built-in template's name, or OWN_TEMPLATE with its text.
    scale: None for the set's, or 0 to 1 for the template "correct"."""

    name: str
    endpoint: str
    model: str
    key: str
    max_tokens: int
    template: str = "rating"
    own_template: str = ""
    scale: tuple[int, int] | None = None
    temperature: float = 0.0
    max_completion: int | None = None
    logprobs: bool = True
    repeats: int = 1
    threads: int = 4
    prompt_price: float = 0.0
    completion_price: float = 0.0
    max_cost: float | None = None


@dataclass(frozen=True)
class Quote:
    """What is sent at most, without requests that must be repeated. fields: of each candidate."""

    host: str
    fields: list[str]
    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


def draft(judgment_set: JudgmentSet, spec: JudgeSpec, *, owner: Any, at: datetime) -> ModelJudge:
    """Store a judge that has sent nothing. Raises JudgingRefusedError."""
    template = _template(spec)
    low, high = spec.scale or _scale(judgment_set, template)
    if spec.max_cost is not None and not (spec.prompt_price or spec.completion_price):
        raise JudgingRefusedError("A budget in money needs the two prices.", "max_cost")
    _check_endpoint(spec.endpoint)
    judge = ModelJudge(
        judgment_set=judgment_set,
        owner=owner,
        name=spec.name,
        endpoint=spec.endpoint,
        model=spec.model,
        sealed_key=sealing.seal(spec.key, PURPOSE) if spec.key else "",
        template_name=template.name,
        template=template.text,
        low=low,
        high=high,
        temperature=spec.temperature,
        max_completion=spec.max_completion or COMPLETION[template.is_reasoned],
        logprobs=spec.logprobs,
        repeats=spec.repeats,
        threads=spec.threads,
        prompt_price=spec.prompt_price,
        completion_price=spec.completion_price,
        max_tokens=spec.max_tokens,
        max_cost=spec.max_cost,
        created_at=at,
        sent_at=at,
    )
    try:
        names = {field.name for field in ModelJudge._meta.fields}
        judge.clean_fields(exclude=names - set(VALIDATED_FIELDS))
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise JudgingRefusedError(" ".join(messages), field) from error
    if high <= low:
        raise JudgingRefusedError("The scale's lowest point must be below its highest.", "low")
    judge.save()
    return judge


def quote(judge: ModelJudge) -> Quote:
    """The most that the missing answers can use, one try each."""
    template, counts = judge.parsed_template, _missing_by_position(judge)
    prompt = completion = 0
    positions = sorted(counts)
    for start in range(0, len(positions), QUOTE_BLOCK):
        block = positions[start : start + QUOTE_BLOCK]
        for position, item in zip(block, frames.items(judge.judgment_set, block), strict=True):
            text = template.render(item, judge.low, judge.high)
            tokens = most_tokens(text, judge.max_completion)
            prompt += tokens[0] * counts[position]
            completion += tokens[1] * counts[position]
    return Quote(
        urlsplit(judge.endpoint).hostname or "",
        template.sent_fields,
        sum(counts.values()),
        prompt,
        completion,
        judge.prices.cost(prompt, completion),
    )


def confirm(judge: ModelJudge, *, by: Any, at: datetime) -> None:
    """The owner allows the site to send. The caller sends the task. Raises JudgingRefusedError."""
    _check_owner(judge, by)
    if not judge.is_draft:
        raise JudgingRefusedError(f"{judge.name} is confirmed already.")
    with transaction.atomic():
        judge.confirmed_at = judge.sent_at = at
        judge.save(update_fields=["confirmed_at", "sent_at"])
        _record(judge, "judge.confirmed", by)


def stop(judge: ModelJudge, *, by: Any, at: datetime) -> bool:
    """Stop asking; what is answered is kept. False if it has ended, or was never confirmed."""
    if judge.is_draft:
        return False
    with transaction.atomic():
        stopped = judge.cancel(at=at)
        if stopped:
            _record(judge, "judge.stopped", by)
    return stopped


def resume(
    judge: ModelJudge, *, max_tokens: int, max_cost: float | None, by: Any, at: datetime
) -> None:
    """Go on with a stopped or failed judge, within this budget, which includes what was spent.

    The caller sends the task. Raises JudgingRefusedError.
    """
    _check_owner(judge, by)
    if judge.is_draft:
        raise JudgingRefusedError(f"{judge.name} is not confirmed yet.")
    if max_tokens < judge.spent_tokens:
        raise JudgingRefusedError(f"{judge.spent_tokens:,} tokens are spent already.", "max_tokens")
    with transaction.atomic():
        if not judge.queue_again(at=at, max_tokens=max_tokens, max_cost=max_cost):
            raise JudgingRefusedError(f"{judge.name} is {judge.status}.")
        judge.refresh_from_db()
        _record(judge, "judge.resumed", by)


def discard(judge: ModelJudge, *, by: Any) -> None:
    """Delete a judge that is not active, with its key and answers; a submission made of them
    stays. Raises JudgingRefusedError."""
    _check_owner(judge, by)
    if judge.is_active and not judge.is_draft:
        raise JudgingRefusedError(f"{judge.name} is {judge.status}: stop it first.")
    with transaction.atomic():
        _record(judge, "judge.deleted", by)
        judge.delete()


def perform(pk: int) -> None:
    """Ask for the missing answers of a confirmed judge, and submit them."""
    if not ModelJudge.objects.filter(pk=pk, confirmed_at__isnull=False).exists():
        return
    claimed = ModelJudge.claim(pk, at=now())
    if claimed is None:
        return

    def work() -> None:
        Asker(claimed).ask_all()
        claimed.refresh_from_db(fields=["answered_model", "spent_prompt", "spent_completion"])
        with transaction.atomic():
            submission = submit_answers(claimed, at=now())
            if not claimed.complete(at=now(), submission=submission, sealed_key=""):
                raise StoppedError

    perform_job(claimed, work, expected_errors=EXPECTED)


def _template(spec: JudgeSpec) -> Template:
    try:
        if spec.template == OWN_TEMPLATE:
            if len(spec.own_template) > MAX_TEMPLATE:
                raise TemplateError(f"the template has more than {MAX_TEMPLATE:,} characters")
            template = Template.parse(OWN_TEMPLATE, spec.own_template)
        else:
            template = Template.load(spec.template)
        if template.needs_examples:
            raise TemplateError("examples are shown by `concord judge` only")
        return template
    except TemplateError as error:
        raise JudgingRefusedError(to_sentence(error), "own_template") from error


def _scale(judgment_set: JudgmentSet, template: Template) -> tuple[int, int]:
    if template.name == "correct":
        return 0, 1
    low, high = judgment_set.scale_low, judgment_set.scale_high
    if low is None or high is None or low != int(low) or high != int(high):
        message = "The set has no scale of whole numbers: enter the lowest and the highest score."
        raise JudgingRefusedError(message, "low")
    return int(low), int(high)


def _check_endpoint(endpoint: str) -> None:
    try:
        resolve(endpoint.rstrip("/") + CHAT_PATH, settings.OUTGOING_ALLOWED_HOSTS)
    except AddressRefusedError as error:
        raise JudgingRefusedError(to_sentence(error), "endpoint") from error


def _check_owner(judge: ModelJudge, by: Any) -> None:
    if judge.owner_id != by.pk:
        raise NotOwnerError(f"Only {judge.owner} may do this: the key is theirs.")


def _missing_by_position(judge: ModelJudge) -> dict[int, int]:
    counts: dict[int, int] = {}
    for position, _ in missing_answers(judge):
        counts[position] = counts.get(position, 0) + 1
    return counts


def _record(judge: ModelJudge, action: str, by: Any) -> None:
    """In the audit log, with what is sent where, never with the key."""
    template = judge.parsed_template
    details = {
        "judge": judge.name,
        "set": str(judge.judgment_set),
        "host": urlsplit(judge.endpoint).hostname,
        "model": judge.model,
        "fields": template.sent_fields,
        "template": f"{template.name}-{template.hash}",
        "budget": judge.max_tokens,
        "max_cost": judge.max_cost,
        "spent": judge.spent_tokens,
    }
    audit.record(by, action, judge, after=details, judgment_set=judge.judgment_set)
