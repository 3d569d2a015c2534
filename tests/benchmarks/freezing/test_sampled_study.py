"""A study that drew what people rate: frozen, shown, exported, and estimated by the library."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

import concord
from annotation.stages.models import CandidateDraw, StageSampling
from annotation.stages.services import continuing
from benchmarks.analyses import leaderboards
from benchmarks.analyses import services as analyses
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.exports.services import exports
from benchmarks.freezing import services as freezing
from benchmarks.sets.models import CandidateSampling, JudgmentSet
from benchmarks.sets.services import importing
from concord.formats import ReadOptions, read_judgments
from concord.sampling import SamplingRule, estimate_sampled
from tests.annotation import people
from tests.annotation.stages.sampled import rate_everything, sampled_study
from tests.benchmarks.factories import score_here
from tests.html import readable


@pytest.fixture
def frozen(rosa: User) -> JudgmentSet:
    study, worth = sampled_study(rosa, rule=SamplingRule("stratified", uniform_share=0.2))
    stage = people.open_stage(study)
    for _ in range(3):
        rate_everything(study, worth)
        continuing.continue_sampling(stage, at=now())
    # The last wave that was drawn, if the stage goes on, stays without ratings.
    made = freezing.freeze(study, "mean", by=rosa, at=now())
    score_here(made, "token-f1,bleu-1")
    return JudgmentSet.objects.get(pk=made.pk)


@pytest.fixture
def rosa_client(rosa: User) -> Client:
    client = Client()
    client.force_login(rosa)
    return client


def test_every_candidate_is_in_the_set_with_its_probabilities(frozen: JudgmentSet) -> None:
    assert frozen.candidates.count() == 160
    assert 0 < frozen.candidates.exclude(gold=None).count() < 160
    design = StageSampling.objects.get()
    stored = {
        key: (unit, p, drawn)
        for key, unit, p, drawn in CandidateSampling.objects.values_list(
            "candidate__key", "unit", "probabilities", "drawn"
        )
    }
    for draw in design.draws.select_related("candidate"):
        assert stored[draw.candidate.key] == (draw.unit, draw.probabilities, draw.drawn)
    assert frozen.has_unequal_sampling


def test_an_export_is_estimated_by_the_library_as_on_the_page(
    frozen: JudgmentSet, rosa_client: Client, tmp_path
) -> None:
    url = reverse("estimate", args=[str(frozen)])
    page = rosa_client.get(url, follow=True).content.decode()
    assert "Estimates</a> weigh by them" in " ".join(page.split())
    analysis = analyses.find_analysis("estimate", frozen, {"run": 0, "target": "set"})
    path = tmp_path / "frozen.jsonl"
    path.write_text("".join(exports.judgments(frozen)), encoding="utf-8")
    frame = concord.read_judgments(path)
    run = complete_board_runs(frozen)[0]
    scores = pd.DataFrame({run.metric: run.score_array[: len(frame)]}, index=frame["id"])
    report = estimate_sampled(frame, scores).to_json()
    shown = analysis.result["report"]
    assert shown["sampling"] == report["sampling"]
    for system, row in report["systems"].items():
        assert shown["systems"][system]["mean"] == row["mean"]
        assert tuple(shown["systems"][system]["ci"]) == tuple(row["ci"])
    again = importing.import_judgments(
        "again", read_judgments([path], "concord", ReadOptions()), None, at=now()
    )
    assert again.content_hash == frozen.content_hash
    assert again.has_unequal_sampling


def test_figures_without_weights_are_withheld(frozen: JudgmentSet, rosa_client: Client) -> None:
    board = rosa_client.get(reverse("leaderboard", args=[str(frozen)])).content.decode()
    assert "drawn with unequal probabilities" in " ".join(board.split())
    for name in ("comparison", "system-board", "correctness", "errors", "judges", "set-data"):
        answer = rosa_client.get(reverse(name, args=[str(frozen)]))
        assert answer.status_code == 200, name
    with pytest.raises(CommandError, match="unequal probabilities"):
        call_command("agreement", str(frozen))


def test_the_boards_correlations_are_weighted_as_by_the_library(
    frozen: JudgmentSet, tmp_path
) -> None:
    path = tmp_path / "frozen.jsonl"
    path.write_text("".join(exports.judgments(frozen)), encoding="utf-8")
    frame = concord.read_judgments(path)
    own = concord.leaderboard(frame, "token-f1,bleu-1")
    assert own.weighted and leaderboards.leaderboard(frozen).document.weighted
    rows = {row["metric"]: row for row in own.rows}
    for run in complete_board_runs(frozen):
        (overall,) = run.statistics["rows"][""]
        assert 0 < overall["n"] < 160
        for name in ("pearson", "spearman", "kendall"):
            assert overall[name]["value"] == rows[run.metric][name]["value"]
            assert overall[name].get("ci") == rows[run.metric][name].get("ci")


@pytest.mark.usefixtures("usual_draws")
def test_the_comparison_of_metrics_is_weighted_as_by_the_library(
    frozen: JudgmentSet, rosa_client: Client, tmp_path
) -> None:
    path = tmp_path / "frozen.jsonl"
    path.write_text("".join(exports.judgments(frozen)), encoding="utf-8")
    own = concord.compare(concord.read_judgments(path), "token-f1,bleu-1")
    analysis = analyses.request_analysis("agreement", frozen, {})
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    assert analysis.result["tests"] == own["tests"]
    board = leaderboards.leaderboard(frozen).rows
    for row in own["metrics"]:
        (same,) = [one for one in board if one["metric"] == row["metric"]]
        assert row["value"] == same["pearson"]["value"]
    page = readable(rosa_client.get(reverse("comparison", args=[str(frozen)])))
    assert "the jackknife over passages with design weights" in page
    for name, kind in (("comparison", "csv"), ("comparison", "tex"), ("matrix", "svg")):
        address = reverse("comparison-file", args=[str(frozen), name, kind])
        assert rosa_client.get(address).status_code == 200
    out = io.StringIO()
    call_command("comparison", str(frozen), stdout=out)
    assert "the jackknife over passages with design weights" in " ".join(out.getvalue().split())
    ranks = readable(rosa_client.get(reverse("leaderboard", args=[str(frozen)])))
    assert "metrics of different ranks need not differ" in ranks
    runs = {"run": [run.pk for run in complete_board_runs(frozen)]}
    side = rosa_client.get(reverse("side-by-side", args=[str(frozen)]), runs)
    assert side.status_code == 200


def test_what_stays_withheld_says_why(frozen: JudgmentSet) -> None:
    for kind in ("systems", "learning"):
        analysis = analyses.request_analysis(kind, frozen, {})
        analyses.ANALYSES.perform(analysis.pk)
        analysis.refresh_from_db()
        assert "have no weighted form" in analysis.reason, kind


def test_a_uniform_design_has_its_board(rosa: User) -> None:
    study, worth = sampled_study(rosa, rule=SamplingRule(), wave=40)
    people.open_stage(study)
    rate_everything(study, worth)
    made = freezing.freeze(study, "mean", by=rosa, at=now())
    assert not made.has_unequal_sampling
    assert np.isfinite(np.frombuffer(bytes(made.gold_scores))).sum() > 40


def test_a_copy_without_a_draw_has_its_originals(rosa: User) -> None:
    study, worth = sampled_study(rosa, rule=SamplingRule(), wave=40)
    people.open_stage(study)
    drawn, not_drawn = (
        CandidateDraw.objects.filter(drawn=wave).order_by("candidate__position")[0]
        for wave in (1, None)
    )
    for draw in (drawn, not_drawn):
        original = draw.candidate
        position = study.candidates.count()
        study.candidates.create(
            instance=original.instance, position=position, key=f"copy {position}",
            text=original.text, system=original.system, same_as=original,
        )  # fmt: skip
    rate_everything(study, worth)
    made = freezing.freeze(study, "mean", by=rosa, at=now())
    assert made.candidates.count() == CandidateSampling.objects.count() == 162
    copy, other = CandidateSampling.objects.filter(candidate__key__startswith="copy").order_by(
        "candidate__key"
    )
    assert (copy.unit, copy.probabilities, copy.drawn) == (drawn.unit, drawn.probabilities, 1)
    assert copy.candidate.gold == worth[drawn.candidate.key]
    assert other.drawn is None and other.candidate.gold is None
