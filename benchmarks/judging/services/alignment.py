"""The versions of a judge: what changed between them, and how each agrees with people.

The passages of the train part may be read to change a prompt, and choose the version. The others
are held out: all versions are compared on them, and no text or label of them is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses.kinds.judge.computation import judged_sample
from benchmarks.analyses.samples import oriented_scores, people_scale
from benchmarks.errors.word_differences import WordPiece, word_differences
from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services.versions import seen_candidates, train_part
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import frames
from concord.inference import MIN_CLUSTERS, Estimate, clustered_mean
from concord.judges import grades_from_scores, is_on_scale
from concord.meta import pearson
from concord.sentences import counted

SHOWN = 20
COMPARED = {
    "model": "model",
    "endpoint": "server",
    "low": "lowest score",
    "high": "highest score",
    "shots": "examples",
    "train_split": "split of the examples",
    "seed": "seed of the examples",
    "temperature": "temperature",
    "repeats": "answers about each candidate",
    "max_completion": "most tokens of an answer",
    "logprobs": "log-probabilities",
    "json_schema": "answers by JSON schema",
    "answered_model": "version that answered",
}


@dataclass(frozen=True)
class VersionAgreement:
    """A version on people's scores. train, test: Pearson's r on the train part and on the held-out
    passages, of candidates that every version judged. own, line, isotonic: its mean distance from
    people on the held-out passages, of its own scores (undefined where they are not on people's
    scale) and of grades by a line and by a rising curve that are fitted on other held-out
    passages."""

    train: Estimate
    test: Estimate
    own: Estimate
    line: Estimate
    isotonic: Estimate


@dataclass(frozen=True)
class VersionChoice:
    """by_version: by the judge's primary key. chosen: the version that is best on the train part;
    None where no version has an r there. items, passages: held out. reason: why there are no
    figures."""

    by_version: dict[int, VersionAgreement]
    chosen: int | None
    items: int
    passages: int
    reason: str = ""


@dataclass(frozen=True)
class VersionRow:
    """changes: (what, before, after), prompt and examples apart. prompts: those of the version
    before and of this one, in pieces, where they differ. agreement: None without scores."""

    judge: ModelJudge
    changes: list[tuple[str, object, object]]
    prompts: tuple[list[WordPiece], list[WordPiece]] | None
    agreement: VersionAgreement | None


@dataclass(frozen=True)
class JudgeDisagreement:
    """A candidate on which the judge is far from people. grade: the judge's, on people's scale: its
    own score where it has that scale, else one that is fitted on other passages. answer: what the
    model wrote."""

    candidate: Candidate
    grade: float
    gold: float
    answer: str


def versions_of(judge: ModelJudge) -> list[ModelJudge]:
    """All versions of a judge, earliest first: those with the same first version."""
    rows = ModelJudge.objects.filter(judgment_set=judge.judgment_set)
    by_key = {one.pk: one for one in rows.order_by("created_at", "pk")}

    def first(one: ModelJudge) -> int:
        while one.previous_id in by_key:
            one = by_key[one.previous_id]
        return one.pk

    same = [one for one in by_key.values() if first(one) == first(by_key[judge.pk])]
    for one in same:
        one.judgment_set = judge.judgment_set
    return same


def version_rows(versions: list[ModelJudge], choice: VersionChoice) -> list[VersionRow]:
    """The versions with what changed since the version before each."""
    by_key = {one.pk: one for one in versions}
    rows = []
    for one in versions:
        before = by_key.get(one.previous_id or 0)
        changes, prompts = [], None
        if before is not None:
            pairs = [
                (label, getattr(before, name), getattr(one, name))
                for name, label in COMPARED.items()
            ]
            changes = [pair for pair in pairs if pair[1] != pair[2]]
            if before.template != one.template:
                prompts = word_differences(before.template, one.template)
        rows.append(VersionRow(one, changes, prompts, choice.by_version.get(one.pk)))
    return rows


def compare(judgment_set: JudgmentSet, versions: list[ModelJudge]) -> VersionChoice:
    """The complete versions on the same passages. Left out of the held-out ones are those that
    somebody read to change a version."""
    complete = [one for one in versions if one.submission_id is not None and not one.is_of_pairs]
    seen = np.zeros(judgment_set.n_candidates, dtype=np.bool_)
    for one in complete:
        seen |= seen_candidates(one)
    runs = MetricRun.objects.filter(
        submission__in=[one.submission_id for one in complete], status=MetricRun.Status.COMPLETE
    )
    by_submission = dict(runs.values_list("submission_id", "pk"))
    scored = {
        one.pk: by_submission[one.submission_id]
        for one in complete
        if one.submission_id in by_submission
    }
    if not scored:
        return _without_figures("no version has scores yet")
    train = train_part(judgment_set)
    if not train.any():
        return _without_figures(
            "every passage has hidden labels, so that none may be read to change the prompt"
        )
    return _compare(
        judgment_set.pk, tuple(scored), tuple(scored.values()), train.tobytes(), seen.tobytes()
    )


def disagreements(judge: ModelJudge) -> list[JudgeDisagreement]:
    """The largest disagreements of a complete judge with people in the train part.

    Raises RefusedError where too few candidates have both.
    """
    judgment_set = judge.judgment_set
    run = MetricRun.objects.defer(None).get(submission=judge.submission_id)
    sample = judged_sample(judgment_set, run)
    distance = np.abs(sample.labels.values - sample.gold)
    distance[~train_part(judgment_set)[sample.positions]] = 0.0
    farthest = [row for row in np.argsort(-distance, kind="stable")[:SHOWN] if distance[row]]
    positions = sample.positions[farthest].tolist()
    answers = judge.answers.filter(variant="", repeat=0, position__in=positions)
    texts = dict(answers.values_list("position", "raw"))
    candidates = judgment_set.candidates.filter(position__in=positions).with_instance()
    by_position = {candidate.position: candidate for candidate in candidates}
    return [
        JudgeDisagreement(
            by_position[position],
            float(sample.labels.values[row]),
            float(sample.gold[row]),
            texts.get(position, ""),
        )
        for row, position in zip(farthest, positions, strict=True)
    ]


# A version of a set never changes, nor do the scores of a complete run.
@lru_cache(maxsize=32)
def _compare(
    pk: int, keys: tuple[int, ...], run_pks: tuple[int, ...], train: bytes, seen: bytes
) -> VersionChoice:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    frame = frames.frame(judgment_set)
    runs = MetricRun.objects.defer(None).in_bulk(run_pks)
    scores = np.stack([oriented_scores(runs[one])[: frame.n_candidates] for one in run_pks])
    is_train = np.frombuffer(train, dtype=np.bool_)
    read = np.isin(frame.clusters, frame.clusters[np.frombuffer(seen, dtype=np.bool_)])
    used = np.flatnonzero(frame.judged & (is_train | ~read))
    gold, clusters = frame.gold[used], frame.clusters[used]
    scores, is_train = scores[:, used], is_train[used]
    # A version with examples of the train part did not judge it.
    judged = np.isfinite(scores)
    in_train = is_train & judged[(judged & is_train).any(axis=1)].all(axis=0)
    test = ~is_train & judged.all(axis=0)
    for rows, part in ((in_train, "train part has"), (test, "held-out part has")):
        if (passages := len(np.unique(clusters[rows]))) < MIN_CLUSTERS:
            return _without_figures(
                f"the {part} {counted(passages, 'passage')} that every version judged; "
                f"{MIN_CLUSTERS} or more are needed"
            )
    scale = people_scale(judgment_set)
    by_version = {
        key: _agreement(own, gold, clusters, in_train, test, scale)
        for key, own in zip(keys, scores, strict=True)
    }
    on_train = {key: one.train.value for key, one in by_version.items()}
    known = {key: r for key, r in on_train.items() if r is not None}
    return VersionChoice(
        by_version,
        max(known, key=known.__getitem__) if known else None,
        int(np.count_nonzero(test)),
        len(np.unique(clusters[test])),
    )


def _agreement(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    clusters: NDArray[np.int64],
    train: NDArray[np.bool_],
    test: NDArray[np.bool_],
    scale: tuple[float, float],
) -> VersionAgreement:
    own, people, passages = scores[test], gold[test], clusters[test]
    return VersionAgreement(
        pearson(scores[train], gold[train], clusters[train])
        if np.isfinite(scores[train]).all()
        else Estimate(None, reason="it did not judge the train part"),
        pearson(own, people, passages),
        _distance(own, people, passages)
        if is_on_scale(own, scale)
        else Estimate(None, reason="its scores are not on people's scale"),
        _distance(grades_from_scores(own, people, passages, scale), people, passages),
        _distance(
            grades_from_scores(own, people, passages, scale, curve="isotonic"), people, passages
        ),
    )


def _distance(
    grades: NDArray[np.float64], gold: NDArray[np.float64], clusters: NDArray[np.int64]
) -> Estimate:
    return clustered_mean(np.abs(grades - gold), clusters)


def _without_figures(reason: str) -> VersionChoice:
    return VersionChoice({}, None, 0, 0, reason)
