"""Asking a judge about many candidates: in parallel, within a budget, to be resumed."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

from concord.formats.records import Span
from concord.judges.chat.answers import READER_VERSION, Verdict, read_verdict
from concord.judges.chat.budget import Budget
from concord.judges.chat.client import MAX_TRIES, ChatAnswer, ChatError, JudgeClient
from concord.judges.chat.marks import read_marks
from concord.judges.chat.prompts import ShownPair, Template
from concord.judges.chat.store import AnswerStore
from concord.metrics import Item


class ModelChangedError(RuntimeError):
    """The server answered as another version of the model than before, or in another form."""


@dataclass(frozen=True)
class Quote:
    """What a run sends at most. requests: candidates without a stored answer."""

    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


@dataclass(frozen=True)
class Candidate:
    """A candidate, or a pair in one order, to judge."""

    id: str
    item: Item | ShownPair


class JudgeRun:
    """One judge over a file of candidates.

    name: the name of the scores. low, high: the scale, whole numbers. The parts are used as given;
    `store` has the answers of earlier runs, and their charges count against `budget`.
    """

    def __init__(
        self,
        name: str,
        client: JudgeClient,
        template: Template,
        scale: tuple[int, int],
        budget: Budget,
        store: AnswerStore,
    ) -> None:
        self.name, self._client, self._template = name, client, template
        self._low, self._high = scale
        self._budget, self._store = budget, store
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._models = {answer["model"] for answer in store.answers.values() if answer["model"]}
        self._forms = {answer.get("by_schema", False) for answer in store.answers.values()}
        self._wants_schema = client.schema is not None
        for answer in store.answers.values():
            budget.charge((answer["charged"][0], answer["charged"][1]))
        for charged in store.lost:
            budget.charge(charged)

    @property
    def signature(self) -> str:
        """All that fixes a score, but for the model's version, which each answer has."""
        parts = self._parts()
        if self._wants_schema:
            parts.append(f"answers:{'json-schema' if True in self._forms else 'text'}")
        return "|".join(["judge", *parts])

    def _parts(self) -> list[str]:
        client = self._client
        return [
            f"model:{client.model}",
            f"endpoint:{client.host}",
            f"template:{self._template.name}-{self._template.hash}",
            f"scale:{self._low}-{self._high}",
            f"temperature:{client.temperature:g}",
            f"logprobs:{'yes' if client.logprobs else 'no'}",
            f"max:{client.max_completion}",
            f"reader:{READER_VERSION}",
        ]

    def quote(self, candidates: Sequence[Candidate]) -> Quote:
        """The most that the candidates without an answer can cost, one try each."""
        reserved = [
            self._client.reservation(self._prompt(candidate))
            for candidate in candidates
            if self._key(candidate) not in self._store.answers
        ]
        prompt, completion = (sum(pair[k] for pair in reserved) for k in (0, 1))
        return Quote(
            len(reserved), prompt, completion, self._budget.prices.cost(prompt, completion)
        )

    def labels(self, candidates: Sequence[Candidate]) -> dict[str, int | None]:
        """The stored labels by the candidates' ids, None for an invalid answer."""
        answers = {each.id: self._store.answers.get(self._key(each)) for each in candidates}
        return {
            key: None if answer["scores"][self.name] is None else answer["label"]
            for key, answer in answers.items()
            if answer is not None
        }

    def verdicts(self, candidates: Sequence[Candidate]) -> dict[str, float | None]:
        """The stored scores by the candidates' ids; candidates without an answer are left out."""
        scores = {}
        for candidate in candidates:
            answer = self._store.answers.get(self._key(candidate))
            if answer is not None:
                scores[candidate.id] = answer["scores"][self.name]
        return scores

    def ask_all(
        self,
        candidates: Sequence[Candidate],
        *,
        threads: int = 4,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Ask about every candidate without a stored answer.

        Returns when all are answered. Raises BudgetSpentError, ChatError and ModelChangedError;
        all answers until then are stored, and calling it again goes on.
        """
        waiting = [each for each in candidates if self._key(each) not in self._store.answers]
        done = len(candidates) - len(waiting)
        self._stop.clear()
        if self._wants_schema and waiting:
            # The first answer says whether the server answers by schema; the others follow it.
            self._ask(waiting.pop(0))
            done += 1
        with ThreadPoolExecutor(max_workers=threads) as pool:
            futures = [pool.submit(self._ask_or_stop, candidate) for candidate in waiting]
            try:
                for future in futures:
                    future.result()
                    done += 1
                    if progress is not None:
                        progress(done, len(candidates))
            except BaseException:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                # The first error in time, not in the order of candidates, is the cause.
                raise

    def _ask_or_stop(self, candidate: Candidate) -> None:
        if self._stop.is_set():
            return
        try:
            self._ask(candidate)
        except BaseException:
            self._stop.set()
            raise

    def _ask(self, candidate: Candidate) -> None:
        prompt, key = self._prompt(candidate), self._key(candidate)
        reserved = self._client.reservation(prompt)
        tries = 0
        while True:
            self._budget.reserve(*reserved)
            self._store.add_request(key, reserved)
            try:
                answer = self._client.ask(prompt)
            except ChatError as error:
                # A request that may have been paid for stays charged.
                if not error.was_sent:
                    self._budget.replace(reserved, (0, 0))
                    self._store.add_free_request(key)
                tries += 1
                if error.is_final or tries >= MAX_TRIES or self._stop.is_set():
                    raise
                self._client.pause(tries, error)
                continue
            used = answer.tokens or reserved
            self._budget.replace(reserved, used)
            self._keep(candidate, key, answer, used)
            return

    def _keep(
        self, candidate: Candidate, key: str, answer: ChatAnswer, used: tuple[int, int]
    ) -> None:
        verdict, spans = self._read(candidate, answer)
        self._store.add_answer(
            {
                "id": candidate.id,
                "key": key,
                "scores": {self.name: verdict.score},
                "label": verdict.label,
                "invalid": verdict.reason,
                "raw": answer.text,
                "model": answer.model,
                "charged": list(used),
                "seconds": round(answer.seconds, 4),
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "spans": [[span.start, span.end, span.severity] for span in spans],
                "by_schema": answer.by_schema,
            }
        )
        with self._lock:
            self._forms.add(answer.by_schema)
            if len(self._forms) > 1:
                raise ModelChangedError(
                    "the server answers by JSON schema, and did not before, or the other way "
                    "round. Such scores are not comparable: start anew with another --out"
                )
            self._models.add(answer.model)
            if len(self._models - {""}) > 1:
                versions = ", ".join(sorted(self._models - {""}))
                raise ModelChangedError(
                    f"the server answered as several versions of the model: {versions}. Scores of "
                    "several versions are not comparable: start anew with another --out"
                )

    def _read(self, candidate: Candidate, answer: ChatAnswer) -> tuple[Verdict, list[Span]]:
        """The score of an answer, and the errors that it marks."""
        if self._template.marks_errors and isinstance(candidate.item, Item):
            return read_marks(answer.text, candidate.item.candidate)
        verdict = read_verdict(
            answer.text,
            answer.logprobs,
            self._low,
            self._high,
            is_reasoned=self._template.is_reasoned,
            by_schema=answer.by_schema,
        )
        return verdict, []

    def _prompt(self, candidate: Candidate) -> str:
        return self._template.render(candidate.item, self._low, self._high)

    def _key(self, candidate: Candidate) -> str:
        signature = "|".join(["judge", *self._parts()])
        content = [self.name, signature, candidate.id, self._prompt(candidate)]
        if self._wants_schema:
            content.append("json-schema")
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()
