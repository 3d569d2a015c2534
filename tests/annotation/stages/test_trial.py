"""What a trial's ratings are to the full collection: counted, or kept apart."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.quality.services import ledgers
from annotation.quality.services.gold import study_gold
from annotation.quality.services.rating_data import (
    collect_gold_ratings,
    collect_ratings,
    gold_stages,
)
from annotation.rating.models import Assignment, Hit, Participation
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import Answer
from annotation.setup.services import next_steps
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services import missing_ratings, opening, stage_figures, stage_plans
from annotation.studies.models import Stage, Study
from concord.protocols import HitRules, Protocol, RatingRule, Trial
from core.refusals import RefusedError
from tests.annotation import people


def study_with_trial(owner: User, trial: Trial, ratings: int = 4) -> Study:
    protocol = people.protocol(trial=trial, rating_rules=(RatingRule(ratings),))
    return people.new_study(owner, protocol, people.candidates(4, each=4))


def tried(study: Study, names: str) -> tuple[Stage, list[Participation]]:
    """The trial, rated by workers of these names and closed."""
    trial = people.open_stage(study, "trial")
    crowd = [people.join(study, name) for name in names]
    for worker in crowd:
        people.rate(trial, worker)
    opening.close_stage(trial, at=now())
    return study.stages.get(kind="trial"), crowd


def ratings_of(study: Study) -> Counter[int]:
    """How many ratings each candidate has."""
    ratings = collect_ratings(study).ratings
    return Counter(Counter(ratings.units.tolist()).values())


@pytest.mark.parametrize("max_candidates", [1, 2, 4])
def test_a_team_as_large_as_the_required_ratings_finishes_a_study_with_a_trial(
    rosa: User, max_candidates: int
) -> None:
    """Nobody rates a candidate twice, so what the trial brought must not be asked for again."""
    protocol = people.protocol(
        trial=Trial(candidates=10, ratings=2), hit=HitRules(max_candidates=max_candidates)
    )
    study = people.new_study(rosa, protocol, people.candidates(4, each=4))
    trial, crowd = tried(study, "abcd")
    assert not trial.hits.filter(open_slots__gt=0).exists()
    full = people.open_stage(study, "full")
    assert stage_figures.stage_cost(full).ratings == 16 * 4 - 10 * 2
    planned = stage_plans.planned_hits(full)
    for worker in crowd:
        people.rate(full, worker)
    assert stage_plans.planned_hits(full) == planned, "a plan of what was opened stays"
    assert not Hit.objects.filter(stage=full, open_slots__gt=0).exists()
    assert ratings_of(study) == {4: 16}
    assert missing_ratings.candidates_missing_ratings(full) == []


def test_ratings_expected_from_a_trial_are_not_in_the_full_stages_cost(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=2))
    assert stage_figures.study_cost(study).ratings == 16 * 4, "while it is planned"
    people.open_stage(study, "trial")
    assert stage_figures.study_cost(study).ratings == 16 * 4, "while it is open"
    assert stage_figures.stage_cost(study.stages.get(kind="full")).ratings == 16 * 4 - 10 * 2


def test_a_trial_that_is_not_counted_saves_no_ratings(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=2))
    assert stage_figures.stage_cost(people.open_stage(study, "full")).ratings == 16 * 4
    with pytest.raises(RefusedError, match="trial cannot be opened"):
        people.open_stage(study, "trial")
    assert stage_figures.study_cost(study).ratings == 16 * 4
    opening.close_stage(study.stages.get(kind="full"), at=now())
    assert next_steps.next_step(study).page == "study-quality", "the way goes on"


def test_a_trial_that_counts_ends_for_good_before_the_full_stage(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=2))
    trial = people.open_stage(study, "trial")
    people.rate(trial, people.join(study, "a"))
    with pytest.raises(RefusedError, match="Close the trial stage first"):
        people.open_stage(study, "full")
    opening.close_stage(trial, at=now())
    full = people.open_stage(study, "full")
    assert stage_figures.stage_cost(full).ratings == 16 * 4 - 10
    with pytest.raises(RefusedError, match="trial cannot be opened"):
        people.open_stage(study, "trial")


def test_an_expired_assignment_of_the_trial_provides_no_ratings(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=2))
    trial = people.open_stage(study, "trial")
    assignment = handing_out.hand_out(people.join(study, "a").worker, trial, at=now())
    assert assignment is not None
    opening.close_stage(trial, at=now())
    size = assignment.hit.members.count()
    assert stage_figures.stage_cost(study.stages.get(kind="full")).ratings == 16 * 4 - size
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=now() - timedelta(seconds=1))
    full = people.open_stage(study, "full")
    assert stage_figures.stage_cost(full).ratings == 16 * 4
    for name in "bcde":
        people.rate(full, people.join(study, name))
    for member in assignment.hit.members.all():
        handing_out.save_rating(assignment, member.candidate_id, Answer(3), at=now())
    late = handing_out.submit(assignment, at=now())
    assert late.status == Assignment.Status.SURPLUS, "paid, and not asked for twice"
    assert ratings_of(study) == {4: 16} and missing_ratings.candidates_missing_ratings(full) == []


def test_an_expired_assignment_waits_for_another_worker_and_is_not_missing(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=2))
    full = people.open_stage(study, "full")
    assignment = handing_out.hand_out(people.join(study, "a").worker, full, at=now())
    assert assignment is not None
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=now() - timedelta(seconds=1))
    assert missing_ratings.candidates_missing_ratings(full) == []


def test_a_trial_that_does_not_count_is_separate(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=2, counted=False))
    trial, _ = tried(study, "ab")
    full = people.open_stage(study, "full")
    assert stage_figures.stage_cost(full).ratings == 16 * 4
    for name in "cdef":
        people.rate(full, people.join(study, name))
    assert (
        missing_ratings.candidates_missing_ratings(full)
        == []
        == missing_ratings.candidates_missing_ratings(trial)
    )
    assert ratings_of(study) == {4: 6, 6: 10}
    gold = study_gold(study, "mean")
    assert gold.stages == ("full",) and gold.kept == 16 * 4
    assert len(collect_gold_ratings(study)) == 16 * 4
    assert study_gold(study, "mean", ["trial", "full"]).kept == 16 * 4 + 10 * 2


def test_the_full_stage_replaces_trial_ratings_of_an_excluded_rater(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=4))
    trial, crowd = tried(study, "abcd")
    full = people.open_stage(study, "full")
    assert stage_figures.stage_cost(full).candidates == 6
    for worker in crowd:
        people.rate(full, worker)
    assert missing_ratings.candidates_missing_ratings(full) == []
    ledgers.exclude_worker(crowd[0], "noise", by=rosa, at=now())
    assert missing_ratings.candidates_missing_ratings(trial) == []
    short = missing_ratings.candidates_missing_ratings(full)
    assert len(short) == 16 and {lacking for _, lacking in short} == {1}
    opening.top_up(full)
    people.rate(full, people.join(study, "e"))
    assert missing_ratings.candidates_missing_ratings(full) == []


def test_a_trial_with_all_ratings_leaves_no_stage_to_open(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=16, ratings=4))
    tried(study, "abcd")
    with pytest.raises(RefusedError, match="the trial provides all of them"):
        people.open_stage(study, "full")
    assert stage_plans.needs_no_ratings(study.stages.get(kind="full"))
    assert next_steps.next_step(study).page == "study-quality", "the way goes on"


def test_an_old_protocol_counts_its_trial() -> None:
    stored = people.protocol(trial=Trial(candidates=4, ratings=2)).to_json()
    del stored["trial"]["counted"]
    trial_rules = Protocol.from_json(stored).trial
    assert trial_rules == Trial(candidates=4, ratings=2, counted=True)


def test_instructions_changed_after_a_trial_can_exclude_the_trial(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=2))
    tried(study, "ab")
    full = study.stages.get(kind="full")
    assert stage_figures.stage_cost(full).ratings == 16 * 4 - 10 * 2
    mended = people.protocol(trial=Trial(candidates=10, ratings=2, counted=False))
    change_protocol(study, mended, at=now())
    full = study.stages.select_related("study").get(kind="full")
    assert stage_figures.stage_cost(full).ratings == 16 * 4


def test_ratings_of_a_trial_that_no_longer_counts_are_requested(rosa: User) -> None:
    study = study_with_trial(rosa, Trial(candidates=10, ratings=4))
    _, crowd = tried(study, "abcd")
    full = people.open_stage(study, "full")
    for worker in crowd:
        people.rate(full, worker)
    apart = people.protocol(trial=Trial(candidates=10, ratings=4, counted=False))
    change_protocol(study, apart, at=now())
    full = study.stages.select_related("study").get(kind="full")
    short = missing_ratings.candidates_missing_ratings(full)
    assert len(short) == 10 and {lacking for _, lacking in short} == {4}
    change_protocol(study, people.protocol(trial=None), at=now())
    assert gold_stages(Study.objects.get(pk=study.pk)) == ["full"]
