"""Asking a model many prompts: in parallel, within a budget, to be resumed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Generic, Protocol, TypeVar

from concord.judges.chat.client import ChatAnswer, ChatClient, ChatError
from concord.retries import retry_pause

MAX_TRIES = 6
# Prompts that are made and wait at once.
BLOCK = 200

Question = TypeVar("Question")
StoredQuestion = TypeVar("StoredQuestion", contravariant=True)
Tokens = tuple[int, int]  # of the prompt and of the answer


class ModelChangedError(RuntimeError):
    """The server answered as another version of the model than before, or in another form."""


class BudgetSpentError(RuntimeError):
    """The next request could exceed the budget."""


class RequestBudget(Protocol):
    """A budget from which each request reserves the most that it can cost, before it is sent."""

    def reserve(self, reserved: Tokens) -> None:
        """Raises BudgetSpentError, with nothing reserved, where a limit would be exceeded."""

    def replace(self, reserved: Tokens, used: Tokens) -> None:
        """Replace a reservation by what was used."""


class AnswerLog(Protocol[StoredQuestion]):
    """Where requests and answers are stored, as soon as they are known. Called by threads."""

    def copy_answer(self, question: StoredQuestion, prompt: str) -> bool:
        """Store an answer to an equal prompt, which costs nothing. False where there is none."""

    def add_request(self, question: StoredQuestion, reserved: Tokens) -> None:
        """A request is about to be sent."""

    def add_free_request(self, question: StoredQuestion) -> None:
        """The last request cost nothing."""

    def add_answer(
        self, question: StoredQuestion, prompt: str, answer: ChatAnswer, reserved: Tokens
    ) -> None:
        """Store an answer."""

    def check_version(self, question: StoredQuestion, answer: ChatAnswer) -> None:
        """Raises ModelChangedError where other answers are of another version of the model."""

    def close_thread(self) -> None:
        """A thread has done its part of the work."""


class Asker(Generic[Question]):
    """Asks one client within one budget."""

    def __init__(
        self,
        client: ChatClient,
        budget: RequestBudget,
        answers: AnswerLog[Question],
        *,
        threads: int = 4,
    ) -> None:
        self._client, self._budget, self._answers = client, budget, answers
        self._threads = threads
        self._stop = threading.Event()

    def ask_all(
        self,
        prompts: Iterable[tuple[Question, str]],
        *,
        on_answer: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask every question by its prompt; `on_answer` is called after each.

        The first error ends the work, and all answers until then are stored. Raises
        BudgetSpentError, ChatError, ModelChangedError, and what the budget and the log raise.
        """
        waiting = iter(prompts)
        if self._client.schema is not None:
            # The first answer says whether the server answers by schema; the others follow it.
            for question, prompt in islice(waiting, 1):
                self._ask_or_stop(question, prompt)
                on_answer()
        while block := list(islice(waiting, BLOCK)):
            for _ in self._ask_block(block):
                on_answer()

    def _ask_block(self, block: list[tuple[Question, str]]) -> Iterator[None]:
        with ThreadPoolExecutor(max_workers=self._threads) as pool:
            futures = [pool.submit(self._ask_or_stop, *one) for one in block]
            try:
                for future in futures:
                    yield future.result()
            except BaseException:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _ask_or_stop(self, question: Question, prompt: str) -> None:
        try:
            if not self._stop.is_set():
                self._ask(question, prompt)
        except BaseException:
            self._stop.set()
            raise
        finally:
            self._answers.close_thread()

    def _ask(self, question: Question, prompt: str) -> None:
        if self._answers.copy_answer(question, prompt):
            return
        reserved = self._client.reservation(prompt)
        failures = 0
        while True:
            self._budget.reserve(reserved)
            self._answers.add_request(question, reserved)
            try:
                answer = self._client.ask(prompt)
            except ChatError as error:
                # A request that may have been paid for stays charged.
                if not error.was_sent:
                    self._budget.replace(reserved, (0, 0))
                    self._answers.add_free_request(question)
                failures += 1
                if error.is_final or failures == MAX_TRIES or self._stop.is_set():
                    raise
                self._stop.wait(retry_pause(failures, error.retry_after))
                continue
            self._answers.add_answer(question, prompt, answer, reserved)
            self._budget.replace(reserved, answer.tokens or reserved)
            self._answers.check_version(question, answer)
            return
