"""The generator of made-up data: the same bytes for a seed, and files that the readers take."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from concord.formats import Limits, ReadOptions, read_judgments, read_pairs

SCRIPT = Path(__file__).parents[3] / "bench" / "synthetic_mocha.py"


def generate(folder, *options):
    command = [sys.executable, str(SCRIPT), str(folder), *options]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return generate(tmp_path_factory.mktemp("synthetic"), "--fraction", "0.02")


def mocha(folder, *names):
    return read_judgments([folder / name for name in names], "mocha", ReadOptions(), Limits())


def test_both_forms_hold_the_same(folder):
    file = mocha(folder, "train.json", "dev.json", "test.json")
    lines = read_judgments([folder / "judgments.jsonl"], "concord", ReadOptions(), Limits())
    assert file.candidates == lines.candidates
    assert file.scale == lines.scale
    splits = Counter(candidate.instance.split for candidate in file.candidates)
    assert 600 < splits["train"] < 700
    assert all(c.text != c.instance.references[0] for c in file.candidates)


def test_the_unlabelled_file_holds_the_same_answers(folder):
    labelled, bare = mocha(folder, "test.json"), mocha(folder, "test_no_labels.json")
    assert [c.key for c in labelled.candidates] == [c.key for c in bare.candidates]
    assert bare.report.without_judgment == bare.report.kept


def test_pairs_belong_to_instances_of_the_test_split(folder):
    lines = read_pairs([folder / "pairs.jsonl"], "concord", ReadOptions(), Limits())
    file = read_pairs([folder / "minimal_pairs.json"], "mocha", ReadOptions(), Limits())
    assert [pair.key for pair in lines.pairs] == [pair.key for pair in file.pairs]
    test_instances = {c.instance.key for c in mocha(folder, "test.json").candidates}
    assert {pair.instance.key for pair in file.pairs} <= test_instances


def test_a_seed_gives_the_same_bytes(folder, tmp_path):
    again = generate(tmp_path / "again", "--fraction", "0.02")
    other = generate(tmp_path / "other", "--fraction", "0.02", "--seed", "8")
    for path in folder.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes()
        if path.name != "SYNTHETIC":  # says what the folder is, whatever the seed
            assert path.read_bytes() != (other / path.name).read_bytes()


@pytest.mark.slow
def test_the_full_size_is_that_of_table_2_and_is_read_in_seconds(tmp_path):
    folder = generate(tmp_path / "full")
    started = time.perf_counter()
    file = mocha(folder, "train.json", "dev.json", "test.json")
    assert time.perf_counter() - started < 10
    instances = {candidate.instance.key: candidate.instance for candidate in file.candidates}
    passages = {(record.split, record.passage) for record in instances.values()}
    for split, counts in {
        "train": (4950, 11043, 31069),
        "dev": (662, 1436, 4009),
        "test": (989, 2217, 6321),
    }.items():
        assert counts == (
            sum(result == split for result, _ in passages),
            sum(record.split == split for record in instances.values()),
            sum(candidate.instance.split == split for candidate in file.candidates),
        )
    assert (
        len(read_pairs([folder / "pairs.jsonl"], "concord", ReadOptions(), Limits()).pairs) == 200
    )
