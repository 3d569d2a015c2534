"""BERTScore compared with the package bert-score, and edge cases."""

import itertools
import json
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from concord.metrics.items import Corpus
from scorers import Item, MetricError, Session, parse_metrics
from scorers.encoders import DEFAULT, Encoder, locate
from scorers.errors import EncoderError
from tests.scorers.commands import command
from tests.scorers.scorer_texts import kpqa

CANDIDATES = [
    "The cat sat on the mat.",
    "no , there are seven steps",
    "It is a guy, I think.",
    "Paris",
    "unaffable words wordpieces electroencephalography",
    "a a a a b",
]
REFERENCES = [
    "A cat is sitting on a mat.",
    "Four steps are involved in a hypothesis test.",
    "no it is a girl",
    "The capital of France is Paris, of course.",
    "words",
    "b a",
]


@pytest.fixture(scope="module")
def package() -> Any:
    """The package's scorer on the default encoder, by layer and idf."""
    from bert_score import BERTScorer

    def score(
        candidates: list[str], references: list[Any], layer: int, idf: bool
    ) -> tuple[np.ndarray, ...]:
        flat = (
            references if isinstance(references[0], str) else list(chain.from_iterable(references))
        )
        scorer = BERTScorer(
            model_type=str(locate(DEFAULT).folder),
            num_layers=layer,
            idf=idf,
            idf_sents=flat if idf else None,
            device="cpu",
            nthreads=0,  # else it forks for the idf, which a process with threads may not survive
        )
        return tuple(part.double().numpy() for part in scorer.score(candidates, references))

    return score


def score_items(session: Session, items: list[Item], layer: int, idf: bool) -> list[np.ndarray]:
    options = f"(layer={layer},idf={str(idf).lower()})"
    names = [f"bertscore-p{options}", f"bertscore-r{options}", f"bertscore{options}"]
    metrics = parse_metrics(",".join(names))
    return list(session.score_all(metrics, items).values())


@pytest.mark.parametrize(("layer", "idf"), list(itertools.product((1, 3, 6), (False, True))))
def test_scores_equal_the_packages(session: Session, package: Any, layer: int, idf: bool) -> None:
    items = [Item(c, (r,)) for c, r in zip(CANDIDATES, REFERENCES, strict=True)]
    expected = package(CANDIDATES, REFERENCES, layer, idf)
    for actual, other in zip(score_items(session, items, layer, idf), expected, strict=True):
        assert np.abs(actual - other).max() < 1e-5


@pytest.mark.parametrize("idf", [False, True])
def test_several_references_take_the_best_p_r_and_f_apart(
    session: Session, package: Any, idf: bool
) -> None:
    references = [[r, REFERENCES[(i + 1) % 6]] for i, r in enumerate(REFERENCES)]
    items = [Item(c, tuple(rs)) for c, rs in zip(CANDIDATES, references, strict=True)]
    expected = package(CANDIDATES, references, 6, idf)
    for actual, other in zip(score_items(session, items, 6, idf), expected, strict=True):
        assert np.abs(actual - other).max() < 1e-5


@pytest.mark.parametrize("idf", [False, True])
def test_scores_of_real_answers_equal_the_packages(
    session: Session, package: Any, concord_data: Path, idf: bool
) -> None:
    items, _ = kpqa(concord_data, "avsd_all", 1)
    items = items[:200]
    candidates = [item.candidate for item in items]
    references = [item.references[0] for item in items]
    expected = package(candidates, references, 6, idf)
    actual = score_items(session, items, 6, idf)
    differing = {
        int(place)
        for one, other in zip(actual, expected, strict=True)
        for place in np.flatnonzero(np.abs(one - other) > 1e-5)
    }
    # The padding of its batch decided these (see below); by themselves they agree.
    assert len(differing) <= 4
    for place in () if idf else differing:
        alone = package(candidates[place : place + 1], references[place : place + 1], 6, False)
        for one, other in zip(actual, alone, strict=True):
            assert one[place] == pytest.approx(other[0], abs=1e-5)


def test_scores_do_not_depend_on_padding_as_in_the_package(package: Any) -> None:
    """A negative best cosine: 0 in a padded batch of the package, itself when the pair is alone."""
    import torch
    from bert_score.utils import greedy_cos_idf

    one = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]])
    other = torch.tensor([[[1.0, 0.0], [0.6, 0.8], [0.8, 0.6], [1.0, 0.0]]])
    weights = torch.tensor([[0.0, 0.0, 1.0]])
    full, short = torch.tensor([[1, 1, 1]]), torch.tensor([[1, 1, 1, 0]])
    even = torch.full((1, 4), 0.25)
    padded = greedy_cos_idf(other, short, even, one, full, weights)[0]
    alone = greedy_cos_idf(other[:, :3], short[:, :3], even[:, :3], one, full, weights)[0]
    assert float(padded) == 0.0
    assert float(alone) == pytest.approx(-0.6, abs=1e-6)

    from scorers.bertscore.matching import best_cosines

    of_candidate, _ = best_cosines(one[0].numpy(), other[0, :3].numpy())
    assert of_candidate[2] == pytest.approx(-0.6, abs=1e-6)


def test_a_score_does_not_depend_on_other_items(session: Session) -> None:
    items = [Item(c, (r,), q) for c, r, q in zip(CANDIDATES, REFERENCES, "abcdef", strict=True)]
    metrics = parse_metrics(
        "bertscore,sentence-similarity,bertscore(layer=2),bleu-1-kpqa,rouge-l-kpqa,bertscore-kpqa"
    )
    together = session.score_all(metrics, items)
    with Session() as fresh:
        for place in (0, 4):
            alone = fresh.score_all(metrics, items[place : place + 1])
            for name, scores in alone.items():
                assert scores[0] == pytest.approx(together[name][place], abs=1e-6), name


def test_several_metrics_on_one_encoder_read_each_text_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from scorers.encoders import Encoder

    read: list[int] = []
    encode = Encoder.encode

    def counted(self: Encoder, inputs: Any, layers: Any, done: Any = None) -> Any:
        read.append(len(inputs))
        return encode(self, inputs, layers, done)

    monkeypatch.setattr(Encoder, "encode", counted)
    items = [Item(c, (r,), "who?") for c, r in zip(CANDIDATES, REFERENCES, strict=True)]
    with Session() as fresh:
        fresh.score_all(
            parse_metrics("bertscore-p,bertscore,bertscore(layer=1),sentence-similarity"), items
        )
        fresh.score_all(parse_metrics("bertscore-r"), items)
    assert sum(read) == len({*CANDIDATES, *REFERENCES})


def test_edges_have_scores(session: Session) -> None:
    items = [
        Item("", ("a reference",)),
        Item("an answer", ("",)),
        Item("", ("",)),
        Item("word " * 5000, ("word",)),
        Item("😀 שלום \ud800", ("😀",)),
        Item("the", tuple(f"reference number {i}" for i in range(1000))),
    ]
    scores = session.score_all(parse_metrics("bertscore,sentence-similarity"), items)
    assert scores["bertscore"][:3].tolist() == [0.0, 0.0, 0.0]
    for values in scores.values():
        assert np.isfinite(values).all()
        assert (np.abs(values) <= 1).all()
    assert scores["sentence-similarity"][2] == pytest.approx(1.0)


def test_idf_scores_carry_the_fingerprint_of_their_set() -> None:
    (metric,) = parse_metrics("bertscore(idf=true)")
    corpus = Corpus.from_references([("a b",), ("c",)])
    assert f"corpus:{corpus.fingerprint}" in metric.signature(corpus)
    with pytest.raises(ValueError, match="depends on the set"):
        metric.signature()


def test_another_precision_is_another_signature(session: Session) -> None:
    full, half = parse_metrics("bertscore,bertscore(dtype=bf16)")
    assert full.signature() != half.signature()
    items = [Item(CANDIDATES[0], (REFERENCES[0],))]
    scores = session.score_all([full, half], items)
    assert scores[half.name][0] == pytest.approx(scores[full.name][0], abs=0.02)


def test_the_error_of_an_option_lists_the_allowed_values() -> None:
    with pytest.raises(MetricError, match="whole number"):
        parse_metrics("bertscore(layer=-1)")
    with pytest.raises(MetricError, match="float32, bf16, fp16"):
        parse_metrics("bertscore(dtype=int8)")


def test_rescaling_is_linear_and_the_baseline_shipped_is_the_default_encoders(
    session: Session,
) -> None:
    items = [Item(c, (r,)) for c, r in zip(CANDIDATES, REFERENCES, strict=True)]
    raw, rescaled = parse_metrics("bertscore,bertscore(rescale=true)")
    scores = session.score_all([raw, rescaled], items)
    from scorers.bertscore.baseline import Baseline

    base = Baseline.of("true", DEFAULT).at(6)[2]
    assert scores[rescaled.name] == pytest.approx((scores["bertscore"] - base) / (1 - base))


def test_the_baseline_command_writes_what_the_option_reads(tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(CANDIDATES + REFERENCES), encoding="utf-8")
    out = tmp_path / "base.json"
    done = command("baseline", str(texts), "--out", str(out), "--pairs", "50", "--seed", "3")
    assert done.returncode == 0, done.stderr
    row = json.loads(out.read_text())
    assert len(row["layers"]) == 7
    assert (row["pairs"], row["seed"]) == (50, 3)
    (metric,) = parse_metrics(f"bertscore(rescale={out})")
    with Session() as fresh:
        assert np.isfinite(fresh.score(metric, [Item("a cat", ("a dog",))])).all()


def test_a_baseline_of_another_encoder_is_refused(tmp_path: Path) -> None:
    from scorers.bertscore.baseline import Baseline

    path = tmp_path / "base.json"
    Baseline("other", "0" * 64, ((0.1, 0.1, 0.1),) * 7, 1, 1, "x").write(path)
    (metric,) = parse_metrics(f"bertscore(rescale={path})")
    with pytest.raises(EncoderError, match="belongs to other, not to all-MiniLM-L6-v2"):
        metric.signature()


def test_scoring_with_a_model_can_be_stopped_from_its_progress() -> None:
    items = [Item(f"answer number {i}", ("a reference",)) for i in range(50)]
    calls: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) == 5:
            raise KeyboardInterrupt

    with Session() as fresh, pytest.raises(KeyboardInterrupt):
        fresh.score_all(parse_metrics("bertscore"), items, progress=stop)
    assert calls == [(0, 50)] * 5


MANY = tuple(f"answer number {number}" for number in range(14))


@pytest.mark.parametrize("metric", ["bertscore", "sentence-similarity", "bertscore-kpqa"])
def test_with_many_references_a_text_is_encoded_once(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Candidates of one instance share its references in every chunk."""
    encoded: list[tuple[int, ...]] = []
    encode = Encoder.encode

    def counted(self: Encoder, inputs: Any, *rest: Any) -> Any:
        encoded.extend(tuple(row.ids) for row in inputs)
        return encode(self, inputs, *rest)

    monkeypatch.setattr(Encoder, "encode", counted)
    items = [Item(f"it is {number}", MANY, question="Which?") for number in range(6)]
    (parsed,) = parse_metrics(metric)
    with Session() as session:
        for chunk in (items[:3], items[3:]):
            session.score(parsed, chunk)
    assert len(encoded) == len(set(encoded)) == len(MANY) + len(items)
