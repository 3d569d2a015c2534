"""A study that chooses what people rate, by the client."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User

from annotation.stages.models import StageSampling
from annotation.studies.models import Stage, Study
from concord.client import Client, ProblemError
from concord.protocols import HitRules, QualityRules, RatingRule
from tests.annotation import people


@pytest.fixture
def study(client: Client) -> Study:
    protocol = people.protocol(
        rating_rules=(RatingRule(2),), hit=HitRules(max_candidates=6), quality=QualityRules(),
        split_shares=(),
    )  # fmt: skip
    owner = User.objects.get(username="ruth")
    return people.new_study(owner, protocol, people.candidates(40, each=2))


@pytest.fixture
def worth(study: Study) -> dict[str, int]:
    rng = np.random.default_rng(1)
    keys = study.candidates.order_by("position").values_list("key", flat=True)
    return {key: int(rng.integers(1, 6)) for key in keys}


@pytest.fixture
def scores(worth: dict[str, int], tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    rows = [
        {"id": key, "scores": {"good": value + rng.normal(0, 1)}} for key, value in worth.items()
    ]
    file = tmp_path / "scores.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def path(study: Study) -> str:
    return f"/studies/{study.slug}/stages/full/sampling"


def rate(study: Study, worth: dict[str, int]) -> None:
    stage = Stage.objects.select_related("study").get(study=study, kind="full")
    for name in ("ann", "bob"):
        people.rate(stage, people.join(study, name), worth)


def test_a_study_draws_waves_until_its_target(
    client: Client, study: Study, worth: dict[str, int], scores: Path
) -> None:
    made = client.upload(
        path(study),
        {"scores": scores},
        rule="stratified",
        target="width",
        value=0.9,
        budget=40,
        wave_size=20,
    )
    assert (made["state"], made["units"], made["waves"]) == ("not started", 40, 0)
    assert made["rule"]["name"] == "stratified" and made["metrics"] == ["good"]
    assert made["stopping"] == {"kind": "width", "value": 0.9, "budget": 40}
    client.open_stage(study.slug, "full")
    with pytest.raises(ProblemError, match="The last wave is not rated yet"):
        client.post(f"{path(study)}/continue")
    rate(study, worth)
    state = client.post(f"{path(study)}/continue")
    assert state["state"] == "collecting" and state["waves"] == 2
    (look,) = state["looks"]
    stored = StageSampling.objects.get().looks[0]
    assert look["systems"] == stored["systems"] and look["width"] == stored["width"]
    # Four ratings of each instance: two candidates, two raters.
    assert state["units_left"] is not None
    assert state["ratings_left"] == [4 * units for units in state["units_left"]]
    while state["state"] == "collecting":
        rate(study, worth)
        state = client.post(f"{path(study)}/continue")
    assert state["state"] == "target reached" and state["ended_at"] is not None
    assert state["looks"][-1]["is_reached"] and state["ratings_left"] == [0, 0, 0]
    assert client.stages(study.slug)[-1].status == "closed"
    with pytest.raises(ProblemError, match="The sampling has ended"):
        client.post(f"{path(study)}/continue")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "width"}, "a width must be above 0"),
        ({"target": "ranking", "value": 0.7}, "a level must be above 0 and below 0.5"),
        ({"aim": "difference"}, "needs two systems"),
        ({"wave_size": 3}, "greater than or equal to 10"),
        ({"uniform_share": 0.1}, "greater than or equal to 0.2"),
        ({"target": "width", "value": float("nan")}, "A valid number is required"),
        ({"rule": "random"}, "not a valid choice"),
    ],
)
def test_rules_that_do_not_fit_are_explained(
    client: Client, study: Study, scores: Path, options: dict[str, object], message: str
) -> None:
    values: dict[str, object] = {"rule": "stratified", "target": "budget", "budget": 20, **options}
    with pytest.raises(ProblemError) as refused:
        client.upload(path(study), {"scores": scores}, **values)
    assert refused.value.status == 422
    assert message in str([fault.detail for fault in refused.value.faults])
    assert not StageSampling.objects.exists()


def test_a_file_without_scores_is_refused(
    client: Client, study: Study, scores: Path, tmp_path: Path
) -> None:
    lines = scores.read_text().splitlines()
    (tmp_path / "few.jsonl").write_text("\n".join(lines[1:]))
    with pytest.raises(ProblemError, match="1 of 80 candidates have no score"):
        client.upload(
            path(study),
            {"scores": tmp_path / "few.jsonl"},
            rule="uniform",
            target="budget",
            budget=20,
        )
    (tmp_path / "broken.jsonl").write_text("{")
    with pytest.raises(ProblemError) as refused:
        client.upload(
            path(study),
            {"scores": tmp_path / "broken.jsonl"},
            rule="uniform",
            target="budget",
            budget=20,
        )
    assert refused.value.status == 422
