"""Small judgment sets for tests, made as an import makes them."""

from __future__ import annotations

import json
from dataclasses import make_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

import scorers
from benchmarks.analyses import parameters
from benchmarks.analyses.registry import KINDS
from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs, scheduling, scoring
from benchmarks.sets.models import JudgmentSet, SetMember
from benchmarks.sets.services import importing, publishing
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts.models import TryOut
from concord.formats import ReadOptions, read_judgments, read_pairs
from core.accounts.roles import Role

WORDS = ("red", "green", "blue", "tall", "small", "boat", "house", "river", "bridge", "garden")

# One rating of the format esa, of the answer sysA/news-1/7.
ESA_ROW = (
    "r1,sysA,7,TGT,eng,deu,80,news-1,doc,"
    '"[{""start_i"": 0, ""end_i"": 2, ""severity"": ""minor""}]",1.0,2.0\n'
)


def candidate_lines(
    instances: int = 6, systems: tuple[str, ...] = ("a", "b")
) -> list[dict[str, Any]]:
    """Lines of concord-judgments: `instances` questions, an answer a system, two ratings each."""
    lines = []
    for number in range(instances):
        word, other = WORDS[number % len(WORDS)], WORDS[(number + 3) % len(WORDS)]
        for at, system in enumerate(systems):
            right = (number + at) % 3 != 0
            lines.append(
                {
                    "id": f"c{number}-{system}",
                    "instance": f"i{number}",
                    "constituent": ("stories", "facts")[number % 2],
                    "split": ("train", "dev", "test")[number % 3],
                    "category": ("NUMERIC", "PERSON")[number % 2],
                    "passage": f"The {word} {number} stood by the {other}.",
                    "question": f"What stood by the {other}?",
                    "references": [f"the {word} {number}", f"it was the {word}"],
                    "candidate": f"the {word} {number} {system}" if right else f"a {other}",
                    "system": system,
                    "scale": [1, 5],
                    "score": 4.5 if right else 1.5 + 0.25 * (number % 3),
                    "ratings": [
                        {"worker": f"w{number}", "value": 5 if right else 1, "group": "crowd"},
                        {"worker": f"w{number + 1}", "value": 4 if right else 2, "group": "crowd"},
                    ],
                }
            )
    return lines


def criteria_lines(instances: int = 6, *, with_score: bool = True) -> list[dict[str, Any]]:
    """`candidate_lines` with the criteria truth (1 to 5) and fluency (0 to 100), and error spans;
    `with_score`: also with the score and its ratings."""
    lines = candidate_lines(instances)
    for number, line in enumerate(lines):
        truth = {name: line[name] for name in ("scale", "score", "ratings")}
        if not with_score:
            line.pop("scale"), line.pop("score"), line.pop("ratings")
        fluency = 10 * ((7 * number) % 10)
        ratings = [
            {"worker": f"w{k}", "value": fluency + 3 * k, "group": ("crowd", "expert")[k % 2]}
            for k in range(3)
        ]
        line["criteria"] = {
            "truth": truth,
            "fluency": {"scale": [0, 100], "score": fluency, "ratings": ratings},
        }
        if number == 1:
            line["criteria"] = {"fluency": {"scale": [0, 100], "ratings": ratings}}
        if number % 4 == 0:
            spans = [
                {"start": 0, "end": 3, "severity": "major", "categories": ["Accuracy"]},
                {"start": None, "end": None, "severity": None},
            ]
            line["marks"] = [
                {"worker": "w1", "group": "expert", "spans": spans},
                {"worker": "w2", "simulated": True, "spans": []},
            ]
    return lines


def make_criteria_set(
    folder: Path, name: str = "several", instances: int = 6, *, with_score: bool = True
) -> JudgmentSet:
    """A public set of `criteria_lines`."""
    path = write_lines(folder / f"{name}.jsonl", criteria_lines(instances, with_score=with_score))
    judgments = read_judgments([path], "concord")
    return published(importing.import_judgments(name, judgments, at=now()))


def pair_lines(count: int = 4) -> list[dict[str, Any]]:
    return [
        {
            "id": f"p{number}",
            "passage": f"Pair {number} has a passage.",
            "question": "What is right?",
            "references": [f"the {WORDS[number]} one"],
            "candidate1": f"the {WORDS[number]}",
            "score1": 5,
            "candidate2": f"not the {WORDS[number]} one" if number % 2 else "no",
            "score2": 2,
            "phenomenon": ("negation", "word sense")[number % 2],
        }
        for number in range(count)
    ]


def judged_pair_lines() -> list[dict[str, Any]]:
    """Lines of concord-pairs: three people's choices between the two answers to each question of
    `candidate_lines`; they prefer the one with the higher score, and the second person ties."""
    lines = candidate_lines()
    pairs = []
    for number, (first, second) in enumerate(zip(lines[::2], lines[1::2], strict=True)):
        names = ("instance", "constituent", "split", "category", "passage", "question")
        better = 1 if first["score"] > second["score"] else 2
        choices = (better, "tie", better if number < 4 else 3 - better)
        pairs.append(
            {name: first[name] for name in (*names, "references")}
            | {
                "id": f"j{number}",
                "system1": "a",
                "candidate1": first["candidate"],
                "system2": "b",
                "candidate2": second["candidate"],
                "ratings": [
                    {"worker": f"w{k}", "choice": choice, "first_shown": 1 + (number + k) % 2}
                    for k, choice in enumerate(choices)
                ],
            }
        )
    return pairs


def make_judged_pairs_set(folder: Path, name: str = "judged") -> JudgmentSet:
    """A public set of `candidate_lines` with four minimal pairs and `judged_pair_lines`."""
    make_set(folder, name, pairs=4)
    path = write_lines(folder / f"{name}-judged.jsonl", judged_pair_lines())
    pairs = read_pairs([path], "concord")
    return published(importing.import_pairs(name, pairs, at=now()))


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def make_set(
    folder: Path, name: str = "small", pairs: int = 0, *, public: bool = True, **options: Any
) -> JudgmentSet:
    """A judgment set of made-up candidates (`candidate_lines`), with `pairs` minimal pairs."""
    path = write_lines(folder / f"{name}.jsonl", candidate_lines(**options))
    judgments = read_judgments([path], "concord", ReadOptions())
    minimal_pairs = None
    if pairs:
        minimal_pairs = read_pairs(
            [write_lines(folder / f"{name}-pairs.jsonl", pair_lines(pairs))], "concord"
        )
    made = importing.import_judgments(name, judgments, minimal_pairs, at=now())
    return published(made) if public else made


def published(judgment_set: JudgmentSet) -> JudgmentSet:
    publishing.publish(judgment_set, at=now())
    return judgment_set


def add_member(name: str, user: User, role: Role = Role.OWNER) -> SetMember:
    return SetMember.objects.create(set_name=name, user=user, role=role, since=now())


def ask_for_import(
    by: User,
    folder: Path,
    name: str = "new",
    lines: list[dict[str, Any]] | None = None,
    **more: Any,
) -> SetImport:
    """An import of made-up candidates, queued; `more` is of `imports.ImportFiles`."""
    file = write_lines(folder / "answers.jsonl", lines or candidate_lines())
    parameters = more.pop("parameters", imports.ImportParameters())
    files = imports.ImportFiles([file], **more)
    return imports.request(name, "concord", files, parameters, by=by, at=now())


TRIED = tryouts.TryOutTexts("Four steps.", ("There are four steps.",), "How many steps?")


def ask_for_tryout(by: User, metrics: str = "token-f1,bertscore-kpqa") -> TryOut:
    """A try-out of one made-up answer, with what the web process computes."""
    return tryouts.request(TRIED, scorers.parse_metrics(metrics), by=by, at=now())


def request(judgment_set: JudgmentSet, metrics: str, multi_ref: Any = "max") -> list[MetricRun]:
    parsed = scorers.parse_metrics(metrics, multi_ref=multi_ref)
    return runs.request_runs(judgment_set, parsed, at=now())


def score_here(judgment_set: JudgmentSet, metrics: str, multi_ref: Any = "max") -> list[MetricRun]:
    """Score in this process what a worker would: claim every chunk, score it, finish the runs."""
    requested = request(judgment_set, metrics, multi_ref)
    for run in requested:
        while chunks := scheduling.claim_chunks(run, at=now()):
            scoring.score_chunks(chunks)
    for run in MetricRun.objects.filter(pk__in=[run.pk for run in requested]):
        if run.is_active:
            assert scoring.finish_run(run)
    return [MetricRun.objects.get(pk=run.pk) for run in requested]


def set_default_draws(monkeypatch: pytest.MonkeyPatch, kind: str, draws: int) -> None:
    """Compute analyses of a kind with few draws where nothing else is requested."""
    description = KINDS[kind]
    fields = [("draws", int, parameters.draws_field(draws))]
    few = make_dataclass("Few", fields, bases=(description.parameters,), frozen=True, kw_only=True)
    monkeypatch.setitem(KINDS, kind, replace(description, parameters=few))
