"""Fill an empty database with a little of everything: run by `make_dump.sh`."""

import numpy as np
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.quality.services import ledgers
from annotation.rating.models import HitCandidate
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import RatingInput
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services.opening import close_stage, open_stage
from annotation.studies.intake import CandidateInput, PairInput
from annotation.studies.services.candidates import add_candidates, add_pairs
from benchmarks.freezing.services.making import freeze
from benchmarks.sets.services import publishing
from concord.formats.records import InstanceRecord
from concord.protocols import HitRules, Protocol, QualityRules, RatingRule, ScalePoint

rosa = User.objects.create_user("rosa")
protocol = Protocol(
    scale=tuple(ScalePoint(value, f"point {value}") for value in range(1, 6)),
    question="How right is the answer?",
    instructions="Read. **Then** judge.",
    consent="You agree.",
    rating_rules=(RatingRule(4),),
    hit=HitRules(max_candidates=4),
    quality=QualityRules(zscore_threshold=1.0, max_removed=2),
)
study = create_study(
    "boats",
    "Boats and rivers",
    protocol,
    source=StudySource("blank"),
    owner=rosa,
    seed=11,
    at=now(),
)
instances = [
    InstanceRecord(
        key=f"i{number}",
        references=(f"boat {number}",),
        passage=f"Passage {number} tells of a boat that went up the river.",
        question=f"What is in passage {number}?",
        constituent=("stories", "facts")[number % 2],
    )
    for number in range(4)
]
add_candidates(
    study,
    [
        CandidateInput(f"c{number}-{index}", one, f"answer {index} of {number}", f"system {index}")
        for number, one in enumerate(instances)
        for index in range(3)
    ],
)
add_pairs(study, [PairInput("p0", instances[0], "a boat", "a goat", "lexical")])
open_stage(study.stages.get(kind="full"), by=rosa, at=now())
stage = study.stages.get(kind="full")
rng = np.random.default_rng(5)
for number in range(5):
    joined = participation.join(study, "link", f"worker {number}", at=now())
    participation.consent(joined, at=now())
    while (held := handing_out.hand_out(joined.worker, stage, at=now())) is not None:
        members = HitCandidate.objects.filter(hit=held.hit).select_related("candidate")
        ratings = {}
        for one in members:
            value = 1 + 7 * one.candidate.position % 5 + rng.normal(0, 0.7)
            ratings[one.candidate_id] = RatingInput(int(np.clip(round(value), 1, 5)), seconds=6.0)
        handing_out.save_ratings(held, ratings, at=now())
        handing_out.submit(held, at=now())
ledgers.add_step(study, ledgers.zscore_step(protocol.quality), note="A check.", by=rosa, at=now())
close_stage(stage, at=now())
publishing.publish(freeze(study, "mean", by=rosa, at=now()), at=now())
