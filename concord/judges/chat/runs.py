"""A judge over a file of candidates: its questions, and its answers in a file."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from concord.formats.records import Span
from concord.judges.chat.answers import READER_VERSION, ReadLabel, read_verdict
from concord.judges.chat.asking import Asker, ModelChangedError, Tokens
from concord.judges.chat.batches import POLL_SECONDS, BatchAsker, BatchKeys, BatchServer
from concord.judges.chat.budget import FileBudget
from concord.judges.chat.client import ChatAnswer, ChatClient
from concord.judges.chat.marks import read_marks
from concord.judges.chat.prompts import ShownPair, Template
from concord.judges.chat.store import AnswerStore, StoredAnswer
from concord.metrics import Item


@dataclass(frozen=True)
class Quote:
    """What a run sends at most. requests: candidates without a stored answer."""

    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


@dataclass(frozen=True)
class JudgedCandidate:
    """A candidate, or a pair in one order, to judge."""

    id: str
    item: Item | ShownPair


def read_judgment(
    template: Template, scale: tuple[int, int], answer: ChatAnswer, candidate: str
) -> tuple[ReadLabel, list[Span]]:
    """The score of an answer, and the errors that it marks in the candidate's text."""
    if template.marks_errors:
        return read_marks(answer.text, candidate)
    verdict = read_verdict(
        answer.text,
        answer.logprobs,
        *scale,
        is_reasoned=template.is_reasoned,
        by_schema=answer.by_schema,
        takes_ties=template.is_of_pairs,
    )
    return verdict, []


class JudgeRun:
    """One judge over a file of candidates.

    name: the name of the scores. low, high: the scale, whole numbers. The parts are used as given;
    `store` has the answers of earlier runs, and their charges count against `budget`.
    """

    def __init__(
        self,
        name: str,
        client: ChatClient,
        template: Template,
        scale: tuple[int, int],
        budget: FileBudget,
        store: AnswerStore,
    ) -> None:
        self.name, self._client, self._template = name, client, template
        self._low, self._high = scale
        self._budget, self._store = budget, store
        self._answers = _FileAnswers(self, store)
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
            parts.append(f"answers:{'json-schema' if True in self._answers.forms else 'text'}")
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

    def quote(self, candidates: Sequence[JudgedCandidate]) -> Quote:
        """The most that the candidates without an answer can cost, one try each."""
        reserved = [
            self._client.reservation(self._prompt(candidate))
            for candidate in candidates
            if self.key(candidate) not in self._store.answers and self.copied(candidate) is None
        ]
        prompt, completion = (sum(pair[k] for pair in reserved) for k in (0, 1))
        return Quote(
            len(reserved), prompt, completion, self._budget.prices.cost(prompt, completion)
        )

    def labels(self, candidates: Sequence[JudgedCandidate]) -> dict[str, int | None]:
        """The stored labels by the candidates' ids, None for an invalid answer."""
        return {
            key: None if answer["scores"][self.name] is None else answer["label"]
            for key, answer in self._stored(candidates).items()
        }

    def verdicts(self, candidates: Sequence[JudgedCandidate]) -> dict[str, float | None]:
        """The stored scores by the candidates' ids; candidates without an answer are left out."""
        stored = self._stored(candidates)
        return {key: answer["scores"][self.name] for key, answer in stored.items()}

    def invalid(self, candidates: Sequence[JudgedCandidate]) -> list[StoredAnswer]:
        """The stored answers without a score, in the order of the candidates."""
        answers = self._stored(candidates).values()
        return [answer for answer in answers if answer["scores"][self.name] is None]

    def _stored(self, candidates: Sequence[JudgedCandidate]) -> dict[str, StoredAnswer]:
        answers = {each.id: self._store.answers.get(self.key(each)) for each in candidates}
        return {key: answer for key, answer in answers.items() if answer is not None}

    def ask_all(
        self,
        candidates: Sequence[JudgedCandidate],
        *,
        threads: int = 4,
        progress: Callable[[int, int], None] | None = None,
        batches: BatchServer | None = None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """Ask about every candidate without a stored answer; by `batches`, if there are any.

        Returns when all are answered. Raises BudgetSpentError, ChatError and ModelChangedError;
        all answers until then are stored, and calling it again goes on.
        """
        waiting = [each for each in candidates if self.key(each) not in self._store.answers]
        done = len(candidates) - len(waiting)

        def on_answer() -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, len(candidates))

        prompts = ((each, self._prompt(each)) for each in waiting)
        if batches is None:
            asker = Asker(self._client, self._budget, self._answers, threads=threads)
            asker.ask_all(prompts, on_answer=on_answer)
            return
        path = self._store.path
        by_batch = BatchAsker(
            self._client,
            batches,
            self._budget,
            self._answers,
            BatchKeys(self.key, self._store.answers, path.with_name(f"{path.name}.batch")),
            poll_seconds=poll_seconds,
        )
        by_batch.ask_all(prompts, on_answer=on_answer)

    def read(self, candidate: JudgedCandidate, answer: ChatAnswer) -> tuple[ReadLabel, list[Span]]:
        """See `read_judgment`."""
        text = candidate.item.candidate if isinstance(candidate.item, Item) else ""
        return read_judgment(self._template, (self._low, self._high), answer, text)

    def _prompt(self, candidate: JudgedCandidate) -> str:
        return self._template.render(candidate.item, self._low, self._high)

    def key(self, candidate: JudgedCandidate) -> str:
        """The SHA-256 (hex) of all that fixes a request, by which its answer is stored."""
        return self._hash([self.name, self._request, candidate.id, self._prompt(candidate)])

    def content(self, candidate: JudgedCandidate) -> str:
        """The SHA-256 (hex) of the request alone, whichever candidate and name it is of."""
        return self._hash([self._request, self._prompt(candidate)])

    def copied(self, candidate: JudgedCandidate) -> StoredAnswer | None:
        """A stored answer to the same request about another candidate, or by another run; None
        without, and where answers are drawn at random."""
        if self._client.temperature > 0:
            return None
        return self._store.by_content.get(self.content(candidate))

    @property
    def _request(self) -> str:
        return "|".join(["judge", *self._parts()])

    def _hash(self, content: list[str]) -> str:
        if self._wants_schema:
            content.append("json-schema")
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


class _FileAnswers:
    """The answers of a run, in its store."""

    def __init__(self, run: JudgeRun, store: AnswerStore) -> None:
        self._run, self._store = run, store
        self._lock = threading.Lock()
        self._models = {answer["model"] for answer in store.answers.values() if answer["model"]}
        self.forms = {answer.get("by_schema", False) for answer in store.answers.values()}

    def copy_answer(self, candidate: JudgedCandidate, prompt: str) -> bool:
        source = self._run.copied(candidate)
        if source is None:
            return False
        (score,) = source["scores"].values()
        own = {"id": candidate.id, "key": self._run.key(candidate), "charged": [0, 0]}
        copy = {**source, **own, "scores": {self._run.name: score}, "seconds": 0.0}
        self._store.add_answer(cast(StoredAnswer, copy))
        self._check(source["model"], source.get("by_schema", False))
        return True

    def add_request(self, candidate: JudgedCandidate, reserved: Tokens) -> None:
        self._store.add_request(self._run.key(candidate), reserved)

    def add_free_request(self, candidate: JudgedCandidate) -> None:
        self._store.add_free_request(self._run.key(candidate))

    def add_answer(
        self, candidate: JudgedCandidate, prompt: str, answer: ChatAnswer, reserved: Tokens
    ) -> None:
        verdict, spans = self._run.read(candidate, answer)
        self._store.add_answer(
            {
                "id": candidate.id,
                "key": self._run.key(candidate),
                "scores": {self._run.name: verdict.score},
                "label": verdict.label,
                "invalid": verdict.reason,
                "raw": answer.text,
                "model": answer.model,
                "charged": list(answer.tokens or reserved),
                "seconds": round(answer.seconds, 4),
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "spans": [[span.start, span.end, span.severity] for span in spans],
                "by_schema": answer.by_schema,
                "content": self._run.content(candidate),
            }
        )

    def check_version(self, candidate: JudgedCandidate, answer: ChatAnswer) -> None:
        self._check(answer.model, answer.by_schema)

    def _check(self, model: str, by_schema: bool) -> None:
        with self._lock:
            self.forms.add(by_schema)
            if len(self.forms) > 1:
                raise ModelChangedError(
                    "the server answers by JSON schema, and did not before, or the other way "
                    "round. Such scores are not comparable: start anew with another --out"
                )
            self._models.add(model)
            if len(self._models - {""}) > 1:
                versions = ", ".join(sorted(self._models - {""}))
                raise ModelChangedError(
                    f"the server answered as several versions of the model: {versions}. Scores of "
                    "several versions are not comparable: start anew with another --out"
                )

    def close_thread(self) -> None:
        """Threads hold nothing."""
