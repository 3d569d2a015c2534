"""Tables 4 to 10 of MOCHA (Chen et al., 2020) and its agreement from any set in MOCHA's shape.

    python -m bench.mocha_tables FOLDER --work DIR [--tables alpha,4,5,6,7,8,9,10] [--name NAME]
        [--pretrained DIR] [--sts FILE.tsv] [--metrics "bleu-1,bertscore(model=NAME,layer=N)"]
        [--rates 1e-5,2e-5,3e-5] [--seeds 1,2,3] [--epochs 3] [--lora-rank 0] [--max-tokens 512]
        [--encoder NAME] [--device auto] [--most N] [--json OUT.json]

FOLDER has train.json and dev.json, and test.json and minimal_pairs.json if a table needs them. LERC
is trained out of domain (OOD) once for each constituent, on all others; Table 5's is trained on all
(AD). Figures are means over the seeds, all with one learning rate: that of the highest mean, over
the seeds, of Pearson on the dev judgments of what is trained on (appendix A: "using the average of
three runs"). Tables 7 and 9 list the `--count` dev candidates of each generative constituent whose
scores differ most, as they are and by the mean over the seeds: LERC's from people's, and from those
of the first of `--metrics`. "alpha" is the raters' agreement on dev. `--pretrained` is a checkpoint
of `train lerc-choices`; without it nothing is pre-trained, and the tables say so. `--most` trains
on a draw of so many judgments of each constituent. What is trained is kept in `--work`, to be read
again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import mocha_analysis
from concord import formats
from concord.meta import pair_accuracy, pearson
from scorers import Item, Session, parse_metrics
from scorers.datasets.judgments import Judgment, read_judgments
from scorers.encoders import DEFAULT, Device
from scorers.learned.card import CheckpointCard
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import TrainingFiles, TrainingRecipe
from scorers.learned.trials import TrainingRun
from scorers.lerc.metrics import PARTS, LercForm
from scorers.lerc.training import STS_FORM, train_lerc

TABLES = ("alpha", "4", "5", "6", "7", "8", "9", "10")
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
    """A minimal pair: people score the first candidate higher."""

    constituent: str
    better: Item
    worse: Item


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
    count: int = 10


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
            self.files["train"] = _draw_subset(self.files["train"], most, options.work)
        pairs = folder / "minimal_pairs.json"
        self.pairs = list(read_pairs(pairs)) if pairs.exists() else []
        self.constituents = list(dict.fromkeys(j.constituent for j in self.judgments["dev"]))
        self.note = "OOD" if options.pretrained else "OOD, without pre-training"
        self.session = Session(options.device)
        #: By what was trained, the learning rate that did best over the seeds.
        self.rates: dict[str, float] = {}

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
        rows = [[name, _format_number(value)] for name, value in by_name.items()]
        return "Table 5: Pearson on dev, LERC (AD)", ["r"], rows

    def ablations(self) -> Table:
        """Table 6: mean Pearson on dev by what the input has; none pre-trained but the last."""
        rows = []
        for name, parts in ABLATIONS.items():
            correlations = self._by_constituent("dev", self._out_of_domain(parts, pretrained=""))
            rows.append([name, _format_number(_mean(correlations.values()))])
        if self.options.pretrained:
            correlations = self._by_constituent("dev", self._out_of_domain(PARTS))
            rows.append(["LERC (with pre-training)", _format_number(_mean(correlations.values()))])
        return "Table 6: Pearson on dev, mean over constituents, OOD", ["Avg. r"], rows

    def agreement(self) -> Table:
        """Section 2.3: Krippendorff's alpha on dev by constituent, and the mean."""
        alphas = mocha_analysis.agreement(self.files["dev"])
        rows = [[name, _format_number(value)] for name, value in alphas.items()]
        rows.append(["Avg.", _format_number(_mean(alphas.values()))])
        return "Krippendorff's alpha on dev, ordinal", ["alpha"], rows

    def errors(self) -> Table:
        """Table 7: dev candidates where LERC OOD is farthest from people's score."""
        judgments, lerc = self._generative()
        people = np.array([mocha_analysis.human(judgment) for judgment in judgments])
        title = "Table 7: largest differences between LERC and people"
        return self._differences(title, judgments, lerc, people, "people")

    def against_metric(self) -> Table:
        """Table 9: dev candidates where LERC OOD is farthest from the first metric's score."""
        name = self._others()[0]
        judgments, lerc = self._generative()
        other_scores = _mean_scores(self._plain(name)(""), judgments)
        title = f"Table 9: largest differences between LERC and {name}"
        return self._differences(title, judgments, lerc, other_scores, name)

    def _generative(self) -> tuple[list[Judgment], Vector]:
        """The dev judgments constituent by constituent, and LERC's scores, out of domain."""
        names = [name for name in self.constituents if name not in mocha_analysis.SPAN_BASED]
        judgments, scores = [], []
        for name in names:
            part = [j for j in self.judgments["dev"] if j.constituent == name]
            judgments += part
            scores.append(_mean_scores(self._out_of_domain(PARTS)(name), part))
        return judgments, np.concatenate(scores)

    def _differences(
        self, title: str, judgments: list[Judgment], lerc: Vector, other_scores: Vector, name: str
    ) -> Table:
        differences = mocha_analysis.largest_differences(
            judgments, lerc, other_scores, self.options.count
        )
        over = mocha_analysis.share_over(differences)
        heads = ["question", "reference", "candidate", "human score", "LERC", name, "difference"]
        return (
            f"{title}; LERC higher for {over}",
            heads,
            mocha_analysis.difference_rows(differences),
        )

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
            judgments = [j for j in self.judgments["dev"] if j.constituent == name]
            score = self._out_of_domain(PARTS)(name)
            for source in dict.fromkeys(j.system for j in judgments):
                part = [j for j in judgments if j.system == source]
                rows.append([f"{name}, {source}", _format_number(_mean(_pearsons(part, score)))])
        return f"Table 10: Pearson on dev by source, LERC ({self.note})", ["r"], rows

    def _others(self) -> list[str]:
        return [*self.options.metrics, *(["STS"] if self.options.sts else [])]

    def _correlations(self, splits: Sequence[str], score: ScoreOf) -> list[str]:
        by_split = [self._by_constituent(split, score) for split in splits]
        cells = [
            _format_number(correlations[name])
            for name in self.constituents
            for correlations in by_split
        ]
        return [
            *cells,
            *(_format_number(_mean(correlations.values())) for correlations in by_split),
        ]

    def _by_constituent(self, split: str, score: ScoreOf) -> dict[str, float]:
        judgments = self.judgments[split]
        return {
            name: _mean(_pearsons([j for j in judgments if j.constituent == name], score(name)))
            for name in self.constituents
        }

    def _accuracies(self, names: Sequence[str], score: ScoreOf) -> list[str]:
        accuracies = []
        for name in names:
            pairs = [pair for pair in self.pairs if pair.constituent == name]
            scored = score(name)([item for pair in pairs for item in (pair.better, pair.worse)])
            shares = [pair_accuracy(scores[::2], scores[1::2]).value for scores in scored]
            accuracies.append(_mean(100 * _number(share) for share in shares))
        return [f"{value:.1f}" for value in (*accuracies, _mean(accuracies))]

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
        """What scores items by the checkpoint of each seed, of the learning rate that is best over
        the seeds; trained unless it is there."""
        options, recipe = self.options, TrainingRecipe(without=without, start=start)
        data = TrainingFiles([(self.files["train"], "mocha")], [(self.files["dev"], "mocha")])
        if kind == "sts" and options.sts:
            data = TrainingFiles([(options.sts, "sts")])
        reached: dict[float, list[float]] = {}
        for rate in options.rates:
            for seed in options.seeds:
                out = self._folder(title, rate, seed)
                if not (out / "card.json").exists():
                    run = TrainingRun(out, options.settings, (rate,), (seed,),
                              encoder=options.encoder, device=options.device)  # fmt: skip
                    train_lerc(data, run, LercForm(tuple(parts)), kind=kind, recipe=recipe)
                figure = CheckpointCard.read(out).figures[f"dev {options.settings.best_by}"]
                reached.setdefault(rate, []).append(figure)
        best = best_rate(reached)
        self.rates[title] = best
        folders = [self._folder(title, best, seed) for seed in options.seeds]
        metrics = [parse_metrics(f"{kind}(checkpoint={folder})")[0] for folder in folders]
        return lambda items: [self.session.score(metric, items) for metric in metrics]

    def _folder(self, title: str, rate: float, seed: int) -> Path:
        return self.options.work / f"{title}-rate-{rate:g}-seed-{seed}"


def best_rate(reached: Mapping[float, Sequence[float]]) -> float:
    """The learning rate whose dev figures, one a seed, have the highest mean; of several, the
    first. A figure that is not a number counts as minus infinity."""
    means = {
        rate: _mean(-np.inf if value != value else value for value in values)
        for rate, values in reached.items()
    }
    return max(means, key=lambda rate: means[rate])


Score = Callable[[list[Item]], list[Vector]]
ScoreOf = Callable[[str], Score]


def read_pairs(path: Path) -> Iterable[Pair]:
    """MOCHA's minimal pairs. Raises FormatError where the first candidate is not the better one."""
    for pair in formats.read_pairs([path], "mocha").pairs:
        of = pair.instance
        context = of.references, of.question, of.passage
        yield Pair(of.constituent, Item(pair.candidate1, *context), Item(pair.candidate2, *context))


def markdown(table: Table) -> str:
    """A table as Markdown, its title above."""
    title, heads, rows = table
    lines = [title, "", f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _mean_scores(score: Score, judgments: Sequence[Judgment]) -> Vector:
    """The scores of judgments, (n,), the mean over the seeds."""
    return np.asarray(np.mean(score([one.item for one in judgments]), axis=0))


def _pearsons(judgments: list[Judgment], score: Score) -> list[float]:
    gold = np.array([judgment.gold for judgment in judgments])
    scores = score([judgment.item for judgment in judgments])
    return [_number(pearson(row, gold).value) for row in scores]


def _number(value: float | None) -> float:
    """A figure's value, NaN where it is undefined."""
    return float("nan") if value is None else value


def _draw_subset(path: Path, most: int, work: Path) -> Path:
    """The file with no more than so many judgments of each constituent, drawn by a fixed seed."""
    document = json.loads(path.read_text(encoding="utf-8"))
    rng = np.random.default_rng(1)
    for name, entries in document.items():
        keys = list(entries)
        sampled = np.sort(rng.permutation(len(keys))[:most])
        document[name] = {keys[index]: entries[keys[index]] for index in sampled.tolist()}
    work.mkdir(parents=True, exist_ok=True)
    drawn = work / "train.json"
    drawn.write_text(json.dumps(document), encoding="utf-8")
    return drawn


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _format_number(value: float) -> str:
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
        metrics=metric_names(parsed.metrics),
        count=parsed.count,
    )  # fmt: skip
    tables = Tables(parsed.folder, options, parsed.most)
    made = {
        "alpha": tables.agreement,
        "4": tables.correlation,
        "5": tables.all_data,
        "6": tables.ablations,
        "7": tables.errors,
        "8": tables.minimal_pairs,
        "9": tables.against_metric,
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
    result["rates"] = tables.rates
    if parsed.json:
        parsed.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def metric_names(text: str) -> tuple[str, ...]:
    """The metrics named in a list, options in parentheses; MetricError for what is not one."""
    return tuple(metric.name for metric in parse_metrics(text))


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
    option("--count", type=int, default=10, help="candidates of each constituent in Tables 7, 9")
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
