"""Table 3 of the KPQA paper (Lee et al., 2021): all twenty figures, as printed."""

from pathlib import Path

import pytest
from scipy.stats import pearsonr, spearmanr

from scorers import Session, parse_metrics
from tests.scorers.scorer_texts import kpqa

TABLE = {
    ("marco_all", 1): {
        "bleu-1": (0.349, 0.329),
        "bleu-4": (0.193, 0.244),
        "rouge-l": (0.309, 0.301),
        "meteor": (0.423, 0.413),
        "cider": (0.275, 0.278),
    },
    ("avsd_all", 5): {
        "bleu-1": (0.580, 0.562),
        "bleu-4": (0.499, 0.532),
        "rouge-l": (0.585, 0.566),
        "meteor": (0.578, 0.617),
        "cider": (0.567, 0.600),
    },
}


@pytest.mark.parametrize(("name", "references"), TABLE)
def test_the_printed_correlations_come_out(
    session: Session, data: Path, name: str, references: int
) -> None:
    printed = TABLE[name, references]
    items, people = kpqa(data, name, references)
    scores = session.score_all(parse_metrics(",".join(printed)), items)
    for metric, values in scores.items():
        found = (pearsonr(values, people).statistic, spearmanr(values, people).statistic)
        assert tuple(round(value, 3) for value in found) == printed[metric], metric
