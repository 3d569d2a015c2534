"""What ratings cost, to the cent."""

from __future__ import annotations

from dataclasses import replace

from concord.planning.plan import PayTerms
from concord.protocols import Pay, preset


def test_money_is_counted_by_assignment_with_the_fee_rounded_up():
    mocha, kpqa = preset("mocha-2020").pay, preset("kpqa-2021").pay
    assert PayTerms(mocha, 10).cents(3, 100) == 3 * 10 * 40
    # The smaller last HIT pays in full; pro rata, half.
    assert PayTerms(mocha, 10).cents(1, 25) == 40 + 40 + 40
    assert PayTerms(replace(mocha, pro_rata=True), 10).cents(1, 25) == 40 + 40 + 20
    assert PayTerms(mocha, 10, 20).cents(3, 100) == 3 * 10 * 48
    # 20% of 3 cents is less than the smallest fee of a cent: a third on top, not a fifth.
    assert PayTerms(kpqa, 1, 20).cents(10, 100) == 10 * 100 * 4
    assert PayTerms(kpqa, 1, 40).cents(10, 1) == 10 * 5
    assert PayTerms(Pay(5), 1, 20).cents(1, 1) == 6
    assert PayTerms(Pay(0), 1, 20).cents(5, 5) == 0


def test_costs_follow_the_mean_size_of_the_hits():
    terms = PayTerms(Pay(40, pro_rata=False), 10, candidates_per_hit=2.5)
    assert terms.cents(3, 100) == 3 * 40 * 40
    assert PayTerms(Pay(40, pro_rata=True), 10, candidates_per_hit=1.0).cents(1, 5) == 5 * 4
    assert terms.cents(1, 1) == 40 and terms.cents(1, 0) == 0
