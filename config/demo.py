"""The demo set and the demo study, which `manage.py run` makes."""

from __future__ import annotations

import sys

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils.timezone import now

import scorers
from annotation.setup.services import publishing
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies import intake
from annotation.studies.models import Stage, Study
from annotation.studies.services.candidates import add_items
from benchmarks.analyses import services as analyses
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord import demo
from concord.protocols import HitRules, Pay, Protocol, RatingRule, ScalePoint
from config.documentation import searching
from core.refusals import RefusedError

# The group of raters that the pages of the demo set show first.
RATERS = "crowd"
# Rated candidates of the study, and its simulated raters.
STUDY_CANDIDATES = 48
STUDY_RATERS = 9
PROTOCOL = Protocol(
    scale=(
        ScalePoint(1, "wrong"),
        ScalePoint(2, "mostly wrong"),
        ScalePoint(3, "half right"),
        ScalePoint(4, "mostly right"),
        ScalePoint(5, "right"),
    ),
    question="How well does the answer answer the question?",
    instructions="Read the passage and the question. Judge the answer by its meaning.",
    rating_rules=(RatingRule(3),),
    hit=HitRules(max_candidates=6, same_passage=True),
    pay=Pay(cents_per_full_hit=30),
)


def show_demo(is_brief: bool = False) -> None:
    """Import the demo set if it is missing, score it, rank its metrics and print its leaderboard.

    is_brief: print a line instead where all is there already. If a metric fails, its error is
    printed, the others go on, and the exit status is 1.
    """
    if not JudgmentSet.objects.filter(name=demo.SET_NAME).exists():
        call_command(
            "import_judgments",
            str(demo.FOLDER / "judgments.jsonl"),
            format="concord",
            name=demo.SET_NAME,
            title="Demo: questions on short texts",
            description="Invented instances, answers and ratings that show how Concord works. They "
            "are no real judgments.",
            illustrative=True,
            publish=True,
            pairs=demo.FOLDER / "pairs.jsonl",
        )
    if is_brief and not _metrics_to_score():
        print("The demo set and its scores are there.")
        return
    has_failed = False
    try:
        call_command("score", demo.SET_NAME, metrics="all", watch=True)
    except CommandError as error:
        print(error, file=sys.stderr)
        has_failed = True
    call_command("leaderboard", demo.SET_NAME)
    _compute_analysis("agreement")  # the first page shows which metrics share rank 1
    if has_failed:
        raise SystemExit(1)


def _metrics_to_score() -> set[str]:
    """The metrics without complete scores of the demo set."""
    complete = MetricRun.objects.filter(
        judgment_set__name=demo.SET_NAME, status=MetricRun.Status.COMPLETE
    )
    return {*scorers.ready_names()} - {*complete.values_list("metric", flat=True)}


def show_more(owner_name: str) -> None:
    """What is not needed at once: the text that the documentation's search reads, longer analyses
    of the demo set, and the demo study."""
    searching.texts()
    for kind in ("systems", "plane", "plan"):
        _compute_analysis(kind)
    _compute_analysis("judges", raters=RATERS)
    simulate_study(owner_name)


def _compute_analysis(kind: str, **parameters: str) -> None:
    """Compute an analysis of the demo set unless it is stored."""
    judgment_set = JudgmentSet.objects.filter(name=demo.SET_NAME).latest_versions().get()
    try:
        analyses.ANALYSES.perform(analyses.request_analysis(kind, judgment_set, parameters).pk)
    except RefusedError as error:
        print(error, file=sys.stderr)


def simulate_study(owner_name: str) -> None:
    """Make the demo study if it is missing, and let simulated raters rate it.

    It has the first candidates of the demo set. It is published; its page says that its ratings
    are simulated.
    """
    if Study.all_rows.filter(slug=demo.STUDY_NAME).exists():
        return
    owner = get_user_model().objects.get(username=owner_name)
    study = create_study(
        demo.STUDY_NAME,
        "Demo: a simulated study",
        PROTOCOL,
        source=StudySource("blank"),
        owner=owner,
        seed=1,
        at=now(),
    )
    candidates = intake.read_items(demo.FOLDER / "judgments.jsonl", "concord")
    add_items(study, candidates[:STUDY_CANDIDATES])
    opening.open_stage(study.stages.get(kind=Stage.Kind.FULL), by=owner, at=now())
    publishing.publish(study, at=now())
    call_command("simulate_crowd", demo.STUDY_NAME, workers=STUDY_RATERS, seed=3)
