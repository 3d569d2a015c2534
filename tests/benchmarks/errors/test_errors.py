"""Disagreements, and McNemar's test on the page of minimal pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from django.test import Client
from django.utils.timezone import now
from scipy import stats

from benchmarks.analyses import pair_scores
from benchmarks.boards.services import pair_tests
from benchmarks.errors.services import errors
from benchmarks.sets.services import frames, hidden, importing
from concord.formats import ReadOptions, read_judgments
from concord.inference import wilson
from tests.benchmarks.factories import candidate_lines, make_set, published, score_here, write_lines
from tests.html import readable


@pytest.fixture
def judged(tmp_path, db):
    judgment_set = make_set(tmp_path, pairs=8, instances=12, systems=("a", "b"))
    score_here(judgment_set, "token-f1,rouge-l,bleu-1")
    return judgment_set


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return readable(response)


def test_the_largest_rank_differences_come_first(judged, visitor):
    one, two, _ = judged.runs.order_by("pk")
    conflicts = errors.conflicts(one, None, 50)
    gold = frames.frame(judged).gold
    ranks = stats.rankdata(one.score_array[: len(gold)]), stats.rankdata(gold)
    expected = (ranks[0] - ranks[1]) / (len(gold) - 1)
    differences = {row.candidate.position: row.difference for row in conflicts}
    for position, difference in differences.items():
        assert difference == pytest.approx(expected[position])
    assert [abs(row.difference) for row in conflicts] == sorted(map(abs, differences.values()))[
        ::-1
    ]
    assert len(conflicts) == np.count_nonzero(expected)
    between = errors.conflicts(one, two, 50)
    assert errors.question_types(between) == [(kind, 8) for kind in ("numeric", "person")]
    assert all(row.other == two.score_array[row.candidate.position] for row in between)
    assert all(row.difference > 0 for row in errors.conflicts(one, None, 50, direction="over"))
    text = page(visitor, f"/sets/small/errors/?run={one.pk}&other={two.pk}")
    assert two.metric in text and "<mark>" in text
    assert page(visitor, "/sets/small/errors/?system=a&show=under")


def test_compare_by_score_sorts_by_the_difference_of_scores(judged, visitor):
    """MOCHA's Tables 7 and 9, ten candidates; the order by rank is another one."""
    one, two, _ = judged.runs.order_by("pk")
    gold = frames.frame(judged).gold
    n = len(gold)
    for other, other_scores in ((None, gold), (two, two.score_array[:n])):
        conflicts = errors.conflicts(one, other, 10, compare="score")
        sizes = np.abs(one.score_array[:n] - other_scores)
        order = [position for position in np.argsort(-sizes, kind="stable") if sizes[position] > 0]
        assert [row.candidate.position for row in conflicts] == order[:10]
    by_rank = [row.candidate.position for row in errors.conflicts(one, None, 10)]
    by_score = [row.candidate.position for row in errors.conflicts(one, None, 10, compare="score")]
    assert by_rank != by_score
    text = page(visitor, f"/sets/small/errors/?run={one.pk}&compare=score&count=10")
    assert "Scores are compared as they are (MOCHA, Tables 7 and 9)" in text
    assert "10 candidates, farthest apart first" in text
    assert "compared as they are" not in page(visitor, f"/sets/small/errors/?run={one.pk}")
    assert visitor.get("/sets/small/errors/?compare=luck").status_code == 400


def test_hidden_labels_give_no_disagreements(judged, visitor):
    run = judged.runs.order_by("pk")[0]
    hidden.hide(judged, "", at=now())
    assert "agree on every candidate" in page(visitor, f"/sets/small/errors/?run={run.pk}")


def test_the_test_of_two_metrics_is_by_passage(judged, visitor):
    # All metrics order the set's pairs alike: one gets four wrong that the others get right.
    run = judged.runs.get(metric="rouge-l")
    altered = run.score_array.copy()
    members = altered[judged.n_candidates :].reshape(-1, 2)
    members[0::2] = members[0::2, ::-1].copy()
    run.scores = altered.tobytes()
    run.save()
    scores = pair_scores.read(judged)
    comparison = pair_tests.compare_metrics(scores)
    runs = {run.pk: run for run in judged.runs.all()}
    points = []
    for pk, _, _ in comparison.metrics:
        members = runs[pk].score_array[judged.n_candidates :]
        points.append(np.sign(members[0::2] - members[1::2]))
    p = []
    for i, j in combinations(range(3), 2):
        ahead, behind = int((points[i] > points[j]).sum()), int((points[i] < points[j]).sum())
        p.append(stats.binomtest(ahead, ahead + behind).pvalue if ahead + behind else 1.0)
        assert p[-1] - 0.01 <= comparison.p[i][j] <= min(1.0, 3 * p[-1]) + 0.03
    assert sorted(p) == [0.125, 0.125, 1.0]
    assert comparison.accuracies == sorted(comparison.accuracies, reverse=True)
    assert pair_tests.compare_metrics(scores, "negation").n < comparison.n == 8
    assert "by flipping the signs of whole passages" in page(visitor, "/sets/small/pairs/")


def test_accuracies_on_minimal_pairs_by_constituent_and_phenomenon(judged, visitor):
    table = pair_tests.accuracies(pair_scores.read(judged))
    assert table.phenomena == [("negation", 4), ("word sense", 4)]
    best = table.rows[0]
    members = judged.runs.get(pk=best.run).score_array[judged.n_candidates :]
    points = (np.sign(members[0::2] - members[1::2]) + 1) / 2
    assert best.whole.value == pytest.approx(points.mean())
    assert best.phenomena[0].value == pytest.approx(points[0::2].mean())
    assert best.phenomena[0].ci == pytest.approx(wilson(points[0::2].mean(), 4))
    assert "clustered by passage" in page(visitor, "/sets/small/pairs/")
    hidden.hide(judged, "", at=now())
    assert "clustered by passage" not in page(visitor, "/sets/small/pairs/")


def test_lost_pairs_come_clearest_first_with_differing_words_marked(judged, visitor):
    run = judged.runs.order_by("pk")[0]
    scores = run.score_array.copy()
    scores[judged.n_candidates :: 2] = 0.0
    scores[judged.n_candidates + 1 :: 2] = np.linspace(0.1, 0.8, 8)
    run.scores = scores.tobytes()
    run.save()
    response = visitor.get(f"/sets/small/pairs/?run={run.pk}&verdict=wrong")
    (section,) = response.context["sections"]
    assert [one.verdict.pair.position for one in section.pairs] == list(range(7, -1, -1))
    text = readable(response)
    assert "largest difference first" in text and "<mark>not</mark>" in text


def test_two_metrics_are_compared_without_judgments(tmp_path, db):
    lines = [
        {name: value for name, value in line.items() if name not in ("score", "ratings")}
        for line in candidate_lines()
    ]
    file = write_lines(tmp_path / "unjudged.jsonl", lines)
    judgments = read_judgments([file], "concord", ReadOptions())
    judgment_set = published(importing.import_judgments("unjudged", judgments, None, at=now()))
    one, two = score_here(judgment_set, "token-f1,bleu-1")
    assert errors.conflicts(one, None, 50) == []
    assert errors.conflicts(one, two, 50) != []
