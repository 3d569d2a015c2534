"""The pages and the API take the same amounts and texts."""

from __future__ import annotations

import pytest

from annotation.crowds import inputs
from annotation.crowds.forms import ApprovalForm, BonusForm, CrowdBudgetForm, RuleForm
from annotation.crowds.providers.offer import Offer, OfferError
from annotation.crowds.services import reviewing
from core.rest.derived import serializer_of

Approval, Bonus, Budget = map(serializer_of, (inputs.Approval, inputs.Bonus, inputs.Budget))
ApprovalRule = serializer_of(reviewing.ApprovalRule)


@pytest.mark.parametrize(("chars", "fits"), [(1024, True), (1025, False)])
def test_feedback_has_one_bound(chars: int, fits: bool) -> None:
    form_data = {"feedback": "x" * chars}
    assert ApprovalForm(form_data).is_valid() is fits
    assert Approval(data=form_data).is_valid() is fits


@pytest.mark.parametrize(
    ("dollars", "cents", "fits"),
    [("0.01", 1, True), ("10000.00", 1_000_000, True), ("10000.01", 1_000_001, False)],
)
def test_a_bonus_has_one_bound(dollars: str, cents: int, fits: bool) -> None:
    form = BonusForm({"amount": dollars, "reason": "Good work"})
    assert form.is_valid() is fits
    assert Bonus(data={"cents": cents, "reason": "Good work"}).is_valid() is fits
    if fits:
        assert form.cleaned_data["amount"] == cents


@pytest.mark.parametrize(
    ("dollars", "cents", "fits"), [("10000000", 10**9, True), ("10000000.01", 10**9 + 1, False)]
)
def test_a_budget_has_one_bound(dollars: str, cents: int, fits: bool) -> None:
    assert CrowdBudgetForm({"budget": dollars}).is_valid() is fits
    assert Budget(data={"cents": cents}).is_valid() is fits


@pytest.mark.parametrize(("seconds", "fits"), [(3600, True), (3601, False)])
def test_the_pace_of_a_protocol_can_be_the_pace_of_an_approval(seconds: int, fits: bool) -> None:
    assert RuleForm({"min_seconds": seconds}).is_valid() is fits
    assert ApprovalRule(data={"min_seconds": seconds}).is_valid() is fits


def test_an_offer_is_checked_in_every_field() -> None:
    bad = Offer("a\x00b", "x", queue="q" * 301, fee_percent="201")
    with pytest.raises(OfferError) as refused:
        bad.validated()
    assert set(refused.value.problems) == {"title", "queue", "fee_percent"}
