"""Choosing a prompt on a train split."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.judges.selection import SelectionError, select_on_train


def simulate(rng, *, prompts=12, passages=60, quality=None):
    """Prompts of equal quality by default: whichever is chosen was lucky on train."""
    n = passages * 4
    clusters = np.repeat(np.arange(passages), 4)
    gold = rng.normal(size=n)
    noise = np.ones(prompts) if quality is None else np.array(quality)
    scores = gold + noise[:, None] * rng.normal(size=(len(noise), n))
    return scores, gold, clusters < passages // 2, clusters


def choose(rng, scores, gold, is_train, clusters, draws=100):
    names = tuple(f"p{m}" for m in range(len(scores)))
    return select_on_train(names, scores, gold, is_train, clusters, rng=rng, draws=draws)


def test_the_better_prompt_is_chosen_and_its_test_figure_is_its_quality():
    rng = np.random.default_rng(1)
    selection = choose(rng, *simulate(rng, passages=200, quality=[2.0, 0.5, 3.0]))
    assert selection.chosen == 1 and selection.others[1] == 1.0
    truth = 1 / np.sqrt(1 + 0.25)
    assert selection.test[1].ci[0] < truth < selection.test[1].ci[1]
    assert abs(selection.optimism.value) < 0.1


def test_a_choice_among_equals_is_too_optimistic_on_train():
    rng = np.random.default_rng(2)
    gaps = [choose(rng, *simulate(rng), draws=10).optimism.value for _ in range(60)]
    error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    assert np.mean(gaps) > 3 * error > 0


def test_prompts_are_compared_on_the_same_items():
    rng = np.random.default_rng(3)
    scores, gold, is_train, clusters = simulate(rng, prompts=2)
    scores[0, :20] = np.nan
    hard = scores.copy()
    hard[1, :20] = 100.0  # would ruin the second prompt if they counted
    assert choose(rng, scores, gold, is_train, clusters).train == (
        choose(rng, hard, gold, is_train, clusters).train
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s, g, t, c: (s, g, np.arange(len(g)) % 2 == 0, c), "in the train part and outside"),
        (lambda s, g, t, c: (s, g, c < 5, c), "the train part has 5 passages"),
        (lambda s, g, t, c: (s, g, c < 55, c), "the test part has 5 passages"),
        (lambda s, g, t, c: (np.where(np.arange(2)[:, None] == 1, 3.0, s), g, t, c),
         "p1 or people gave all of the train part the same score"),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_says_why(change, message):
    rng = np.random.default_rng(4)
    with pytest.raises(SelectionError, match=message):
        choose(rng, *change(*simulate(rng, prompts=2)))


def test_a_prompt_with_examples_of_the_train_part_is_tested_but_not_chosen():
    rng = np.random.default_rng(6)
    scores, gold, is_train, clusters = simulate(rng, quality=[2.0, 1.0, 0.1])
    scores[2, is_train] = np.nan
    selection = choose(rng, scores, gold, is_train, clusters)
    assert selection.chosen == 1 and selection.others[2] == 0
    assert selection.train[2].value is None and selection.test[2].value > 0.9
    without = choose(np.random.default_rng(6), scores[:2], gold, is_train, clusters)
    assert selection.train[:2] == without.train
    assert [one.value for one in selection.test[:2]] == [one.value for one in without.test]


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(5)
    judgments, one, two = (tmp_path / name for name in ("j.jsonl", "one.jsonl", "two.jsonl"))
    rows, scores = [], {one: [], two: []}
    for k in range(120):
        gold = float(rng.normal())
        rows.append({"id": f"c{k}", "question": f"q{k}", "references": ["r"], "candidate": "x",
                     "split": "train" if k % 2 else "test", "score": gold})  # fmt: skip
        for path, noise in ((one, 2.0), (two, 0.3)):
            value = None if k == 7 else gold + float(noise * rng.normal())
            scores[path].append({"id": f"c{k}", "scores": {path.stem: value}})
    for path, lines in ((judgments, rows), *scores.items()):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return judgments, one, two


def test_the_command_chooses_and_shows_the_optimism(files, capsys):
    judgments, one, two = map(str, files)
    assert main(["select", judgments, "--scores", one, two, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["chosen"] == "two" and document["prompts"]["two"]["test"]["value"] > 0.9
    assert set(document["optimism"]) >= {"value", "ci"}
    assert main(["select", judgments, "--scores", one, two]) == 0
    assert "two (chosen)" in capsys.readouterr().out
    assert main(["select", judgments, "--scores", one]) == 2
    assert "there is one prompt" in capsys.readouterr().err
    assert main(["select", judgments, "--scores", one, two, "--train", "dev"]) == 2
    assert "no split 'dev'" in capsys.readouterr().err
