"""The grid on real judgments: THumB's release of SummEval, 17 systems on 60 articles."""

import json

import numpy as np
import pytest
from scipy import stats

from scorers import Item, Session, parse_metrics
from scorers.aev.counts import item_counts
from scorers.aev.preparation import TextPreparation
from scorers.plane.grid import PlanePoint, bootstrap_grid, compute_grid
from scorers.plane.statistics import PlaneSample
from tests import real_data


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    file = real_data.path("thumb/cnndm_part1.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_every_cell_is_the_squared_correlation_of_corpus_values(
    session: Session, rows: list[dict[str, object]]
) -> None:
    references = {row["seg_id"]: str(row["hyp"]) for row in rows if row["SYS"] == "Human-H"}
    judged = [row for row in rows if row["SYS"] != "Human-H"]
    items = [Item(str(row["hyp"]), (references[row["seg_id"]],)) for row in judged]
    gold = [np.mean([r["relevance"] for r in row["expert_annotations"]]) for row in judged]
    systems = [str(row["SYS"]) for row in judged]
    counts = item_counts(items, TextPreparation(), session)
    sample = PlaneSample.of(counts, gold, systems=systems, clusters=[r["seg_id"] for r in judged])
    observed = compute_grid(sample)
    assert len(observed.system_names) == 17
    for cell in (PlanePoint(0.0, 1), PlanePoint(0.3, 2), PlanePoint(1.0, 4)):
        (metric,) = parse_metrics(cell.metric)
        values, people = [], []
        for name in observed.system_names:
            own = [i for i, system in enumerate(systems) if system == name]
            values.append(session.corpus_score(metric, [items[i] for i in own]))
            people.append(np.mean([gold[i] for i in own]))
        expected = stats.linregress(values, people).rvalue ** 2
        assert observed.r_squared[cell.grid_index] == pytest.approx(expected, abs=1e-12)
    assert observed.best is not None
    uncertainty = bootstrap_grid(sample, observed, rng=np.random.default_rng(0), draws=200)
    interval = uncertainty.interval(observed.best)
    assert interval is not None
    assert interval[0] < observed.r_squared[observed.best.grid_index] < interval[1]
