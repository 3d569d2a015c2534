"""Simulated raters do what their figures say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.reliability import Ratings, alpha
from concord.simulation import Crowd, SimulationError, latent_score

RNG = np.random.default_rng


def matrix(crowd: Crowd, items: int = 2000, raters: int = 5, seed: int = 3) -> np.ndarray:
    rng = RNG(seed)
    true = rng.uniform(crowd.low, crowd.high, items)
    return crowd.rate(true[:, None], crowd.spammers(raters, seed)[None, :], rng)


def alpha_of(crowd: Crowd, **sizes: int) -> float:
    result = alpha(Ratings.from_matrix(matrix(crowd, **sizes).astype(float)), "interval").value
    assert result is not None
    return result


def test_a_perfect_rater_gives_the_true_score_rounded():
    crowd = Crowd(ability=1, noise=0, low=1, high=7)
    true = np.array([1.0, 1.4, 3.6, 6.9])
    assert crowd.rate(true, False, RNG(0)).tolist() == [1, 1, 4, 7]


def test_bias_shifts_and_the_scale_ends():
    crowd = Crowd(ability=1, noise=0, bias=1.0)
    assert crowd.rate([1, 3, 5], False, RNG(0)).tolist() == [2, 4, 5]
    assert Crowd(ability=1, noise=0, bias=-9).rate([1, 3, 5], False, RNG(0)).tolist() == [1, 1, 1]


@given(
    st.floats(0, 1), st.floats(-20, 20), st.floats(0, 20), st.integers(0, 2**32), st.integers(1, 10)
)
def test_every_rating_lies_on_the_scale(ability, bias, noise, seed, points):
    crowd = Crowd(ability, bias, noise, low=-1, high=-1 + points)
    result = crowd.rate(np.linspace(-1, points - 1, 50), seed % 2 == 0, RNG(seed))
    assert result.min() >= crowd.low and result.max() <= crowd.high


def test_ability_is_the_share_of_ratings_that_are_no_guess():
    crowd = Crowd(ability=0.7, noise=0)
    right = (crowd.rate(np.full(100_000, 4.0), False, RNG(1)) == 4).mean()
    assert right == pytest.approx(0.7 + 0.3 / 5, abs=0.005)


def test_noise_is_a_standard_deviation_in_scale_points():
    crowd = Crowd(ability=1, noise=1.5, low=0, high=10)
    result = crowd.rate(np.full(100_000, 5.0), False, RNG(1))
    assert result.std() == pytest.approx(np.sqrt(1.5**2 + 1 / 12), abs=0.02)


def test_those_who_only_guess_do_not_agree_and_worse_raters_agree_less():
    assert abs(alpha_of(Crowd(ability=0))) < 0.02
    assert abs(alpha_of(Crowd(spam=1))) < 0.02
    assert alpha_of(Crowd(ability=1, noise=0)) == 1
    falling = [alpha_of(Crowd(ability=a, noise=n)) for a, n in ((1, 0.3), (1, 0.8), (0.8, 0.8))]
    assert falling == sorted(falling, reverse=True)
    assert alpha_of(Crowd(spam=0.4)) < alpha_of(Crowd())


def test_the_share_of_spammers_is_kept_and_the_seed_chooses_them():
    crowd = Crowd(spam=0.1)
    assert crowd.spammers(20, 7).sum() == 2
    assert crowd.spammers(20, 7).tolist() == crowd.spammers(20, 7).tolist()
    assert len({tuple(crowd.spammers(20, seed)) for seed in range(9)}) > 1
    assert sum(rater.spammer for rater in crowd.raters(20, 7)) == 2


def test_the_same_seed_rates_the_same_and_workers_differ():
    def rated(seed):
        return [[r.rate(3.0) for _ in range(20)] for r in Crowd().raters(4, seed)]

    assert rated(1) == rated(1)
    assert rated(1) != rated(2)
    assert len({tuple(line) for line in rated(1)}) == 4


def test_spammers_are_fast():
    honest, spammer = Crowd().raters(1, 1)[0], Crowd(spam=1).raters(1, 1)[0]
    assert np.median([honest.seconds() for _ in range(200)]) == pytest.approx(10, rel=0.15)
    assert np.median([spammer.seconds() for _ in range(200)]) < 1.5


def test_latent_scores_are_uniform_on_the_scale_and_the_same_for_everybody():
    result = np.array([latent_score(f"c{at}", 1, 5, 3) for at in range(4000)])
    assert result.min() >= 1 and result.max() < 5
    assert np.histogram(result, bins=4, range=(1, 5))[0] == pytest.approx([1000] * 4, rel=0.1)
    assert latent_score("c1", 1, 5, 3) == result[1]
    assert latent_score("c1", 1, 5, 4) != result[1]
    assert 0 <= latent_score("\ud800ä", 0, 1, 0) < 1


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        ({"ability": 1.1}, "ability must be from 0 to 1, not 1.1"),
        ({"ability": float("nan")}, "ability"),
        ({"spam": -0.1}, "spam"),
        ({"noise": -1}, "noise must be 0 or above"),
        ({"noise": float("inf")}, "noise"),
        ({"bias": float("nan")}, "bias"),
        ({"low": 3, "high": 3}, "low must be below high"),
    ],
)
def test_a_crowd_that_cannot_be_is_refused(figures, says):
    with pytest.raises(SimulationError, match=says):
        Crowd(**figures)
