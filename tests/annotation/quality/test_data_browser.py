"""The data browser of a study, and its ratings as a file."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.quality.services import adjudication, browsing, ledgers, rating_files
from annotation.quality.services.browsing import RatedAnswer
from annotation.rating.models import Assignment, Rating
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.studies.intake import Item
from annotation.studies.models import Study
from concord.filtering import MinimumSeconds
from concord.protocols import QualityRules, Trial
from concord.protocols.keys import Key
from core.audit.models import AuditEvent
from tests.annotation import factories, people
from tests.annotation.people import Scene


def page_of(client: Client, study: Study, **query: Any) -> Any:
    response = client.get(reverse("study-data", args=[study.slug]), query)
    assert response.status_code == 200
    return response


def answers_of(response: Any) -> list[RatedAnswer]:
    return [answer for one in response.context["instances"] for answer in one.answers]


def keys_of(client: Client, study: Study, **query: Any) -> set[str]:
    """The keys of all matches, over all pages."""
    first = page_of(client, study, **query)
    pages = [first]
    for number in range(2, first.context["page"].paginator.num_pages + 1):
        pages.append(page_of(client, study, page=number, **query))
    return {one.candidate.key for page in pages for one in answers_of(page) if one.is_match}


def every_key(study: Study, **labels: Any) -> set[str]:
    return set(study.candidates.filter(**labels).values_list("key", flat=True))


def read_csv(client: Client, study: Study) -> list[dict[str, str]]:
    response = client.get(reverse("study-ratings-file", args=[study.slug, "csv"]))
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def read_jsonl(client: Client, study: Study) -> list[dict[str, Any]]:
    response = client.get(reverse("study-ratings-file", args=[study.slug, "jsonl"]))
    assert response.status_code == 200
    return [json.loads(line) for line in response.getvalue().decode().splitlines()]


def test_all_answers_with_ratings_under_pseudonyms(scene: Scene, owner: Client) -> None:
    response = page_of(owner, scene.study)
    answer = next(one for one in answers_of(response) if one.candidate.key == "c1-0")
    assert len(answer.ratings) == 4
    text = response.content.decode()
    assert all(line.rating.worker.name in text for line in answer.ratings)
    assert "worker 0" not in text, "the id of the link"
    systems = {one.candidate.system for one in answers_of(response)[:3]}
    assert systems == {"system 0", "system 1", "system 2"}


def test_figures_are_of_the_ratings_that_count_after_the_ledger(
    scene: Scene, owner: Client
) -> None:
    removed = ledgers.removed_ratings(scene.study)
    assert removed and set(removed.values()) == {1}
    for answer in answers_of(page_of(owner, scene.study)):
        kept = [line.rating.value for line in answer.ratings if line.removed_by is None]
        assert answer.figures is not None and answer.figures.n == len(kept)
        assert answer.figures.mean == pytest.approx(sum(kept) / len(kept))
    with_removed = keys_of(owner, scene.study, state="removed")
    assert with_removed == set(
        Rating.objects.filter(pk__in=removed).values_list("candidate__key", flat=True)
    )
    assert "removed by step 1" in " ".join(
        page_of(owner, scene.study, state="removed").content.decode().split()
    )
    ledgers.undo_step(scene.study.ledger_steps.get(), at=now())
    assert keys_of(owner, scene.study, state="removed") == set()


def test_words_and_labels_are_searched(scene: Scene, owner: Client) -> None:
    study = scene.study
    assert keys_of(owner, study, q="ANSWER 1") >= {"c0-1", "c1-1", "c1-0"}
    assert keys_of(owner, study, q="1 of 2") == {"c2-1", "c1-2"}
    assert keys_of(owner, study, q="nosuchword") == set()
    assert keys_of(owner, study, q="%") == set()
    assert keys_of(owner, study, system="system 2") == every_key(study, system="system 2")
    assert keys_of(owner, study, constituent="facts") == {
        key for key in every_key(study) if key.startswith(("c1", "c3"))
    }


def test_means_and_disagreement_are_bounds_and_orders(scene: Scene, owner: Client) -> None:
    figures = browsing.study_figures(scene.study).by_candidate
    keys = dict(scene.study.candidates.values_list("pk", "key"))
    high = {keys[pk] for pk, one in figures.items() if one.mean >= 3}
    assert high and keys_of(owner, scene.study, low=3) == high
    low = {keys[pk] for pk, one in figures.items() if one.mean <= 3}
    assert low and keys_of(owner, scene.study, high=3) == low
    sd = max(one.sd for one in figures.values())
    most = {keys[pk] for pk, one in figures.items() if one.sd >= sd}
    assert keys_of(owner, scene.study, disagreement=sd) == most
    first = page_of(owner, scene.study, sort="disagreement").context["instances"][0]
    assert any(one.figures and one.figures.sd == sd for one in first.answers)
    lowest = page_of(owner, scene.study, sort="mean-low").context["instances"][0]
    least = min(one.mean for one in figures.values())
    assert any(one.figures and one.figures.mean == least for one in lowest.answers)


def test_stages_and_a_trial_that_does_not_count(rosa: User, owner: Client) -> None:
    trial = Trial(candidates=3, ratings=2, counted=False)
    protocol = people.protocol(trial=trial, quality=QualityRules())
    study = people.new_study(rosa, protocol, people.candidates(3))
    stage = people.open_stage(study, "trial")
    people.rate(stage, people.join(study, "ann"))
    rated = set(Rating.objects.values_list("candidate__key", flat=True))
    assert len(rated) == 3 and keys_of(owner, study, stage="trial") == rated
    response = page_of(owner, study, stage="trial")
    assert "does not count" in " ".join(response.content.decode().split())
    assert all(one.figures is None for one in answers_of(response))
    assert keys_of(owner, study, state="rated") == set()
    assert not any(row["counts"] for row in read_jsonl(owner, study))


def test_states(scene: Scene, owner: Client) -> None:
    study = scene.study
    adjudication.adjudicate(scene.candidate, 4, "clear", by=study.owner, at=now())
    assert keys_of(owner, study, state="adjudicated") == {scene.candidate.key}
    assert "adjudicated:" in page_of(owner, study, state="adjudicated").content.decode()
    assert keys_of(owner, study, state="rated") == every_key(study, use="rated")
    assert keys_of(owner, study, state="unrated") == set()


def test_a_duplicate_shows_the_ratings_it_shares(rosa: User, owner: Client) -> None:
    rows = people.candidates(1, 2)
    rows.append(Item.single("again", rows[0].instance, rows[0].text, "other"))
    study = people.new_study(rosa, people.protocol(quality=QualityRules()), rows)
    people.rate(people.open_stage(study), people.join(study, "ann"), {"c0-0": 5})
    answers = {one.candidate.key: one for one in answers_of(page_of(owner, study))}
    assert answers["again"].figures == answers["c0-0"].figures
    assert [line.rating.value for line in answers["again"].ratings] == [5]
    assert "again" in keys_of(owner, study, stage="full", low=5)


@pytest.mark.parametrize("query", ["low=x", "sort=best", "state=odd", "page=0", "stage=lunch"])
def test_an_invalid_query_is_refused(scene: Scene, owner: Client, query: str) -> None:
    assert owner.get(f"{reverse('study-data', args=[scene.slug])}?{query}").status_code == 400


def test_the_number_of_queries_is_fixed(
    scene: Scene, owner: Client, django_assert_max_num_queries: Any
) -> None:
    page_of(owner, scene.study)
    with django_assert_max_num_queries(36):
        page_of(owner, scene.study)


def test_the_file_has_every_submitted_rating_with_all_columns(scene: Scene, owner: Client) -> None:
    rows = read_csv(owner, scene.study)
    assert list(rows[0]) == list(rating_files.COLUMNS)
    assert [int(row["rating"]) for row in rows] == list(
        Rating.objects.order_by("pk").values_list("pk", flat=True)
    )
    rating = Rating.objects.select_related("candidate__instance", "worker").order_by("pk")[0]
    first = rows[0]
    assert (first["candidate"], first["worker"], first["value"]) == (
        rating.candidate.key,
        rating.worker.name,
        str(rating.value),
    )
    assert (first["system"], first["constituent"], first["stage"], first["hit"]) == (
        rating.candidate.system,
        rating.candidate.instance.constituent,
        "full",
        str(rating.assignment.hit.index),
    )
    removed = ledgers.removed_ratings(scene.study)
    for row in rows:
        step = removed.get(int(row["rating"]))
        assert row["removed_by"] == ("" if step is None else str(step))
        assert row["counts"] == ("yes" if step is None else "no")
    as_json = read_jsonl(owner, scene.study)
    assert [row["value"] for row in as_json] == [int(row["value"]) for row in rows]
    assert list(as_json[0]) == list(rating_files.COLUMNS)


def test_the_file_has_surplus_and_unjudged_ratings_and_no_begun_ones(
    rosa: User, owner: Client
) -> None:
    study = people.new_study(rosa, people.protocol(quality=QualityRules()), people.candidates(1, 2))
    stage = people.open_stage(study)
    for name in ("ann", "bob", "cem"):
        assignment = handing_out.hand_out(people.join(study, name).worker, stage, at=now())
        assert assignment is not None
        first, second = factories.members(assignment)
        handing_out.save_rating(assignment, first, Answer(None, "=1+1"), at=now())
        handing_out.save_rating(assignment, second, Answer(4), at=now())
        if name != "cem":
            handing_out.submit(assignment, at=now())
    Assignment.objects.filter(worker=people.join(study, "bob").worker).update(status="surplus")
    rows = read_csv(owner, study)
    assert [row["surplus"] for row in rows] == ["no", "no", "yes", "yes"]
    assert [row["value"] for row in rows] == ["", "4", "", "4"]
    assert [row["counts"] for row in rows] == ["no", "yes", "no", "no"]
    assert rows[0]["comment"] == "'=1+1", "no spreadsheet runs it"
    assert read_jsonl(owner, study)[0]["comment"] == "=1+1"
    assert read_jsonl(owner, study)[0]["seconds"] is None


def test_ratings_of_who_left_are_not_in_the_file(scene: Scene, owner: Client) -> None:
    gone = scene.workers[0]
    participation.withdraw(gone, "", at=now())
    rows = read_csv(owner, scene.study)
    assert rows and gone.worker.name not in {row["worker"] for row in rows}


def test_excluded_workers_and_keys_of_hidden_checks_are_in_the_file(
    rosa: User, owner: Client
) -> None:
    protocol = people.protocol(quality=QualityRules(gold_share=0.5))
    study = people.new_study(rosa, protocol, people.candidates(2, 2))
    gold = [dataclasses.replace(one, test_key=Key(5)) for one in factories.keyed(1)]
    factories.add_items(study, gold, use="gold")
    people.rate(people.open_stage(study), people.join(study, "ann"))
    ledgers.exclude_worker(people.join(study, "ann"), "spam", by=rosa, at=now())
    rows = read_jsonl(owner, study)
    (check,) = (row for row in rows if row["use"] == "gold")
    assert (check["expected"], check["counts"], check["excluded"]) == (5, False, True)
    assert {row["removed_by"] for row in rows} == {1, None}
    assert keys_of(owner, study, state="check") == {"k0"}


def test_only_editors_download_and_it_is_recorded(
    scene: Scene, owner: Client, everybody: dict[str, Client]
) -> None:
    read_csv(owner, scene.study)
    event = AuditEvent.objects.get(action="ratings.exported")
    assert (event.actor_name, event.after) == ("rosa", {"as": "csv"})
    url = reverse("study-ratings-file", args=[scene.slug, "csv"])
    assert everybody["visitor"].get(url).status_code == 302
    assert everybody["outsider"].get(url).status_code == 404


def test_a_step_names_itself_where_it_removes(scene: Scene) -> None:
    ledgers.undo_step(scene.study.ledger_steps.get(), at=now())
    ledgers.add_step(scene.study, MinimumSeconds(1.0), by=scene.study.owner, at=now())
    removed = ledgers.removed_ratings(scene.study)
    fast = scene.workers[3].worker
    assert set(removed.values()) == {2}
    assert set(removed) == set(
        Rating.objects.filter(worker=fast, candidate__use="rated").values_list("pk", flat=True)
    )


def test_the_documentation_names_every_column() -> None:
    page = (settings.BASE_DIR / "docs/reference/file-formats.md").read_text("utf-8")
    table = "".join(f"| `{name}` | {text} |\n" for name, text in rating_files.COLUMNS.items())
    assert table in page
