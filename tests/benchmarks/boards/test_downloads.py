"""The downloads of a set are on its page of files alone, and none is of nothing."""

from __future__ import annotations

from pathlib import Path

from django.test import Client
from django.urls import reverse

from benchmarks.sets.models import JudgmentSet
from tests.benchmarks.factories import make_set
from tests.html import readable


def page(client: Client, name: str, judgment_set: JudgmentSet) -> str:
    return readable(client.get(reverse(name, args=[judgment_set])))


def test_minimal_pairs_are_offered_where_there_are_some(
    db: None, tmp_path: Path, visitor: Client
) -> None:
    plain, paired = make_set(tmp_path, "plain"), make_set(tmp_path, "paired", pairs=2)
    for one, has_pairs in ((plain, False), (paired, True)):
        text = page(visitor, "set-files", one)
        assert (reverse("pairs-jsonl", args=[one]) in text) == has_pairs
        assert "<dt>Imported</dt>" in text
        overview = page(visitor, "judgment-set", one)
        assert ("<dt>Minimal pairs</dt>" in overview) == has_pairs


def test_single_ratings_are_offered_where_there_are_some(
    db: None, tmp_path: Path, visitor: Client
) -> None:
    one = make_set(tmp_path)
    address = reverse("ratings-csv", args=[one])
    assert (address in page(visitor, "set-files", one)) == bool(one.statistics["ratings"])
    JudgmentSet.objects.update(statistics=one.statistics | {"ratings": 0})
    assert address not in page(visitor, "set-files", one)


def test_the_leaderboard_has_its_own_files_and_leads_to_the_others(
    db: None, tmp_path: Path, visitor: Client
) -> None:
    one = make_set(tmp_path)
    text = page(visitor, "leaderboard", one)
    assert reverse("leaderboard-csv", args=[one]) in text
    assert f'{reverse("set-files", args=[one])}"' in text
    assert 'id="downloads"' in page(visitor, "set-files", one)
    for name in ("scores-csv", "dataset-zip", "label-studio-json"):
        assert reverse(name, args=[one]) not in text
