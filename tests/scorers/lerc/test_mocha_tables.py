"""MOCHA's tables from a small generated set and an untrained encoder."""

import json
from pathlib import Path

import krippendorff
import numpy as np
import pytest

from bench import mocha_analysis, mocha_tables
from bench.synthetic_mocha import write
from scorers import Item, Session, parse_metrics
from scorers.datasets.judgments import Judgment
from scorers.errors import MetricError


@pytest.fixture(scope="module")
def mocha(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two constituents of a small generated set."""
    folder = tmp_path_factory.mktemp("mocha")
    write(folder, 7, 0.02)
    for path in folder.glob("*.json"):
        document = json.loads(path.read_text())
        constituents = {name: document[name] for name in ("narrativeqa", "mcscript")}
        path.write_text(json.dumps(constituents))
    return folder


def made(mocha: Path, work: Path, tiny_encoder: Path, tables: str, *more: str) -> dict:
    out = work / "tables.json"
    mocha_tables.main(
        [str(mocha), "--work", str(work), "--tables", tables, "--encoder", str(tiny_encoder),
         "--epochs", "1", "--rates", "1e-3", "--seeds", "1,2", "--lora-rank", "2", "--most", "20",
         "--max-tokens", "48", "--metrics", "token-f1", "--json", str(out), "--device", "cpu",
         *more]
    )  # fmt: skip
    return json.loads(out.read_text())


def test_every_table_has_its_rows_and_marks_an_illustrative_set(
    mocha: Path, tiny_encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sts = tmp_path / "sts.tsv"
    sts.write_text("".join(f"{i % 6}\tthe mill {i}\tmill {i % 3}\n" for i in range(40)))
    result = made(mocha, tmp_path, tiny_encoder, "4,5,6,8,10", "--sts", str(sts), "--name", "mills")
    printed = capsys.readouterr().out
    assert printed.startswith("# mills") and "prove the plumbing" in printed
    assert result["synthetic"] is True
    names = ["narrativeqa", "mcscript"]
    _, heads, rows = result["4"]
    assert heads == [f"{n} {s}" for n in names for s in ("dev", "test")] + ["Avg. dev", "Avg. test"]
    assert [row[0] for row in rows] == ["token-f1", "STS", "LERC (OOD, without pre-training)"]
    assert [row[0] for row in result["5"][2]] == names
    assert [row[0] for row in result["6"][2]] == list(mocha_tables.ABLATIONS)
    assert result["8"][1] == [*names, "Avg."]
    sources = {row[0] for row in result["10"][2]}
    assert {"narrativeqa, gpt2", "mcscript, mhpg"} <= sources
    # Out of domain: what judges a constituent was not trained on it.
    cards = {
        path.parent.name: json.loads(path.read_text()) for path in tmp_path.glob("*/card.json")
    }
    assert cards["without-mcscript-p-q-r-c-rate-0.001-seed-2"]["extra"]["constituents"] == [
        "narrativeqa"
    ]
    assert cards["all-rate-0.001-seed-1"]["extra"]["constituents"] == sorted(names)
    assert cards["without-mcscript-r-c-rate-0.001-seed-1"]["options"]["parts"] == [
        "reference",
        "candidate",
    ]
    assert len(cards) == 2 + 2 + 2 * 2 * len(mocha_tables.ABLATIONS)


def test_cells_are_the_correlations_and_accuracies_of_a_metric(
    mocha: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    result = made(mocha, tmp_path, tiny_encoder, "4,8")
    dev = json.loads((mocha / "dev.json").read_text())["mcscript"].values()
    (metric,) = parse_metrics("token-f1")
    with Session("cpu") as session:
        scores = session.score(metric, [Item(e["candidate"], (e["reference"],)) for e in dev])
        r = np.corrcoef(scores, [e["score"] for e in dev])[0, 1]
        assert result["4"][2][0][3] == f"{r:.3f}"
        pairs = json.loads((mocha / "minimal_pairs.json").read_text())["mcscript"].values()
        one, other = (
            session.score(metric, [Item(e[f"candidate{k}"], (e["reference"],)) for e in pairs])
            for k in (1, 2)
        )
    better = [e["score1"] > e["score2"] for e in pairs]
    right = np.where(better, one > other, other > one) + (one == other) / 2
    assert result["8"][2][0][2] == f"{100 * right.mean():.1f}"


def test_one_learning_rate_is_chosen_by_its_mean_over_the_seeds() -> None:
    """Appendix A; by seed, 0.2 would be best of seed 1 and 0.1 of seed 2."""
    reached = {0.1: [0.50, 0.90], 0.2: [0.60, 0.70]}
    assert mocha_tables.best_rate(reached) == 0.1
    assert mocha_tables.best_rate({0.1: [0.9, float("nan")], 0.2: [0.1, 0.2]}) == 0.2


def test_every_seed_scores_with_the_chosen_learning_rate(
    mocha: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    result = made(mocha, tmp_path, tiny_encoder, "5", "--rates", "1e-3,1e-6")
    folders = {rate: [tmp_path / f"all-rate-{rate}-seed-{seed}" for seed in (1, 2)]
               for rate in ("0.001", "1e-06")}  # fmt: skip
    means = {rate: np.mean([dev_pearson(folder) for folder in some])
             for rate, some in folders.items()}  # fmt: skip
    best = max(means, key=lambda rate: means[rate])
    assert result["rates"] == {"all": float(best)}
    dev = json.loads((mocha / "dev.json").read_text())["mcscript"].values()
    items = [Item(e["candidate"], (e["reference"],), e["question"], e["context"]) for e in dev]
    gold = [e["score"] for e in dev]
    with Session("cpu") as session:
        metrics = [parse_metrics(f"lerc(checkpoint={folder})")[0] for folder in folders[best]]
        r = [np.corrcoef(session.score(metric, items), gold)[0, 1] for metric in metrics]
    assert dict(result["5"][2])["mcscript"] == f"{np.mean(r):.3f}"


def dev_pearson(folder: Path) -> float:
    return json.loads((folder / "card.json").read_text())["figures"]["dev pearson"]


def test_metrics_may_have_options_with_commas() -> None:
    named = "bleu-1,bertscore(idf=true,layer=5),meteor"
    assert mocha_tables.metric_names(named) == (
        "bleu-1", "bertscore(idf=true,layer=5)", "meteor",
    )  # fmt: skip
    with pytest.raises(MetricError, match="no metric 'moon'"):
        mocha_tables.metric_names("bleu-1,moon")


def judgment(constituent: str, gold: float, text: str = "a") -> Judgment:
    return Judgment("", "q", ("r",), text, gold, constituent=constituent)


def test_tables_7_and_9_have_the_largest_differences_of_scores() -> None:
    """By rank, the first candidate would be as near as the last: both sides rank it best."""
    people = [1.0, 0.975, 0.0, 0.5]
    judgments = [judgment("mcscript", gold, str(at)) for at, gold in enumerate(people)]
    human = np.array([mocha_analysis.human(one) for one in judgments])
    assert human.tolist() == [5.0, 4.9, 1.0, 3.0]
    lerc = np.array([4.8, 1.0, 4.7, 3.0])
    differences = mocha_analysis.largest_differences(judgments, lerc, human, 2)
    assert [one.judgment.candidate for one in differences] == ["1", "2"]
    assert [round(one.one - one.other, 2) for one in differences] == [-3.9, 3.7]
    assert mocha_analysis.share_over(differences) == "1 of 2 (50.0%)"


def test_tables_list_ten_candidates_of_each_constituent_without_spans() -> None:
    judgments = [judgment(name, 0.5) for name in ("drop", "cosmosqa", "mcscript")
                 for _ in range(12)]  # fmt: skip
    differences = mocha_analysis.largest_differences(judgments, np.arange(36.0), np.zeros(36), 10)
    names = [one.judgment.constituent for one in differences]
    assert names == ["cosmosqa"] * 10 + ["mcscript"] * 10


def test_the_tables_of_differences_and_agreement_are_made(
    mocha: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    result = made(mocha, tmp_path, tiny_encoder, "alpha,7,9", "--count", "3")
    for number, name in (("7", "people"), ("9", "token-f1")):
        title, heads, rows = result[number]
        assert name in title and heads[-2] == name
        assert [row[0] for row in rows] == ["narrativeqa"] * 3 + ["mcscript"] * 3
    for row in result["7"][2]:
        assert row[4] == row[6]  # the human score is the other side
        assert abs(float(row[5]) - float(row[6]) - float(row[7])) < 0.011
    dev = json.loads((mocha / "dev.json").read_text())
    alphas = []
    for (name, shown), entries in zip(result["alpha"][2][:-1], dev.values(), strict=True):
        rows = [entry["metadata"]["scores"] for entry in entries.values()]
        table = np.array([row + [np.nan] * (3 - len(row)) for row in rows]).T
        alphas.append(krippendorff.alpha(table, level_of_measurement="ordinal"))
        assert shown == f"{alphas[-1]:.3f}", name
    assert result["alpha"][2][-1] == ["Avg.", f"{np.mean(alphas):.3f}"]
