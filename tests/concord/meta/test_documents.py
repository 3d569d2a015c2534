"""The library's documents are of the types that are declared for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import concord
from concord.documents.agreement import AgreementReport
from concord.documents.board import BoardDocument
from concord.documents.comparison import Comparison
from concord.documents.description import SetStatistics
from concord.documents.statistics import RunStatistics
from concord.filtering import ZScoreFilter
from concord.formats.records import CandidateRecord, InstanceRecord, PairRecord
from concord.frames import complete_frame, to_set_arrays
from concord.meta import run_statistics
from concord.meta.description import describe
from tests.documents import faults

METRICS = "token-f1,rouge-l,exact-match"
ANSWERS = ("the red house", "a red house", "one house", "the boat", "no idea")


@pytest.fixture
def frame() -> pd.DataFrame:
    lines = [
        {
            "instance": f"i{number}",
            "passage": f"Passage {number}.",
            "question": "What?",
            "references": ("the red house", "it is a house"),
            "candidate": answer,
            "system": f"s{at}",
            "score": 5.0 - at + number % 2,
            "ratings": (
                {"worker": f"w{number % 3}", "value": 5.0 - at},
                {"worker": f"w{number % 3 + 1}", "value": float(1 + number % 5)},
                {"worker": f"w{number % 3 + 2}", "value": 5.0 - at},
            ),
        }
        for number in range(6)
        for at, answer in enumerate(ANSWERS)
    ]
    return pd.DataFrame(lines)


@pytest.mark.parametrize("by", [None, "system"])
def test_a_board(frame, by):
    board = concord.leaderboard(frame, METRICS, by=by)
    assert board.rows and faults(BoardDocument.to_json(board), BoardDocument) == []


def test_the_statistics_of_a_run_with_and_without_minimal_pairs(frame):
    arrays = to_set_arrays(complete_frame(frame))
    rng = np.random.default_rng(1)
    labels = {"phenomenon": np.array(["negation", "negation", ""]), "split": np.array(["a"] * 3)}
    for set_arrays, n in (
        (arrays, 0),
        (replace(arrays, pair_labels=labels, pair_clusters=np.arange(3)), 3),
    ):
        scores = rng.random(set_arrays.n_candidates + 2 * n)
        result = run_statistics(set_arrays, scores, higher_is_better=True)
        assert ("by_phenomenon" in result["rows"][""][0]["pairs"]) == bool(n)
        assert faults(result, RunStatistics) == []


def test_a_comparison(frame):
    result = concord.compare(frame, METRICS)
    assert result["metrics"] and faults(result, Comparison) == []


@pytest.mark.parametrize("steps", [(), (ZScoreFilter(1.0, at_most=5),)])
def test_an_agreement_report(frame, steps):
    report = concord.agreement(frame, filter=steps, draws=20).to_json()
    assert ("unfiltered" in report) == bool(steps)
    assert faults(report, AgreementReport) == []


def test_the_statistics_of_a_set():
    instance = InstanceRecord("i", ("a house",), "A passage.", "What?", "facts", "train")
    candidates = [CandidateRecord(str(at), instance, "a boat", "s", float(at)) for at in range(3)]
    pairs = [PairRecord("p", instance, "a house", 5.0, "a boat", 1.0, "negation")]
    result = describe(candidates, pairs, (0.0, 5.0))
    assert result["histograms"]["rows"] and faults(result, SetStatistics) == []


def test_keys_and_types_that_are_not_declared_are_found(frame):
    board = BoardDocument.to_json(concord.leaderboard(frame, METRICS))
    row = board["rows"][0]
    del row["n"]
    row["pearson"] |= {"colour": "red"}
    row["metric"] = 1
    assert sorted(faults(board, BoardDocument)) == [
        "$.rows[0].metric: 1 is no <class 'str'>",
        "$.rows[0].pearson: colour is not declared",
        "$.rows[0]: n is missing",
    ]
