"""Drafts of model judges, which have sent nothing, and quotes of what they would send."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from django.conf import settings
from django.core.exceptions import ValidationError
from numpy.typing import NDArray

from benchmarks.judging.models import MAX_TEMPLATE, ModelJudge
from benchmarks.judging.services.asking import CHAT_PATH, PURPOSE
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.judges.chat import Template, TemplateError
from concord.judges.chat.client import key_fault, most_tokens
from concord.sentences import to_sentence
from core.security import sealing
from core.security.outgoing.addresses import AddressRefusedError, resolve

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
CACHED_PROMPTS = 32


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
    if fault := key_fault(spec.key):
        raise JudgingRefusedError(f"The key {fault}.", "key")
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
    answered = np.array(judge.answers.values_list("position", flat=True), dtype=np.int64)
    n = judge.judgment_set.n_candidates
    missing = judge.repeats - np.bincount(answered, minlength=n)
    requests = int(missing.sum())
    content = (judge.judgment_set_id, judge.template_name, judge.template, judge.low, judge.high)
    prompt = int(missing @ _prompt_tokens(*content))
    completion = requests * judge.max_completion
    return Quote(
        urlsplit(judge.endpoint).hostname or "",
        judge.parsed_template.sent_fields,
        requests,
        prompt,
        completion,
        judge.prices.cost(prompt, completion),
    )


@lru_cache(maxsize=CACHED_PROMPTS)
def _prompt_tokens(pk: int, name: str, text: str, low: int, high: int) -> NDArray[np.int64]:
    """The most tokens of each candidate's prompt, (n_candidates,). A version of a set never
    changes."""
    template, judgment_set = Template.parse(name, text), JudgmentSet.objects.get(pk=pk)
    positions = range(judgment_set.n_candidates)
    tokens = np.zeros(len(positions), dtype=np.int64)
    for start in range(0, len(positions), QUOTE_BLOCK):
        block = positions[start : start + QUOTE_BLOCK]
        for position, item in zip(block, frames.items(judgment_set, block), strict=True):
            tokens[position], _ = most_tokens(template.render(item, low, high), 0)
    return tokens


def _template(spec: JudgeSpec) -> Template:
    try:
        if spec.template == OWN_TEMPLATE:
            if len(spec.own_template) > MAX_TEMPLATE:
                raise TemplateError(f"the template has more than {MAX_TEMPLATE:,} characters")
            template = Template.parse(OWN_TEMPLATE, spec.own_template)
        else:
            template = Template.load(spec.template)
        if template.needs_examples or template.is_of_pairs or template.marks_errors:
            raise TemplateError(
                "examples, pairs and error marks are for the command `concord` only"
            )
        return template
    except TemplateError as error:
        raise JudgingRefusedError(to_sentence(error), "own_template") from error


def _scale(judgment_set: JudgmentSet, template: Template) -> tuple[int, int]:
    if template.name == "correct":
        return 0, 1
    scale = judgment_set.scale
    if scale is None or scale[0] != int(scale[0]) or scale[1] != int(scale[1]):
        message = "The set has no scale of whole numbers: enter the lowest and the highest score."
        raise JudgingRefusedError(message, "low")
    return int(scale[0]), int(scale[1])


def _check_endpoint(endpoint: str) -> None:
    try:
        resolve(endpoint.rstrip("/") + CHAT_PATH, settings.OUTGOING_ALLOWED_HOSTS)
    except AddressRefusedError as error:
        raise JudgingRefusedError(to_sentence(error), "endpoint") from error
