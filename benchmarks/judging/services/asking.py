"""Asking a model the questions of a judge: in parallel, within the budget, to be resumed."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q
from django.utils.timezone import now

from benchmarks.judging.models import ModelAnswer, ModelJudge
from benchmarks.judging.services.budget import give_back, reserve
from benchmarks.judging.services.local_models import content_key, open_client
from benchmarks.judging.services.questions import Prompt, Question, missing_questions, prompts
from benchmarks.runs.services.metrics import call_rules
from concord.formats.fields import storage_fault
from concord.formats.judge_answers import MAX_RAW
from concord.formats.records import Span
from concord.judges.chat import ChatError, Verdict, read_verdict
from concord.judges.chat.client import ChatAnswer, most_tokens, read_answer, request_body
from concord.judges.chat.marks import read_marks
from concord.judges.chat.schemas import answer_schema
from core.jobs.performing import StoppedError
from core.security import sealing
from core.security.outgoing.calls import CallError, post

PURPOSE = "keys of model judges"
MAX_TRIES = 6
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.25, 30.0
# Answers with these statuses were not paid for.
FREE_STATUSES = range(400, 500)
FREE = 400  # of a local model, which refuses a prompt before it answers
COPIED = (
    *("score", "label", "spans", "reason", "raw", "model", "content"),
    "most_prompt_tokens",
)
CHAT_PATH = "/chat/completions"
BLOCK = 200


class ModelChangedError(RuntimeError):
    """The server answered as another version of the model than before."""


class UnexpectedUsageError(RuntimeError):
    """The server counts more tokens than the request can have."""


class Asker:
    """Asks for the missing answers of a claimed judge."""

    def __init__(self, judge: ModelJudge) -> None:
        self._judge, self._template = judge, judge.parsed_template
        key = sealing.unseal(judge.sealed_key, PURPOSE) if judge.sealed_key else ""
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._url = judge.endpoint.rstrip("/") + CHAT_PATH
        self._rules = replace(call_rules(), timeout_seconds=settings.JUDGE_TIMEOUT_SECONDS)
        self._schema = (
            answer_schema(self._template, judge.low, judge.high) if judge.json_schema else None
        )
        self._local = open_client(judge) if judge.is_local else None
        self._stop = threading.Event()

    def ask_all(self) -> None:
        """Ask until every question has its answer.

        Raises StoppedError, BudgetSpentError, CallError, ModelChangedError, UnexpectedUsageError
        and SealError; what was answered until then is stored.
        """
        waiting = missing_questions(self._judge)
        if self._schema is not None and len(waiting) == self._judge.n_requests:
            # The first answer says whether the server answers by schema; the others follow it.
            self._ask_block(waiting[:1])
            del waiting[:1]
        for start in range(0, len(waiting), BLOCK):
            self._ask_block(waiting[start : start + BLOCK])

    def _ask_block(self, waiting: list[Question]) -> None:
        with ThreadPoolExecutor(max_workers=self._judge.threads) as pool:
            futures = [
                pool.submit(self._ask_or_stop, question, prompt)
                for question, prompt in prompts(self._judge, waiting).items()
            ]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _ask_or_stop(self, question: Question, prompt: Prompt) -> None:
        try:
            if not self._stop.is_set():
                self._ask(question, prompt)
        except BaseException:
            self._stop.set()
            raise
        finally:
            connection.close()

    def _ask(self, question: Question, prompt: Prompt) -> None:
        judge = self._judge
        if self._copy_answer(question, prompt):
            return
        reserved = most_tokens(prompt.text, judge.max_completion, self._schema)
        for tries in range(MAX_TRIES):
            if not reserve(judge, *reserved):
                raise StoppedError
            try:
                answer = self._call(prompt.text)
            except CallError as error:
                # A request that may have been paid for stays charged.
                if error.status in FREE_STATUSES:
                    give_back(judge, *reserved)
                if self._drops_schema(error):
                    self._ask(question, prompt)
                    return
                if error.permanent or tries + 1 == MAX_TRIES or self._stop.is_set():
                    raise
                pause = max(FIRST_PAUSE_SECONDS * 2**tries, error.wait or 0.0)
                self._stop.wait(min(pause, MAX_PAUSE_SECONDS))
                continue
            self._store(question, prompt, answer, reserved)
            return

    def _drops_schema(self, error: CallError) -> bool:
        """Ask for text from now on, if the server refused the first request by schema.

        `_store` records that with the first answer in text: the refusal may have another reason.
        """
        judge = self._judge
        if self._schema is None or error.status != 400 or judge.answers.exists():
            return False
        self._schema = None
        return True

    def _copy_answer(self, question: Question, prompt: Prompt) -> bool:
        """Copy a local model's answer to the same prompt, which costs nothing. False without one.

        Raises StoppedError.
        """
        if self._local is None:
            return False
        content = content_key(self._judge, self._local, prompt.text)
        same = ModelAnswer.objects.filter(content=content).first()
        if same is None:
            return False
        if not self._judge.held.exists():
            raise StoppedError
        fields = {name: getattr(same, name) for name in COPIED}
        free = {"prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.0}
        self._save(question, fields | free)
        self._check_version(question, same.model)
        return True

    def _call(self, prompt: str) -> ChatAnswer:
        judge = self._judge
        if self._local is not None:
            try:
                return self._local.ask(prompt)
            except ChatError as error:
                raise CallError(str(error), permanent=error.is_final, status=FREE) from error
        body = request_body(
            judge.model,
            prompt,
            judge.max_completion,
            judge.temperature,
            logprobs=judge.logprobs,
            schema=self._schema,
        )
        started = time.perf_counter()
        response = post(
            self._url, json.dumps(body).encode(), self._rules, headers=dict(self._headers)
        )
        try:
            return read_answer(json.loads(response.body), time.perf_counter() - started)
        except (ValueError, RecursionError) as error:
            raise CallError(f"the server's answer cannot be read: {error}") from error

    def _store(
        self, question: Question, prompt: Prompt, answer: ChatAnswer, reserved: tuple[int, int]
    ) -> None:
        judge, used = self._judge, answer.tokens or reserved
        if used[0] > reserved[0] or used[1] > reserved[1]:
            raise UnexpectedUsageError(
                f"The server counts {used[0]:,} tokens of the prompt, {used[1]:,} of the answer; "
                f"at most {reserved[0]:,} and {reserved[1]:,} are possible. Its counts cannot be "
                "relied on."
            )
        if judge.json_schema and self._schema is None:
            ModelJudge.objects.filter(pk=judge.pk).update(json_schema=False)
            judge.json_schema = False
        verdict, spans = self._read(answer, prompt.candidate)
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
                "content": content_key(judge, self._local, prompt.text) if self._local else "",
            },
        )
        give_back(judge, reserved[0] - used[0], reserved[1] - used[1])
        self._check_version(question, answer.model)

    def _save(self, question: Question, fields: dict[str, Any]) -> None:
        ModelAnswer.objects.update_or_create(
            **asdict(question), judge=self._judge, defaults=fields | {"answered_at": now()}
        )

    def _check_version(self, question: Question, version: str) -> None:
        """Delete the answer, and raise ModelChangedError, if another version gave it."""
        judge = self._judge
        same = ModelJudge.objects.filter(Q(answered_model="") | Q(answered_model=version))
        if version and not same.filter(pk=judge.pk).update(answered_model=version):
            ModelAnswer.objects.filter(judge=judge, **asdict(question)).delete()
            raise ModelChangedError(
                f"The model now answers as {version}, and before as another version. Scores of "
                "several versions are not comparable: start a new judge."
            )

    def _read(self, answer: ChatAnswer, candidate: str) -> tuple[Verdict, list[Span]]:
        """The score of an answer, and the errors that it marks in the candidate."""
        if self._template.marks_errors:
            return read_marks(answer.text, candidate)
        verdict = read_verdict(
            answer.text,
            answer.logprobs,
            self._judge.low,
            self._judge.high,
            is_reasoned=self._template.is_reasoned,
            by_schema=self._schema is not None,
        )
        return verdict, []
