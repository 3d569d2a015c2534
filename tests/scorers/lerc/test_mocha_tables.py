"""MOCHA's tables from a small made-up set and an untrained encoder: plumbing, and nothing else."""

import json
from pathlib import Path

import numpy as np
import pytest

from bench import mocha_tables
from bench.synthetic_mocha import write
from scorers import Item, Session, parse_metrics


@pytest.fixture(scope="module")
def mocha(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two constituents of a made-up set, small."""
    folder = tmp_path_factory.mktemp("mocha")
    write(folder, 7, 0.02)
    for path in folder.glob("*.json"):
        document = json.loads(path.read_text())
        kept = {name: document[name] for name in ("narrativeqa", "mcscript")}
        path.write_text(json.dumps(kept))
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


def test_every_table_has_its_rows_and_says_that_the_set_is_made_up(
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
    assert cards["without-mcscript-p-q-r-c-seed-2"]["extra"]["constituents"] == ["narrativeqa"]
    assert cards["all-seed-1"]["extra"]["constituents"] == sorted(names)
    assert cards["without-mcscript-r-c-seed-1"]["options"]["parts"] == ["reference", "candidate"]
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
