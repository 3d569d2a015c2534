"""Packing: each candidate once, one passage a HIT, even sizes, pairs apart, the same every time."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.protocols import DropRules
from concord.protocols.packing import (
    PackingCandidate,
    assign_splits,
    drop_reason,
    equals_reference,
    pack_hits,
    presentation_order,
)

PASSAGES = ("p0", "p1", "p2")


@st.composite
def packables(draw: st.DrawFn) -> list[PackingCandidate]:
    """Candidates of three passages; some are members of pairs, in any order."""
    count = draw(st.integers(0, 40))
    apart = draw(st.lists(st.sampled_from(["", "", "", "x", "y", "z", "u", "v"]), max_size=count))
    seen: Counter[str] = Counter()
    result = []
    for key in range(count):
        pair = apart[key] if key < len(apart) else ""
        seen[pair] += 1
        result.append(
            PackingCandidate(
                key,
                draw(st.sampled_from(PASSAGES)),
                draw(st.integers(0, 3)),
                pair if seen[pair] <= 2 else "",
                frozenset(draw(st.sets(st.integers(0, 1)))),
            )
        )
    return result


@given(packables(), st.integers(1, 8), st.integers(0, 2**32), st.booleans())
def test_packing_keeps_every_promise(candidates, most, seed, same_passage):
    def packed():
        return pack_hits(candidates, most, np.random.default_rng(seed), same_passage=same_passage)

    hits = packed()
    of = {c.key: c for c in candidates}
    asked = sorted(c.key for c in candidates if c.wanted)
    assert sorted(key for hit in hits for key in hit.keys) == asked, "each once, none with wanted 0"
    for hit in hits:
        members = [of[key] for key in hit.keys]
        assert 1 <= len(members) <= most
        assert {c.wanted for c in members} == {hit.wanted}
        assert len({c.seen_by for c in members}) == 1, "in reach of the same workers"
        pairs = [c.apart for c in members if c.apart]
        assert len(set(pairs)) == len(pairs), "members of a pair lie apart"
        if same_passage:
            assert len({c.cluster for c in members}) == 1
    assert packed() == hits, "the same seed packs the same"


@given(packables(), st.integers(1, 8))
def test_hits_of_one_passage_differ_in_size_by_one_at_most(candidates, most):
    sizes = defaultdict(list)
    of = {c.key: c for c in candidates}
    for hit in pack_hits(candidates, most, np.random.default_rng(1)):
        first = of[hit.keys[0]]
        sizes[first.cluster, first.wanted, first.seen_by].append(len(hit.keys))
    for result in sizes.values():
        assert max(result) - min(result) <= 1


def test_eleven_candidates_make_six_and_five_not_ten_and_one():
    hits = pack_hits(
        [PackingCandidate(at, "p", 3) for at in range(11)], 10, np.random.default_rng(0)
    )
    assert sorted(len(hit.keys) for hit in hits) == [5, 6]


@given(st.permutations([*"aabbccdd", "", ""]), st.integers(1, 5), st.randoms())
def test_twice_the_wanted_workers_can_rate_all_pairs_in_any_order(names, most, chance):
    n_ratings = 2
    candidates = [PackingCandidate(at, "p", n_ratings, name) for at, name in enumerate(names)]
    hits = pack_hits(candidates, most, np.random.default_rng(0))
    slots = dict.fromkeys(range(len(hits)), n_ratings)
    for _ in range(2 * n_ratings):
        seen: set[str] = set()
        order = list(range(len(hits)))
        chance.shuffle(order)
        for at in order:
            pairs = {names[key] for key in hits[at].keys} - {""}
            if slots[at] and not pairs & seen:
                slots[at] -= 1
                seen |= pairs
    assert not any(slots.values())


def test_the_better_members_of_pairs_do_not_all_lie_in_one_hit():
    candidates = [PackingCandidate(at, "p", 1, f"pair {at // 2}") for at in range(12)]
    for hit in pack_hits(candidates, 6, np.random.default_rng(0)):
        assert {key % 2 for key in hit.keys} == {0, 1}


def test_order_of_hits_is_shuffled_over_passages():
    candidates = [PackingCandidate(at, f"p{at // 10}", 1) for at in range(200)]
    first = [hit.keys[0] // 10 for hit in pack_hits(candidates, 5, np.random.default_rng(3))]
    assert first != sorted(first)


def test_a_hit_of_nothing_is_refused():
    with pytest.raises(ValueError, match="max_candidates must be 1 or more"):
        pack_hits([], 0, np.random.default_rng(0))


@given(st.integers(0, 60), st.integers(0, 2**62))
def test_a_workers_order_is_a_permutation_by_its_seed(count, seed):
    assert sorted(presentation_order(count, seed)) == list(range(count))
    assert presentation_order(count, seed) == presentation_order(count, seed)


@given(st.sets(st.text(max_size=4), max_size=60), st.integers(0, 2**32))
def test_splits_give_every_passage_one_split_in_the_asked_shares(names, seed):
    shares = (("train", 0.75), ("dev", 0.1), ("test", 0.15))
    result = assign_splits(names, shares, np.random.default_rng(seed))
    assert set(result) == names
    counts = Counter(result.values())
    for split, share in shares:
        assert abs(counts[split] - share * len(names)) <= 1
    again = assign_splits(sorted(names, reverse=True), shares, np.random.default_rng(seed))
    assert again == result, "the order in which passages came does not matter"


@pytest.mark.parametrize(
    ("candidate", "references", "rules", "reason"),
    [
        ("The  Boat", ["a house", "the boat"], DropRules(equal_to_reference=True), "equal"),
        ("the boat", ["the boat"], DropRules(), ""),
        ("the boats", ["the boat"], DropRules(equal_to_reference=True), ""),
        ("1,200", ["7"], DropRules(number_against_number=True), "number"),
        ("-3.5%", ["$4"], DropRules(number_against_number=True), "number"),
        ("7", ["seven"], DropRules(number_against_number=True), ""),
        ("seven", ["7"], DropRules(number_against_number=True), ""),
        ("7", ["8", "eight"], DropRules(number_against_number=True), ""),
        ("7", [], DropRules(number_against_number=True), ""),
        ("", [""], DropRules(equal_to_reference=True), "equal"),
        ("", ["7"], DropRules(equal_to_reference=True, number_against_number=True), ""),
    ],
)
def test_what_the_papers_left_out_is_not_rated(candidate, references, rules, reason):
    result = drop_reason(candidate, references, rules)
    assert result.find(reason) >= 0 if reason else result == ""


DROPS_NUMBERS = DropRules(
    number_against_number=True, number_constituents=("drop", "Other"), number_units=True
)


@pytest.mark.parametrize(
    ("candidate", "reference", "constituent", "is_rated"),
    [
        ("13", "12", "drop", False),
        ("13", "12", " DROP", False),
        ("13", "12", "other", False),
        ("13", "12", "narrativeqa", True),
        ("13", "12", "", True),
        ("24 yards", "31 yards", "drop", False),
        ("24-yard", "31 Yards", "drop", False),
        ("24", "31 yards", "drop", False),
        ("$3.5 million", "$4 million", "drop", False),
        ("2 million square miles", "3 square miles", "drop", False),
        ("50%", "40 percent", "drop", False),
        ("2 dogs", "2 cats", "drop", True),
        ("24 yards", "the second quarter", "drop", True),
        ("24 to 31", "31 yards", "drop", True),
        ("24th", "31st", "drop", True),
    ],
)
def test_the_rule_of_numbers_knows_its_constituents_and_units(
    candidate, reference, constituent, is_rated
):
    """MOCHA, Section 2.2: on DROP alone."""
    reason = drop_reason(candidate, [reference], DROPS_NUMBERS, constituent)
    assert bool(reason) is not is_rated


def test_the_rule_of_numbers_as_stored_before_holds_everywhere_and_knows_no_units():
    rules = DropRules(number_against_number=True)
    assert drop_reason("13", ["12"], rules, "narrativeqa")
    assert not drop_reason("24 yards", ["31 yards"], rules, "drop")


def test_word_for_word_means_without_case_and_spaces():
    assert equals_reference(" A  boat", ["x", "a boat"])
    assert not equals_reference("a boat.", ["a boat"])
