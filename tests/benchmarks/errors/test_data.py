"""The data browser: search, filters, all answers side by side, and hidden labels."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing
from concord.formats import ReadOptions, read_judgments
from tests.benchmarks.factories import candidate_lines, published, score_here, write_lines

QUESTIONS = ("Where is the red house?", "Wo liegt das Haus?", "房子在哪里?")


@pytest.fixture
def judged(tmp_path, db) -> JudgmentSet:
    lines = candidate_lines(instances=30, systems=("a", "b"))
    for number, line in enumerate(lines):
        line["ratings"][0]["value"] = 1 + number % 5
    judgment_set = import_lines(tmp_path, lines)
    score_here(judgment_set, "token-f1,rouge-l")
    return judgment_set


def import_lines(folder, lines) -> JudgmentSet:
    path = write_lines(folder / "data.jsonl", lines)
    judgments = read_judgments([path], "concord", ReadOptions())
    return published(importing.import_judgments("data", judgments, None, at=now()))


def page_of(client, judgment_set, **query):
    response = client.get(reverse("set-data", args=[str(judgment_set)]), query)
    assert response.status_code == 200
    return response


def matches_of(response):
    return [
        answer.candidate
        for one in response.context["instances"]
        for answer in one.answers
        if answer.is_match
    ]


def test_a_page_shows_five_questions_with_all_answers(judged, client):
    response = page_of(client, judged)
    instances = response.context["instances"]
    assert len(instances) == 5
    assert all({a.candidate.system for a in one.answers} == {"a", "b"} for one in instances)
    assert "30 questions with a matching answer, page 1 of 6" in " ".join(
        response.content.decode().split()
    )
    last = page_of(client, judged, page=6)
    assert "Previous" in last.content.decode() and ">Next<" not in last.content.decode()


def test_every_word_must_occur_in_answer_question_or_passage(judged, client):
    candidate = judged.candidates.select_related("instance").order_by("position")[7]
    word = candidate.instance.question.split()[-1].strip("?")
    for query in (word, word.upper(), f"{word} {candidate.text.split()[0]}"):
        assert candidate in matches_of(page_of(client, judged, q=query))
    assert matches_of(page_of(client, judged, q=f"{word} nosuchword")) == []
    assert "Nothing matches" in page_of(client, judged, q="nosuchword").content.decode()


def test_filters_restrict_the_matches_but_not_the_answers_shown(judged, client):
    response = page_of(client, judged, system="b")
    assert {one.system for one in matches_of(response)} == {"b"}
    assert all(len(one.answers) == 2 for one in response.context["instances"])


def test_scores_are_bounds_and_orders(judged, client):
    golds = [one.gold for one in matches_of(page_of(client, judged, low=3))]
    assert golds and min(golds) >= 3
    lowest = page_of(client, judged, sort="score-low").context["instances"][0]
    highest = page_of(client, judged, sort="score-high").context["instances"][0]
    every = list(judged.candidates.values_list("gold", flat=True))
    assert min(answer.gold for answer in lowest.answers) == min(every)
    assert max(answer.gold for answer in highest.answers) == max(every)


def test_disagreement_is_the_standard_deviation_of_an_answers_ratings(judged, client):
    def spread(candidate):
        values = list(candidate.ratings.values_list("value", flat=True))
        mean = sum(values) / len(values)
        return (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5

    largest = max(map(spread, judged.candidates.all()))
    first = page_of(client, judged, sort="disagreement").context["instances"][0]
    assert max(spread(answer.candidate) for answer in first.answers) == pytest.approx(largest)
    matches = matches_of(page_of(client, judged, disagreement=largest - 1e-9))
    assert matches and all(spread(one) == pytest.approx(largest) for one in matches)


def test_chosen_metrics_stand_beside_people(judged, client):
    run = judged.runs.get(metric="rouge-l")
    response = page_of(client, judged, run=run.pk)
    answer = response.context["instances"][0].answers[0]
    assert answer.scores == [run.score_array[answer.candidate.position]]
    assert client.get(reverse("set-data", args=[str(judged)]), {"run": 99999}).status_code == 404


def test_words_of_any_script_are_found(tmp_path, db, client):
    lines = candidate_lines(instances=3, systems=("a",))
    for line in lines:
        line["passage"] = line["candidate"] = "-"
    for line, question in zip(lines, QUESTIONS, strict=True):
        line["question"] = question
    judgment_set = import_lines(tmp_path, lines)
    for words, number in (("房子", 2), ("haus", 1), ("RED", 0)):
        matches = matches_of(page_of(client, judgment_set, q=words))
        assert [one.instance.question for one in matches] == [QUESTIONS[number]]


def test_signs_of_patterns_are_searched_as_they_are(judged, client):
    assert matches_of(page_of(client, judged, q="%")) == []
    assert matches_of(page_of(client, judged, q="_")) == []


def test_hidden_labels_are_neither_shown_nor_searched(judged, client):
    hidden.hide(judged, "", at=now())
    response = page_of(client, judged, run=judged.runs.first().pk)
    for one in response.context["instances"]:
        for answer in one.answers:
            assert answer.gold is None and answer.scores == [None]
    for query in ({"low": 3}, {"sort": "score-low"}, {"disagreement": 1}):
        refused = page_of(client, judged, **query)
        assert "Scores of this set are hidden" in refused.content.decode()
        assert "instances" not in refused.context


@pytest.mark.parametrize("query", ["low=x", "sort=best", "page=0"])
def test_an_invalid_query_is_refused(judged, client, query):
    assert client.get(f"{reverse('set-data', args=[str(judged)])}?{query}").status_code == 400


def test_the_number_of_queries_does_not_grow_with_the_page(
    judged, client, django_assert_max_num_queries
):
    with django_assert_max_num_queries(20):
        page_of(client, judged, run=judged.runs.first().pk)
