"""The budget of a model judge, in the database: no number of workers can exceed it."""

from __future__ import annotations

from django.db.models import F, Q

from benchmarks.judging.models import ModelJudge

PER_PRICE = 1_000_000  # tokens that a price is for


class BudgetSpentError(RuntimeError):
    """The next request could exceed the budget."""


def reserve(judge: ModelJudge, prompt: int, completion: int) -> bool:
    """Reserve tokens before a request. False if the judge was stopped or taken over.

    One statement checks both limits and reserves. Raises BudgetSpentError, with nothing reserved.
    """
    rows = judge.held
    tokens = F("spent_prompt") + F("spent_completion") + prompt + completion
    within = Q(max_tokens__gte=tokens)
    if judge.max_cost is not None:
        money = (F("spent_prompt") + prompt) * F("prompt_price")
        money += (F("spent_completion") + completion) * F("completion_price")
        within &= Q(max_cost__gte=money / PER_PRICE)
    reserved = rows.filter(within).update(
        spent_prompt=F("spent_prompt") + prompt,
        spent_completion=F("spent_completion") + completion,
    )
    if reserved:
        return True
    if not rows.exists():
        return False
    raise BudgetSpentError(
        "The next request could exceed the budget. Enter a higher one to go on: what is answered "
        "is kept."
    )


def give_back(judge: ModelJudge, prompt: int, completion: int) -> None:
    """Give back tokens that a request did not use. Not negative."""
    ModelJudge.objects.filter(pk=judge.pk).update(
        spent_prompt=F("spent_prompt") - prompt,
        spent_completion=F("spent_completion") - completion,
    )
