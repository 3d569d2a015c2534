"""How many judgments until a ranking by pairs is right: adaptive against balanced pairs.

    .venv/bin/python -m bench.adaptive_pairs

Systems have log strengths in equal steps, `gap` apart. A judgment is one choice on one pair, drawn
by Bradley and Terry's model without ties; batches have 50 pairs, and balanced ones hold every pair
of systems equally often, in random order. After each batch the systems are ordered by their
posterior modes. A run's figure is the number of judgments after which the order is right and stays
right up to the budget. Besides, how far plain win rates are from those of comparisons with every
other system equally often, at the budget. A second table has the errors and the coverage of win
probabilities in studies with questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from concord.formats.preferences import Preference, Preferred
from concord.preferences import choose_pairs, rank_systems
from concord.preferences.adaptive import knowledge

Design = Literal["adaptive", "balanced"]
DESIGNS: tuple[Design, ...] = ("balanced", "adaptive")
BATCH = 50
RUNS = 100
SETTINGS = ((5, 0.5, 5_000), (10, 0.3, 12_000), (20, 0.2, 20_000))


def judgments_until_right(
    design: Design, *, systems: int, gap: float, budget: int, rng: np.random.Generator
) -> float:
    """The judgments after which the order stays right; inf where it is wrong at the budget."""
    strengths = _strengths(systems, gap)
    right_since = np.inf
    for judgments, wins in _looks(design, strengths, budget, rng):
        if (np.diff(knowledge(wins)[0]) > 0).all():
            right_since = min(right_since, judgments)
        else:
            right_since = np.inf
    return right_since


def mean_misordered(
    design: Design, *, systems: int, gap: float, budget: int, rng: np.random.Generator
) -> float:
    """The mean number of pairs of systems in the wrong order, over the looks up to the budget."""
    first, second = np.triu_indices(systems, 1)
    counts = [
        (np.subtract(*knowledge(wins)[0][[first, second]]) > 0).sum()
        for _, wins in _looks(design, _strengths(systems, gap), budget, rng)
    ]
    return float(np.mean(counts))


def win_rate_bias(
    design: Design, *, systems: int, gap: float, budget: int, rng: np.random.Generator
) -> float:
    """The largest difference of a system's plain win rate from that against all others equally."""
    strengths = _strengths(systems, gap)
    *_, (_, wins) = _looks(design, strengths, budget, rng)
    rates = wins.sum(axis=1) / (wins + wins.T).sum(axis=1)
    return float(np.abs(rates - _rates_against_all(strengths)).max())


def study_errors(
    design: Design, runs: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Of studies with 6 systems 0.4 apart and 600 choices on 100 questions: the mean errors of win
    probabilities and of plain win rates by system, and the coverage of the 95% intervals."""
    strengths, questions = _strengths(6, 0.4), 100
    truth = _rates_against_all(strengths)
    errors, rate_errors, covered = [], [], []
    for _ in range(runs):
        free = {pair: list(rng.permutation(questions)) for pair in combinations(range(6), 2)}
        rows: list[Preference] = []
        for batch, wins in _batches(design, 6, 600, questions, rng):
            for first, second in batch:
                won = rng.random() < expit(strengths[first] - strengths[second])
                wins[(first, second) if won else (second, first)] += 1
                question = str(free[first, second].pop())
                pair = f"{question}-{first}-{second}"
                choice: Preferred = "first" if won else "second"
                row = Preference(question, pair, str(first), str(second), choice, str(len(rows)))
                rows.append(row)
        for rank in rank_systems(rows).systems:
            if rank.win_probability is None or rank.ci is None:
                continue
            true = truth[int(rank.system)]
            errors.append((int(rank.system), rank.win_probability - true))
            rate_errors.append((int(rank.system), rank.wins / (rank.wins + rank.losses) - true))
            covered.append(rank.ci[0] <= true <= rank.ci[1])
    means = [
        np.array([np.mean([e for k, e in table if k == system]) for system in range(6)])
        for table in (errors, rate_errors)
    ]
    return means[0], means[1], float(np.mean(covered))


def _rates_against_all(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The win rate of each system against all others equally often."""
    p = expit(strengths[:, None] - strengths[None, :])
    np.fill_diagonal(p, 0)
    return np.asarray(p.sum(axis=1) / (len(strengths) - 1))


def _strengths(systems: int, gap: float) -> NDArray[np.float64]:
    return gap * np.arange(systems, dtype=np.float64)


def _batches(
    design: Design, systems: int, budget: int, questions: int, rng: np.random.Generator
) -> Iterator[tuple[list[tuple[int, int]], NDArray[np.float64]]]:
    """The pairs of each batch, and the table of wins, to which the caller adds the outcomes."""
    wins = np.zeros((systems, systems))
    nothing = np.zeros((systems, systems))
    available = np.full((systems, systems), questions)
    np.fill_diagonal(available, 0)
    every = np.column_stack(np.triu_indices(systems, 1))
    queue: list[tuple[int, int]] = []
    for _ in range(0, budget, BATCH):
        if design == "adaptive":
            chosen = choose_pairs(wins, nothing, available, BATCH, 1, rng)
            batch = [(one.first, one.second) for one in chosen]
        else:
            while len(queue) < BATCH:
                queue += [(int(i), int(j)) for i, j in rng.permutation(every)]
            batch, queue = queue[:BATCH], queue[BATCH:]
        for first, second in batch:
            available[first, second] -= 1
            available[second, first] -= 1
        yield batch, wins


def _looks(
    design: Design, strengths: NDArray[np.float64], budget: int, rng: np.random.Generator
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """(judgments, wins) after each batch."""
    judgments = 0
    for batch, wins in _batches(design, len(strengths), budget, budget, rng):
        for first, second in batch:
            won = rng.random() < expit(strengths[first] - strengths[second])
            wins[(first, second) if won else (second, first)] += 1
        judgments += len(batch)
        yield judgments, wins


def main() -> None:
    print("| systems | gap | design | median | 25% to 75% | not right at | win rates off by |")
    print("|---|---|---|---|---|---|---|")
    for systems, gap, budget in SETTINGS:
        for design in DESIGNS:
            rng = np.random.default_rng([systems, 7])
            right_after = [
                judgments_until_right(design, systems=systems, gap=gap, budget=budget, rng=rng)
                for _ in range(RUNS)
            ]
            counts = np.array(right_after)
            biases = [
                win_rate_bias(design, systems=systems, gap=gap, budget=budget, rng=rng)
                for _ in range(20)
            ]
            bias = np.mean(biases)
            low, middle, high = np.quantile(counts, [0.25, 0.5, 0.75], method="higher")
            print(
                f"| {systems} | {gap} | {design} | {middle:,.0f} | {low:,.0f} to {high:,.0f} "
                f"| {np.isinf(counts).mean():.0%} at {budget:,} | {bias:.2f} |",
                flush=True,
            )
    print("| design | win probabilities off by up to | win rates | coverage |")
    print("|---|---|---|---|")
    for design in DESIGNS:
        errors, rates, coverage = study_errors(design, 2 * RUNS, np.random.default_rng(1))
        print(
            f"| {design} | {np.abs(errors).max():.3f} | {np.abs(rates).max():.3f} "
            f"| {coverage:.1%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
