"""What tests of agreement and quality compare with, and the real ratings they do it on."""

from __future__ import annotations

import json
from pathlib import Path

import krippendorff
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

LEVELS = ("nominal", "ordinal", "interval", "ratio")
CRITERIA = ("coherence", "consistency", "fluency", "relevance")


def package_alpha(table, level):
    """The package on units x raters, None where it refuses or divides by zero."""
    with np.errstate(all="ignore"):
        try:
            value = krippendorff.alpha(np.asarray(table).T, level_of_measurement=level)
        except ValueError:
            return None
    return float(value) if np.isfinite(value) else None


POINTS = st.integers(0, 5).map(float)


def tables(values=POINTS):
    """Units x raters with missing ratings."""
    shapes = st.tuples(st.integers(2, 25), st.integers(2, 7))
    cells = st.one_of(values, values, values, st.just(np.nan))
    return shapes.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=cells))


def kpqa_filtered(table, threshold=1.0, at_most=5, ddof=0):
    """KPQA's z-score filter in plain numpy, unit by unit: the table with what goes as NaN."""
    copy = table.copy()
    for row, out in zip(table, copy, strict=True):
        (places,) = np.nonzero(~np.isnan(row))
        values = row[places]
        if len(values) < 2 or np.ptp(values) == 0:
            continue
        z = np.round(np.abs(values - values.mean()) / values.std(ddof=ddof), 12)
        noisy = [at for at in np.argsort(-z, kind="stable") if z[at] > threshold]
        out[places[noisy[:at_most]]] = np.nan
    return copy


def thumb_table(folder: Path, raters: str, criterion: str):
    """Summaries x ratings (3 experts or 5 of the crowd) of one criterion."""
    file = folder / "thumb" / "cnndm_part1.jsonl"
    rows = (json.loads(line) for line in file.read_text().splitlines())
    values = (row[f"{raters}_annotations"] for row in rows if row["SYS"] != "Human-H")
    return np.array([[one[criterion] for one in many] for many in values if type(many) is list])


def squality_rows(folder: Path, criterion: str):
    """(answer, worker, value) in the order of the file, the human answers left out."""
    rows = []
    for line in (folder / "squality" / "human-eval-1.jsonl").read_text().splitlines():
        story = json.loads(line)
        for question, answers in story["questions"].items():
            for system, answer in answers.items():
                unit = (story["passage-id"], question, system)
                rows += [
                    (unit, review["worker_id"], float(review[f"{criterion}-rating"]))
                    for review in answer["reviews"]
                    if system != "human"
                ]
    return rows


def table_of(rows):
    """Units x raters, NaN where missing, from (unit, rater, value)."""
    units = {unit: None for unit, _, _ in rows}
    raters = {rater: None for _, rater, _ in rows}
    result = np.full((len(units), len(raters)), np.nan)
    unit_at = {name: at for at, name in enumerate(units)}
    rater_at = {name: at for at, name in enumerate(raters)}
    for unit, rater, value in rows:
        result[unit_at[unit], rater_at[rater]] = value
    return result
