"""Versions of a judge on held-out items."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.judges import compare_versions
from concord.reliability import RatingsError


def versions(rng, passages=60, *, better):
    clusters = np.repeat(np.arange(passages), 3)
    gold = rng.normal(3, 1, len(clusters))
    old = gold + rng.normal(0, 1.0, len(gold))
    return old, gold + rng.normal(0, 0.4 if better else 1.0, len(gold)), gold, clusters


def test_a_better_version_is_seen_on_held_out_items_only():
    rng = np.random.default_rng(2)
    old, new, gold, clusters = versions(rng, better=True)
    seen = np.zeros(len(gold), dtype=bool)
    seen[[0, 4, 5]] = True  # one of passage 0, two of passage 1
    result = compare_versions(old, new, gold, clusters, seen=seen, rng=rng, draws=300)
    assert (result.items, result.passages) == (174, 58)
    assert result.verdict == "the new version is better"
    assert result.difference.value == pytest.approx(
        np.corrcoef(new[6:], gold[6:])[0, 1] - np.corrcoef(old[6:], gold[6:])[0, 1]
    )
    assert result.difference.p < 0.05 and result.error_difference.ci[1] < 0
    turned = compare_versions(new, old, gold, clusters, seen=seen, rng=rng, draws=300)
    assert turned.verdict == "the new version is worse"


def test_equal_versions_are_told_apart_in_five_of_a_hundred():
    rng = np.random.default_rng(3)
    trials, seen_differences = 200, 0
    for _ in range(trials):
        old, new, gold, clusters = versions(rng, better=False)
        none = np.zeros(len(gold), dtype=bool)
        result = compare_versions(old, new, gold, clusters, seen=none, rng=rng, draws=200)
        seen_differences += result.verdict != "no difference is seen"
    assert seen_differences / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)


def test_too_few_held_out_passages_are_refused():
    rng = np.random.default_rng(4)
    old, new, gold, clusters = versions(rng, 12, better=True)
    seen = clusters < 3
    with pytest.raises(RatingsError, match="9 passages are left"):
        compare_versions(old, new, gold, clusters, seen=seen, rng=rng)
    old[:] = 1.0
    with pytest.raises(RatingsError, match="the same score"):
        compare_versions(old, new, gold, clusters, seen=clusters < 0, rng=rng)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(5)
    old, new, gold, clusters = versions(rng, 40, better=True)
    rows = [
        {"id": f"c{k}", "references": ["r"], "candidate": f"a {k}", "passage": f"p{c}",
         "instance": f"i{c}", "score": float(g), "split": "train" if c < 10 else "test"}
        for k, (c, g) in enumerate(zip(clusters, gold, strict=True))
    ]  # fmt: skip
    paths = {}
    for name, lines in {
        "set": rows,
        "old": [{"id": f"c{k}", "scores": {"judge": float(s)}} for k, s in enumerate(old)],
        "new": [{"id": f"c{k}", "scores": {"judge": float(s)}} for k, s in enumerate(new)],
    }.items():
        paths[name] = tmp_path / f"{name}.jsonl"
        paths[name].write_text("\n".join(map(json.dumps, lines)))
    paths["seen"] = tmp_path / "seen.txt"
    paths["seen"].write_text("c119\nc0\n")
    return paths


def run(files, *more):
    return main(["judge-compare", str(files["set"]), "--scores", str(files["old"]),
                 str(files["new"]), "--draws", "200", *more])  # fmt: skip


def test_the_command_compares_two_files_of_scores(files, capsys):
    assert run(files, "--train", "train", "--seen", str(files["seen"]), "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["items"], document["passages"]) == (87, 29)
    assert document["verdict"] == "the new version is better"
    assert run(files, "--train", "train") == 0
    assert "the new version is better" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "--seen or --train"),
        (("--train", "dev"), "no split 'dev'"),
    ],
)
def test_the_command_says_what_is_missing(files, capsys, more, message):
    assert run(files, *more) != 0
    assert message in capsys.readouterr().err


def test_an_unknown_seen_candidate_is_named(files, capsys):
    files["seen"].write_text("c0\nnobody\n")
    assert run(files, "--seen", str(files["seen"])) != 0
    assert "nobody" in capsys.readouterr().err
