"""Character F1 and Krippendorff's alpha for unitising."""

from __future__ import annotations

import numpy as np
import pytest

from concord.inference import scaled_interval, t_quantile
from concord.spans import SEVERITIES, Continuum, RaterMarks, Span, merge_ranges, overlap
from concord.spans.report import RaterAgreement, rater_agreement


def marks(rater: str, *spans: tuple[int, int, str | None]) -> RaterMarks:
    return RaterMarks(rater, "a", "d", "1", tuple(Span(*one) for one in spans))


# Krippendorff (2004): a continuum of 300, two observers, two categories.
FIRST = [[[(75, 145), (220, 250)]], [[(70, 150), (205, 225), (250, 270)]]]
SECOND = [[[(30, 90), (150, 200)]], [[(30, 90), (150, 200)]]]


def test_the_published_example() -> None:
    """0.0144, 0.0532 and 0.0490 are printed; DKPro's implementation has 0.7285 and 0.8587."""
    first, second = Continuum([300], FIRST), Continuum([300], SECOND)
    everything = np.ones((1, 2, 1), dtype=bool)
    (observed,), (expected,) = np.transpose(
        [one.disagreements(everything) for one in (first, second)], (1, 2, 0)
    )
    assert observed.round(4).tolist() == [0.0144, 0.0]
    assert expected.round(4).tolist() == [0.0532, 0.0490]
    assert first.alpha() == pytest.approx(0.7285, abs=1.1e-4)
    assert second.alpha() == 1.0
    assert 1 - observed.sum() / expected.sum() == pytest.approx(0.8587, abs=5e-5)


def test_it_does_not_depend_on_the_order_of_raters() -> None:
    swapped = Continuum([300], FIRST[::-1])
    assert swapped.alpha() == pytest.approx(Continuum([300], FIRST).alpha(), abs=1e-12)


def test_random_marks_agree_by_chance() -> None:
    rng = np.random.default_rng(1)
    lengths = [200] * 400

    def rater() -> list[list[tuple[int, int]]]:
        starts = rng.integers(0, 190, size=400)
        return [[(int(start), int(start) + 10)] for start in starts]

    assert abs(Continuum(lengths, [rater(), rater(), rater()]).alpha()) < 0.1


def test_without_marks_it_is_undefined_and_bad_ranges_are_refused() -> None:
    assert np.isnan(Continuum([10], [[[]], [[]]]).alpha())
    with pytest.raises(ValueError, match="two raters"):
        Continuum([10], [[[]]])
    with pytest.raises(ValueError, match="not in its text"):
        Continuum([10], [[[(5, 11)]], [[]]])
    with pytest.raises(ValueError, match="overlaps"):
        Continuum([10], [[[(0, 5), (4, 8)]], [[]]])


def test_characters_are_counted_once_with_their_highest_severity() -> None:
    one = marks("r", (0, 10, "minor"), (5, 8, "major"), (20, 22, None))
    other = marks("s", (6, 12, "major"))
    found = overlap([(one, other)])
    assert (found.both, found.same_severity, found.first, found.second) == (4, 2, 10, 6)
    assert found.f1 == pytest.approx(2 * 4 / 16)
    assert found.severity_f1 == pytest.approx(2 * 2 / 16)
    assert overlap([(marks("r"), marks("s"))]).f1 is None


def test_ranges_that_touch_are_merged() -> None:
    spans = marks("r", (5, 8, "minor"), (0, 3, "minor"), (3, 4, "major"), (6, 7, "minor")).spans
    assert merge_ranges([*spans, Span(None, None, "major")]) == [(0, 4), (5, 8)]


def test_intervals_leave_out_documents_raters_and_cells() -> None:
    """As the figures computed again without each of them."""
    rng = np.random.default_rng(3)
    ends = 5 + rng.integers(20, size=(10, 12))
    severities = rng.choice(SEVERITIES, size=ends.shape)

    def agreement(rater: int | None = None, document: int | None = None) -> RaterAgreement:
        """Without the marks of the rater, of the document, or of one on the other."""
        return rater_agreement(
            RaterMarks(f"r{r}", "s", f"d{d}", "1", (Span(0, int(ends[r, d]), severities[r, d]),))
            for r, d in np.ndindex(*ends.shape)
            if not (rater in (r, None) and document in (d, None)) or rater is document is None
        )

    left_out = {
        "documents": [agreement(None, document) for document in range(12)],
        "raters": [agreement(rater) for rater in range(10)],
        "cells": [agreement(*cell) for cell in np.ndindex(*ends.shape)],
    }
    for name in ("f1", "severity_f1"):
        figure = getattr(agreement(), name)
        assert (figure.over, figure.clusters) == ("documents and raters", 12)
        by = {
            kind: (len(left) - 1) * np.var([getattr(one, name).value for one in left])
            for kind, left in left_out.items()
        }
        squared = t_quantile(0.975, 11) ** 2 * by["documents"]
        squared += t_quantile(0.975, 9) ** 2 * max(0.0, by["raters"] - by["cells"])
        squared = max(squared, t_quantile(0.975, 9) ** 2 * by["raters"])
        assert figure.ci == pytest.approx(scaled_interval(figure.value, squared**0.5, "share"))
    # Alpha over answers that all raters marked: without a rater, of the others.
    alpha = agreement().alpha
    (without,) = (one.alpha.value for one in left_out["raters"][:1])
    units = [[[(0, int(end))] for end in row] for row in ends]
    assert Continuum(ends.max(axis=0).tolist(), units).alpha() == pytest.approx(alpha.value)
    assert alpha.low is not None and alpha.low < alpha.value < alpha.high
    lengths = ends[1:].max(axis=0).tolist()
    assert Continuum(lengths, units[1:]).alpha() == pytest.approx(without)
    marked = np.ones((1, 10, 12), dtype=bool)
    marked[:, 0] = False
    # Of texts as long as with the rater.
    longer = Continuum(ends.max(axis=0).tolist(), units[1:]).alpha()
    texts = Continuum(ends.max(axis=0).tolist(), units)
    assert texts.alphas(marked) == pytest.approx([longer])


def test_many_raters_of_few_documents_are_left_out_alone() -> None:
    rng = np.random.default_rng(4)

    def agreement(raters: int) -> RaterAgreement:
        return rater_agreement(
            RaterMarks(f"r{r}", "s", f"d{d}", "1", (Span(0, int(5 + rng.integers(20)), "minor"),))
            for r in range(raters)
            for d in range(4)
        )

    many, few = agreement(12), agreement(9)
    assert (many.f1.over, many.f1.clusters, many.alpha.over) == ("raters", 12, "raters")
    assert many.f1.ci is not None and many.alpha.ci is not None
    assert few.f1.ci is None and few.f1.reason == "4 documents; at least 10 are needed"
