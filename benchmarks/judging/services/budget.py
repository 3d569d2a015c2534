"""The budget of a model judge, in the database: no number of workers can exceed it."""

from __future__ import annotations

from django.db.models import F, Q

from benchmarks.judging.models import ModelJudge
from concord.judges.chat.asking import BudgetSpentError, Tokens
from core.jobs.performing import StoppedError

PER_PRICE = 1_000_000  # tokens that a price is for


class JudgeBudget:
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
