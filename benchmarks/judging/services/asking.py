"""Asking a model the questions of a judge of this site; its answers are rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice

from django.conf import settings
from django.db import connection
from django.db.models import F, Q
from django.utils.timezone import now

from benchmarks.judging.models import ModelAnswer, ModelJudge
from benchmarks.judging.services.questions import JudgeRequest, missing_questions, prompts
from benchmarks.runs.services.metrics import call_rules
from concord.formats.fields import storage_fault
from concord.formats.judge_answers import MAX_RAW
from concord.judges.chat import Asker, ChatClient, ChatError, ModelChangedError
from concord.judges.chat.asking import BudgetSpentError, Tokens
from concord.judges.chat.client import CHAT_PATH, ChatAnswer, HttpAnswer
from concord.judges.chat.runs import read_judgment
from concord.judges.chat.schemas import answer_schema
from core.jobs.performing import StoppedError
from core.security import sealing
from core.security.outgoing.calls import CallError, post

PER_PRICE = 1_000_000  # tokens that a price is for


class StoredBudget:
    """The budget of one judge (`concord.judges.chat.asking.RequestBudget`)."""

    def __init__(self, judge: ModelJudge) -> None:
        self._judge = judge

    def reserve(self, reserved: Tokens) -> None:
        """Reserve tokens before a request: one statement checks both limits and reserves.

        Raises BudgetSpentError, and StoppedError if the judge was stopped or taken over, with
        nothing reserved.
        """
        judge, (prompt, completion) = self._judge, reserved
        rows = judge.held
        tokens = F("spent_prompt") + F("spent_completion") + prompt + completion
        within = Q(max_tokens__gte=tokens)
        if judge.max_cost is not None:
            money = (F("spent_prompt") + prompt) * F("prompt_price")
            money += (F("spent_completion") + completion) * F("completion_price")
            within &= Q(max_cost__gte=money / PER_PRICE)
        is_reserved = rows.filter(within).update(
            spent_prompt=F("spent_prompt") + prompt,
            spent_completion=F("spent_completion") + completion,
        )
        if is_reserved:
            return
        if not rows.exists():
            raise StoppedError
        raise BudgetSpentError(
            "The next request could exceed the budget. Enter a higher one to go on: what is "
            "answered is kept."
        )

    def replace(self, reserved: Tokens, used: Tokens) -> None:
        """Give back the tokens that a request did not use."""
        ModelJudge.objects.filter(pk=self._judge.pk).update(
            spent_prompt=F("spent_prompt") - (reserved[0] - used[0]),
            spent_completion=F("spent_completion") - (reserved[1] - used[1]),
        )


PURPOSE = "keys of model judges"
BLOCK = 200


@dataclass(frozen=True)
class AskedQuestion:
    """place: among the answers. candidate: the text that error marks are in; "" for a pair."""

    place: JudgeRequest
    candidate: str


class UnexpectedUsageError(RuntimeError):
    """The server counts more tokens than the request can have."""


def ask_missing(judge: ModelJudge) -> None:
    """Ask a claimed judge until every question has its answer.

    Raises StoppedError, BudgetSpentError, ChatError, ModelChangedError, UnexpectedUsageError
    and SealError; what was answered until then is stored.
    """
    client, budget = _server_client(judge), StoredBudget(judge)
    asker = Asker(client, budget, _StoredAnswers(judge), threads=judge.threads)
    asker.ask_all(_missing_prompts(judge))


def _missing_prompts(judge: ModelJudge) -> Iterator[tuple[AskedQuestion, str]]:
    """The prompts of the questions without an answer, a block at a time."""
    waiting = iter(missing_questions(judge))
    while block := list(islice(waiting, BLOCK)):
        for question, prompt in prompts(judge, block).items():
            yield AskedQuestion(question, prompt.candidate), prompt.text


def _server_client(judge: ModelJudge) -> ChatClient:
    schema = answer_schema(judge.parsed_template, judge.low, judge.high)
    return ChatClient(
        _OutgoingTransport(judge),
        judge.model,
        max_completion=judge.max_completion,
        temperature=judge.temperature,
        logprobs=judge.logprobs,
        schema=schema if judge.json_schema else None,
        is_schema_taken=judge.answers.exists(),
    )


class _OutgoingTransport:
    """Requests to checked addresses only (`core.security.outgoing`)."""

    def __init__(self, judge: ModelJudge) -> None:
        self.host, self._url = judge.host, judge.endpoint.rstrip("/") + CHAT_PATH
        key = sealing.unseal(judge.sealed_key, PURPOSE) if judge.sealed_key else ""
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._rules = replace(call_rules(), timeout_seconds=settings.JUDGE_TIMEOUT_SECONDS)

    def post(self, body: bytes) -> HttpAnswer:
        try:
            response = post(self._url, body, self._rules, headers=dict(self._headers))
        except CallError as error:
            if error.status is not None:
                return HttpAnswer(error.status, b"", error.wait)
            raise ChatError(str(error), was_sent=True, is_final=error.permanent) from error
        return HttpAnswer(200, response.body)

    def close(self) -> None:
        """Each request has a connection of its own."""


class _StoredAnswers:
    """The answers of a judge, as rows of `ModelAnswer`."""

    def __init__(self, judge: ModelJudge) -> None:
        self._judge = judge

    def copy_answer(self, question: AskedQuestion, prompt: str) -> bool:
        """Nothing is copied: every question is asked."""
        return False

    def add_request(self, question: AskedQuestion, reserved: Tokens) -> None:
        """The budget, in the judge's row, already has the reservation."""

    def add_free_request(self, question: AskedQuestion) -> None:
        """The budget already has the reservation back."""

    def add_answer(
        self, question: AskedQuestion, prompt: str, answer: ChatAnswer, reserved: Tokens
    ) -> None:
        judge, used = self._judge, answer.tokens or reserved
        if used[0] > reserved[0] or used[1] > reserved[1]:
            raise UnexpectedUsageError(
                f"The server counts {used[0]:,} tokens of the prompt, {used[1]:,} of the answer; "
                f"at most {reserved[0]:,} and {reserved[1]:,} are possible. Its counts cannot be "
                "relied on."
            )
        if judge.json_schema and not answer.by_schema:
            ModelJudge.objects.filter(pk=judge.pk).update(json_schema=False)
            judge.json_schema = False
        verdict, spans = read_judgment(
            judge.parsed_template, (judge.low, judge.high), answer, question.candidate
        )
        raw = answer.text[:MAX_RAW]
        self._save(
            question,
            {
                "score": verdict.score,
                "label": verdict.label,
                "spans": [[span.start, span.end, span.severity] for span in spans],
                "reason": verdict.reason,
                "raw": "" if storage_fault(raw) else raw,
                "model": answer.model,
                "prompt_tokens": used[0],
                "most_prompt_tokens": reserved[0],
                "completion_tokens": used[1],
                "seconds": answer.seconds,
            },
        )

    def check_version(self, question: AskedQuestion, answer: ChatAnswer) -> None:
        self._check_model(question, answer.model)

    def close_thread(self) -> None:
        connection.close()

    def _check_model(self, question: AskedQuestion, version: str) -> None:
        """Delete the answer, and raise ModelChangedError, if another version gave it."""
        judge = self._judge
        same = ModelJudge.objects.filter(Q(answered_model="") | Q(answered_model=version))
        if version and not same.filter(pk=judge.pk).update(answered_model=version):
            ModelAnswer.objects.filter(judge=judge, **asdict(question.place)).delete()
            raise ModelChangedError(
                f"The model now answers as {version}, and before as another version. Scores of "
                "several versions are not comparable: start a new judge."
            )

    def _save(self, question: AskedQuestion, fields: dict[str, object]) -> None:
        ModelAnswer.objects.update_or_create(
            **asdict(question.place), judge=self._judge, defaults=fields | {"answered_at": now()}
        )
