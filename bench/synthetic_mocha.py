"""Write made-up judgments in MOCHA's shape and size, for measurements and load tests.

    python bench/synthetic_mocha.py OUT_DIR [--seed 7] [--fraction 1.0]

MOCHA (Chen et al., EMNLP 2020) is not part of this project. The numbers of passages,
question/reference pairs and candidates of each constituent and split are those of the paper's Table
2. Mean lengths and numbers of ratings (one in train, two or three elsewhere) are similar. All words
are invented and drawn by Zipf's law. Better candidates share more words with their reference, so
metrics correlate with the scores. As in reality, some candidates have one word and some occur
twice.

The files have the same content: train.json, dev.json, test.json, test_no_labels.json and
minimal_pairs.json in MOCHA's format, judgments.jsonl and pairs.jsonl in Concord's format. The same
seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

SPLITS = ("train", "dev", "test")
VOCABULARY = 20_000
PAIRS_PER_CONSTITUENT = 50
PHENOMENA = (
    "coreference",
    "hyponymy",
    "negation",
    "semantic role",
    "syntax",
    "word sense",
    "other",
)


@dataclass(frozen=True)
class Constituent:
    """A row of MOCHA's Table 2; the last three give train, dev and test."""

    name: str
    systems: tuple[str, ...]
    generative: bool
    lengths: tuple[
        float, float, float, float
    ]  # mean words: passage, question, reference, candidate
    passages: tuple[int, int, int]
    instances: tuple[int, int, int]
    candidates: tuple[int, int, int]


FREE = ("backtranslation", "gpt2")
TABLE_2 = (
    Constituent("narrativeqa", (*FREE, "mhpg", "human"), True, (333.0, 9.6, 5.8, 5.9),
                (85, 11, 18), (2249, 277, 500), (7471, 890, 1707)),
    Constituent("mcscript", (*FREE, "mhpg"), True, (197.1, 7.8, 4.3, 4.1),
                (462, 61, 93), (2940, 390, 583), (7210, 978, 1409)),
    Constituent("cosmosqa", FREE, True, (72.8, 10.8, 7.5, 8.8),
                (1064, 142, 212), (1139, 156, 226), (5033, 683, 1017)),
    Constituent("socialiqa", FREE, True, (15.7, 7.2, 3.9, 3.9),
                (3075, 414, 611), (3075, 414, 611), (7409, 1017, 1527)),
    Constituent("drop", ("naqanet", "nabert"), False, (213.4, 11.6, 3.6, 5.1),
                (80, 10, 17), (542, 76, 117), (687, 97, 152)),
    Constituent("quoref", ("bert",), False, (324.0, 15.8, 2.3, 8.2),
                (184, 24, 38), (1098, 123, 180), (3259, 344, 509)),
)  # fmt: skip


@dataclass(frozen=True)
class Instance:
    constituent: Constituent
    split: str
    passage: str
    question: str
    reference: str


@dataclass(frozen=True)
class Candidate:
    key: str
    instance: Instance
    text: str
    system: str
    ratings: list[int]

    @property
    def score(self) -> float:
        mean = sum(self.ratings) / len(self.ratings)
        return int(mean) if mean.is_integer() else mean


@dataclass(frozen=True)
class Pair:
    key: str
    instance: Instance
    better: str
    worse: str
    scores: tuple[float, float]
    phenomenon: str


class Writer:
    """Invents words, passages, questions, references, candidates and their ratings."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self._words = _vocabulary(rng)
        ranks = np.arange(len(self._words))
        weights = 1.0 / (ranks + 2.7) ** 1.07
        self._cumulative = np.cumsum(weights / weights.sum())
        self._stock: list[str] = []

    def words(self, count: int) -> list[str]:
        """`count` words by Zipf's law; drawn from a stock, as single draws would be slow."""
        while len(self._stock) < count:
            ranks = np.searchsorted(self._cumulative, self.rng.random(100_000))
            self._stock += [self._words[rank] for rank in ranks.clip(0, VOCABULARY - 1)]
        taken = self._stock[len(self._stock) - count :]
        del self._stock[len(self._stock) - count :]
        return taken

    def length(self, mean: float) -> int:
        """A length of one at least, with the given mean."""
        return 1 + int(self.rng.poisson(max(0.0, mean - 1)))

    def passage(self, mean: float) -> str:
        """Sentences of about twelve words, full stops standing apart as in tokenised text."""
        target = max(5, round(float(self.rng.normal(mean, mean / 5))))
        words: list[str] = []
        while len(words) < target:
            length = min(self.length(12), max(1, target - len(words) - 1))
            words += [*_capital(self.words(length)), "."]
        return " ".join(words)

    def instance(self, constituent: Constituent, split: str, passage: str) -> Instance:
        """A question and a reference, most of whose words come from the passage."""
        _, question_length, answer_length, _ = constituent.lengths
        question = [*_capital(self.words(self.length(question_length - 1))), "?"]
        source = passage.lower().replace(" .", "").split()
        reference = self.mixed(source, self.words(self.length(answer_length)), 0.7)
        return Instance(constituent, split, passage, " ".join(question), " ".join(reference))

    def mixed(self, source: list[str], words: list[str], share: float) -> list[str]:
        """`words`, of which about `share` are replaced by words of `source`."""
        positions = self.rng.integers(0, len(source), len(words))
        replaced = self.rng.random(len(words)) < share
        return [
            source[position] if is_replaced else word
            for word, position, is_replaced in zip(words, positions, replaced, strict=True)
        ]

    def answer(self, instance: Instance, quality: float) -> str:
        """A candidate of a quality in [0, 1]: so much of it, in order, is the reference."""
        reference = instance.reference.split()
        length = self.length(instance.constituent.lengths[3])
        if self.rng.random() < 0.08:
            length = 1
        common = round(quality * min(length, len(reference)))
        source_positions = sorted(self.rng.choice(len(reference), common, replace=False))
        words = self.mixed(instance.passage.lower().split(), self.words(length), 0.4)
        for position, source in zip(
            sorted(self.rng.choice(length, common, replace=False)), source_positions, strict=True
        ):
            words[position] = reference[source]
        if words == reference:  # MOCHA left out what equals the reference
            words.append(self.words(1)[0])
        return " ".join(words)

    def ratings(self, quality: float, count: int) -> list[int]:
        """Values from 1 to 5 around the quality, each rater with a noise of their own."""
        noisy = 1 + 4 * quality + self.rng.normal(0, 0.7, count)
        return [int(value) for value in np.rint(noisy).clip(1, 5)]

    def key(self) -> str:
        return self.rng.bytes(16).hex()


def _vocabulary(rng: np.random.Generator) -> list[str]:
    """Distinct invented words; the frequent ones are short, as in language."""
    onsets = ["b", "br", "d", "dr", "f", "fl", "g", "gl", "k", "l", "m", "n", "p", "r", "s", "st",
              "t", "tr", "v", "z"]  # fmt: skip
    vowels = ["a", "e", "i", "o", "u", "ai", "ou"]
    ends = ["", "n", "s", "th", "rd"]

    def pick(parts: list[str]) -> str:
        return parts[int(rng.integers(len(parts)))]

    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        syllables = 1 + int(rng.integers(0, 1 + min(3, len(words) // 300)))
        word = "".join(pick(onsets) + pick(vowels) for _ in range(syllables)) + pick(ends)
        words.setdefault(word)
    return list(words)


def _capital(words: list[str]) -> list[str]:
    return [words[0].capitalize(), *words[1:]]


def _spread(rng: np.random.Generator, total: int, parts: int) -> list[int]:
    """`total` things in `parts` groups of one at least."""
    extra = rng.multinomial(total - parts, np.full(parts, 1 / parts))
    return [1 + int(count) for count in extra]


def instances(writer: Writer, constituent: Constituent, split: int, part: float) -> list[Instance]:
    """The instances of one constituent and split; `part` of Table 2's numbers, one at least."""
    passages = max(1, round(constituent.passages[split] * part))
    total = max(passages, round(constituent.instances[split] * part))
    made = []
    for count in _spread(writer.rng, total, passages):
        passage = writer.passage(constituent.lengths[0])
        made += [writer.instance(constituent, SPLITS[split], passage) for _ in range(count)]
    return made


def candidates(writer: Writer, instances: list[Instance], part: float) -> Iterator[Candidate]:
    """The candidates to the instances of one constituent and split."""
    constituent, split = instances[0].constituent, SPLITS.index(instances[0].split)
    total = max(len(instances), round(constituent.candidates[split] * part))
    raters = 1 if split == 0 else 3 if constituent.generative else 2
    for instance, count in zip(instances, _spread(writer.rng, total, len(instances)), strict=True):
        earlier: list[tuple[str, float]] = []
        for position in range(count):
            system = constituent.systems[position % len(constituent.systems)]
            if earlier and writer.rng.random() < 0.03:
                text, quality = earlier[-1]
            else:
                # Many are poor; back-translations of the reference are mostly good.
                shape = (2.5, 1.2) if system in ("backtranslation", "human") else (0.7, 1.1)
                quality = float(writer.rng.beta(*shape))
                text = writer.answer(instance, quality)
            earlier.append((text, quality))
            key = f"{constituent.name}/{writer.key()}"
            yield Candidate(key, instance, text, system, writer.ratings(quality, raters))


def pairs(writer: Writer, instances: list[Instance], count: int) -> Iterator[Pair]:
    """Minimal pairs to some of the instances: a good answer, and one word of it changed."""
    for index in writer.rng.choice(len(instances), count, replace=count > len(instances)):
        instance = instances[index]
        better = instance.reference.split() + writer.words(2)
        worse = list(better)
        worse[int(writer.rng.integers(0, len(instance.reference.split())))] = writer.words(1)[0]
        if worse == better:
            worse.append(writer.words(1)[0])
        scores = (float(writer.rng.integers(4, 6)), float(writer.rng.integers(1, 4)))
        key = f"{instance.constituent.name}/{writer.key()}"
        phenomenon = str(writer.rng.choice(PHENOMENA))
        yield Pair(key, instance, " ".join(better), " ".join(worse), scores, phenomenon)


def _mocha_entry(instance: Instance) -> dict[str, Any]:
    return {
        "context": instance.passage,
        "question": instance.question,
        "reference": instance.reference,
    }


def _labelled(candidate: Candidate) -> dict[str, Any]:
    return {
        "candidate": candidate.text,
        **_mocha_entry(candidate.instance),
        "metadata": {"scores": candidate.ratings, "source": candidate.system},
        "score": candidate.score,
    }


def _unlabelled(candidate: Candidate) -> dict[str, Any]:
    entry = _labelled(candidate)
    del entry["score"], entry["metadata"]["scores"]
    return entry


def _paired(pair: Pair) -> dict[str, Any]:
    return {
        "candidate1": pair.better,
        "candidate2": pair.worse,
        **_mocha_entry(pair.instance),
        "score1": pair.scores[0],
        "score2": pair.scores[1],
    }


def _concord_instance(instance: Instance, split: str) -> dict[str, Any]:
    line = {
        "constituent": instance.constituent.name,
        "passage": instance.passage,
        "question": instance.question,
        "references": [instance.reference],
    }
    return {**line, "split": split} if split else line


def _concord_line(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.key,
        **_concord_instance(candidate.instance, candidate.instance.split),
        "candidate": candidate.text,
        "system": candidate.system,
        "scale": [1, 5],
        "score": candidate.score,
        "ratings": [
            {"worker": f"r{position}", "value": value}
            for position, value in enumerate(candidate.ratings, start=1)
        ],
    }


def _concord_pair(pair: Pair) -> dict[str, Any]:
    return {
        "id": pair.key,
        **_concord_instance(pair.instance, ""),
        "candidate1": pair.better,
        "score1": pair.scores[0],
        "candidate2": pair.worse,
        "score2": pair.scores[1],
        "phenomenon": pair.phenomenon,
        "scale": [1, 5],
    }


def _write_mocha(path: Path, entries: list[tuple[str, dict[str, Any]]]) -> None:
    document: dict[str, dict[str, Any]] = {}
    for key, entry in entries:
        constituent, _, name = key.partition("/")
        document.setdefault(constituent, {})[name] = entry
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(document, indent=4))


def _write_lines(file: TextIO, lines: Iterator[dict[str, Any]]) -> None:
    file.writelines(json.dumps(line) + "\n" for line in lines)


def write(folder: Path, seed: int, part: float = 1.0) -> dict[str, int]:
    """Write the seven files; returns how many candidates each split has, and the pairs.

    `part` scales Table 2's numbers down, for tests.
    """
    writer = Writer(np.random.default_rng(seed))
    folder.mkdir(parents=True, exist_ok=True)
    every: dict[str, list[Candidate]] = {split: [] for split in SPLITS}
    minimal: list[Pair] = []
    for constituent in TABLE_2:
        for number, split in enumerate(SPLITS):
            split_instances = instances(writer, constituent, number, part)
            every[split] += candidates(writer, split_instances, part)
            if split == "test" and constituent.generative:
                minimal += pairs(
                    writer, split_instances, max(1, round(PAIRS_PER_CONSTITUENT * part))
                )
    for split, made in every.items():
        _write_mocha(folder / f"{split}.json", [(c.key, _labelled(c)) for c in made])
    unlabelled = [(c.key, _unlabelled(c)) for c in every["test"]]
    _write_mocha(folder / "test_no_labels.json", unlabelled)
    # Whoever makes tables of this set then says so (bench/mocha_tables.py).
    (folder / "SYNTHETIC").write_text("Every word of this set is made up.\n", encoding="utf-8")
    _write_mocha(folder / "minimal_pairs.json", [(pair.key, _paired(pair)) for pair in minimal])
    with (folder / "judgments.jsonl").open("w", encoding="utf-8") as file:
        _write_lines(file, (_concord_line(c) for made in every.values() for c in made))
    with (folder / "pairs.jsonl").open("w", encoding="utf-8") as file:
        _write_lines(file, (_concord_pair(pair) for pair in minimal))
    return {split: len(made) for split, made in every.items()} | {"pairs": len(minimal)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="OUT_DIR")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fraction", type=float, default=1.0, help="of Table 2's numbers")
    parsed = parser.parse_args()
    if not 0 < parsed.fraction <= 1:
        parser.error("--fraction is a number above 0, 1 at most")
    counts = write(parsed.folder, parsed.seed, parsed.fraction)
    print(f"{parsed.folder}: " + ", ".join(f"{count:,} {name}" for name, count in counts.items()))


if __name__ == "__main__":
    main()
