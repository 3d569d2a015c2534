"""Tables 4, 5, 6, 8 and 10 of MOCHA (Chen et al., 2020) from any set in MOCHA's shape.

    python -m bench.mocha_tables FOLDER --work DIR [--tables 4,5,6,8,10] [--name NAME]
        [--pretrained DIR] [--sts FILE.tsv] [--metrics bleu-1,meteor,rouge-l,bertscore]
        [--rates 1e-5,2e-5,3e-5] [--seeds 1,2,3] [--epochs 3] [--lora-rank 0] [--max-tokens 512]
        [--encoder NAME] [--device auto] [--most N] [--json OUT.json]

FOLDER holds train.json, dev.json and, where their tables are asked for, test.json and
minimal_pairs.json. LERC is trained out of domain (OOD) once for each constituent, on all others;
Table 5's is trained on all (AD). Figures are means over the seeds, each with its best learning
rate on the dev judgments of what it was trained on. `--pretrained` is a checkpoint of `train
lerc-choices`; without it nothing is pre-trained, and the tables say so. `--most` trains on a draw
of so many judgments of each constituent. What is trained is kept in `--work`, to be read again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorers import Item, Session, parse_metrics
from scorers.encoders import DEFAULT, Device
from scorers.judges.figures import correlations
from scorers.judges.plan import Recipe
from scorers.judges.training import Run
from scorers.judgments import Judgment, read_judgments
from scorers.learned.settings import TrainingSettings
from scorers.lerc.form import PARTS, LercForm
from scorers.lerc.training import STS_FORM, train_lerc

TABLES = ("4", "5", "6", "8", "10")
#: Table 6: the rows and what is in their input.
ABLATIONS = {
    "Ref. Only": PARTS[2:3],
    "Cand. Only": PARTS[3:],
    "Ref. & Cand.": PARTS[2:],
    "Ques. & Ref. & Cand.": PARTS[1:],
    "Pass. & Ques. & Ref. & Cand.": PARTS,
}
#: Written beside a set whose words are made up.
SYNTHETIC = "SYNTHETIC"

Vector = NDArray[np.float64]
Table = tuple[str, list[str], list[list[str]]]


@dataclass(frozen=True)
class Pair:
    """A minimal pair; `first` says whether people score the first candidate higher."""

    constituent: str
    items: tuple[Item, Item]
    first: bool


@dataclass(frozen=True)
class Options:
    """How LERC is trained."""

    work: Path
    settings: TrainingSettings
    rates: tuple[float, ...]
    seeds: tuple[int, ...]
    encoder: str
    device: Device
    pretrained: str
    sts: Path | None
    metrics: tuple[str, ...]


class Tables:
    """A set's judgments and pairs, and the scores that the tables are made of."""

    def __init__(self, folder: Path, options: Options, most: int | None = None) -> None:
        self.options = options
        self.files = {split: folder / f"{split}.json" for split in ("train", "dev", "test")}
        self.judgments = {
            split: read_judgments(path, "mocha")
            for split, path in self.files.items()
            if path.exists()
        }
        if most is not None:
            self.files["train"] = _drawn(self.files["train"], most, options.work)
        pairs = folder / "minimal_pairs.json"
        self.pairs = list(read_pairs(pairs)) if pairs.exists() else []
        self.constituents = list(dict.fromkeys(j.constituent for j in self.judgments["dev"]))
        self.note = "OOD" if options.pretrained else "OOD, without pre-training"
        self.session = Session(options.device)

    def correlation(self) -> Table:
        """Table 4: Pearson by constituent on dev and test, untrained metrics and LERC OOD."""
        splits = [split for split in ("dev", "test") if split in self.judgments]
        heads = [f"{name} {split}" for name in self.constituents for split in splits]
        rows = [[name, *self._correlations(splits, self._plain(name))] for name in self._others()]
        rows.append(
            [f"LERC ({self.note})", *self._correlations(splits, self._out_of_domain(PARTS))]
        )
        return "Table 4: Pearson", [*heads, *(f"Avg. {split}" for split in splits)], rows

    def all_data(self) -> Table:
        """Table 5: Pearson on dev of LERC trained on all constituents."""
        score = self._trained("all", PARTS, (), self.options.pretrained)
        by_name = self._by_constituent("dev", lambda _: score)
        rows = [[name, _shown(value)] for name, value in by_name.items()]
        return "Table 5: Pearson on dev, LERC (AD)", ["r"], rows

    def ablations(self) -> Table:
        """Table 6: mean Pearson on dev by what the input has; none pre-trained but the last."""
        rows = []
        for name, parts in ABLATIONS.items():
            found = self._by_constituent("dev", self._out_of_domain(parts, pretrained=""))
            rows.append([name, _shown(_mean(found.values()))])
        if self.options.pretrained:
            found = self._by_constituent("dev", self._out_of_domain(PARTS))
            rows.append(["LERC (with pre-training)", _shown(_mean(found.values()))])
        return "Table 6: Pearson on dev, mean over constituents, OOD", ["Avg. r"], rows

    def minimal_pairs(self) -> Table:
        """Table 8: per cent of minimal pairs whose better candidate scores higher; ties half."""
        names = list(dict.fromkeys(pair.constituent for pair in self.pairs))
        rows = [[name, *self._accuracies(names, self._plain(name))] for name in self._others()]
        rows.append([f"LERC ({self.note})", *self._accuracies(names, self._out_of_domain(PARTS))])
        return "Table 8: accuracy on minimal pairs", [*names, "Avg."], rows

    def by_source(self) -> Table:
        """Table 10: Pearson on dev by constituent and source, LERC OOD."""
        rows = []
        for name in self.constituents:
            chosen = [j for j in self.judgments["dev"] if j.constituent == name]
            score = self._out_of_domain(PARTS)(name)
            for source in dict.fromkeys(j.system for j in chosen):
                part = [j for j in chosen if j.system == source]
                rows.append([f"{name}, {source}", _shown(_mean(_pearsons(part, score)))])
        return f"Table 10: Pearson on dev by source, LERC ({self.note})", ["r"], rows

    def _others(self) -> list[str]:
        return [*self.options.metrics, *(["STS"] if self.options.sts else [])]

    def _correlations(self, splits: Sequence[str], score: ScoreOf) -> list[str]:
        found = [self._by_constituent(split, score) for split in splits]
        cells = [_shown(one[name]) for name in self.constituents for one in found]
        return [*cells, *(_shown(_mean(one.values())) for one in found)]

    def _by_constituent(self, split: str, score: ScoreOf) -> dict[str, float]:
        judgments = self.judgments[split]
        return {
            name: _mean(_pearsons([j for j in judgments if j.constituent == name], score(name)))
            for name in self.constituents
        }

    def _accuracies(self, names: Sequence[str], score: ScoreOf) -> list[str]:
        found = []
        for name in names:
            pairs = [pair for pair in self.pairs if pair.constituent == name]
            accuracies = []
            for scores in score(name)([item for pair in pairs for item in pair.items]):
                difference = scores[::2] - scores[1::2]
                turned = np.where([pair.first for pair in pairs], difference, -difference)
                accuracies.append(100 * float(np.mean((turned > 0) + (turned == 0) / 2)))
            found.append(_mean(accuracies))
        return [f"{value:.1f}" for value in (*found, _mean(found))]

    def _plain(self, name: str) -> ScoreOf:
        """A metric that needs no set of MOCHA's; "STS" is trained on `--sts`."""
        if name == "STS":
            score = self._trained("sts", STS_FORM.parts, (), "", kind="sts")
            return lambda _: score
        (metric,) = parse_metrics(name)
        return lambda _: lambda items: [self.session.score(metric, items)]

    def _out_of_domain(self, parts: Sequence[str], pretrained: str | None = None) -> ScoreOf:
        start = self.options.pretrained if pretrained is None else pretrained
        title = f"{'-'.join(part[0] for part in parts)}{'-pretrained' if start else ''}"
        return lambda name: self._trained(f"without-{name}-{title}", parts, (name,), start)

    def _trained(
        self,
        title: str,
        parts: Sequence[str],
        without: tuple[str, ...],
        start: str,
        kind: str = "lerc",
    ) -> Score:
        """What scores items by the checkpoint of each seed, trained unless it is there."""
        options, metrics = self.options, []
        for seed in options.seeds:
            out = options.work / f"{title}-seed-{seed}"
            if not (out / "card.json").exists():
                run = Run(out, options.settings, options.rates, (seed,),
                          encoder=options.encoder, device=options.device)  # fmt: skip
                recipe = Recipe(without=without, start=start)
                data = [(self.files["train"], "mocha")], [(self.files["dev"], "mocha")]
                if kind == "sts" and options.sts:
                    data = [(options.sts, "sts")], []
                train_lerc(*data, run, LercForm(tuple(parts)), kind=kind, recipe=recipe)
            metrics += parse_metrics(f"{kind}(checkpoint={out})")
        return lambda items: [self.session.score(metric, items) for metric in metrics]


Score = Callable[[list[Item]], list[Vector]]
ScoreOf = Callable[[str], Score]


def read_pairs(path: Path) -> Iterable[Pair]:
    """MOCHA's minimal pairs."""
    document = json.loads(path.read_text(encoding="utf-8"))
    for constituent, entries in document.items():
        for entry in entries.values():
            context = (entry["reference"],), entry["question"], entry["context"]
            items = (Item(entry["candidate1"], *context), Item(entry["candidate2"], *context))
            yield Pair(constituent, items, entry["score1"] > entry["score2"])


def markdown(table: Table) -> str:
    """A table as Markdown, its title above."""
    title, heads, rows = table
    lines = [title, "", f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _pearsons(judgments: list[Judgment], score: Score) -> list[float]:
    gold = np.array([judgment.gold for judgment in judgments])
    scores = score([judgment.item for judgment in judgments])
    return [correlations(row, gold)["pearson"] for row in scores]


def _drawn(path: Path, most: int, work: Path) -> Path:
    """The file with no more than so many judgments of each constituent, drawn by a fixed seed."""
    document = json.loads(path.read_text(encoding="utf-8"))
    rng = np.random.default_rng(1)
    for name, entries in document.items():
        keys = list(entries)
        kept = np.sort(rng.permutation(len(keys))[:most])
        document[name] = {keys[place]: entries[keys[place]] for place in kept.tolist()}
    work.mkdir(parents=True, exist_ok=True)
    drawn = work / "train.json"
    drawn.write_text(json.dumps(document), encoding="utf-8")
    return drawn


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _shown(value: float) -> str:
    return "undefined" if value != value else f"{value:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parsed = _parser().parse_args(arguments)
    options = Options(
        work=parsed.work,
        settings=TrainingSettings(
            epochs=parsed.epochs, batch_size=32, max_tokens=parsed.max_tokens,
            lora_rank=parsed.lora_rank, best_by="pearson",
        ),
        rates=tuple(float(rate) for rate in parsed.rates.split(",")),
        seeds=tuple(int(seed) for seed in parsed.seeds.split(",")),
        encoder=parsed.encoder,
        device=parsed.device,
        pretrained=parsed.pretrained,
        sts=parsed.sts,
        metrics=tuple(parsed.metrics.split(",")),
    )  # fmt: skip
    tables = Tables(parsed.folder, options, parsed.most)
    made = {
        "4": tables.correlation,
        "5": tables.all_data,
        "6": tables.ablations,
        "8": tables.minimal_pairs,
        "10": tables.by_source,
    }
    name = parsed.name or parsed.folder.name
    print(f"# {name}")
    if (parsed.folder / SYNTHETIC).exists():
        print("\nThe words of this set are made up: its tables prove the plumbing, and say nothing "
              "of any metric.")  # fmt: skip
    print(f"\nSeeds {parsed.seeds}; learning rates {parsed.rates}; {tables.note}.")
    result: dict[str, Any] = {"set": name, "synthetic": (parsed.folder / SYNTHETIC).exists()}
    for number in parsed.tables.split(","):
        table = made[number]()
        result[number] = table
        print(f"\n{markdown(table)}", flush=True)
    if parsed.json:
        parsed.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    option = parser.add_argument
    option("folder", type=Path)
    option("--work", type=Path, required=True)
    option("--tables", default=",".join(TABLES))
    option("--name", default="")
    option("--pretrained", default="")
    option("--sts", type=Path, default=None)
    option("--metrics", default="bleu-1,meteor,rouge-l,bertscore")
    option("--rates", default="1e-5,2e-5,3e-5")
    option("--seeds", default="1,2,3")
    option("--epochs", type=int, default=3)
    option("--lora-rank", type=int, default=0)
    option("--max-tokens", type=int, default=512)
    option("--encoder", default=DEFAULT)
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    option("--most", type=int, default=None)
    option("--json", type=Path, default=None)
    return parser


if __name__ == "__main__":
    main()
