"""Fill an empty database with a little of everything, by the services of release 0.1.0.

Run by that release: see `make_dump.sh`. It is the record of how `concord-0.1.0.sql` came to be;
later releases do not import it.
"""

import numpy as np
from annotation.intake import CandidateInput, InstanceInput, PairInput
from annotation.protocols import HitRules, Pay, Protocol, QualityRules, RatingRule, ScalePoint
from annotation.services import handing_out, ledgers, opening, participation, studies
from annotation.services.handing_out import RatingInput
from benchmarks.services import freezing, publishing
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.models import HitCandidate

rosa = User.objects.create_user("rosa", is_staff=True)
User.objects.create_user("sam")

protocol = Protocol(
    scale=tuple(ScalePoint(value, f"point {value}") for value in range(1, 6)),
    question="How right is the answer?",
    instructions="Read. **Then** judge.",
    consent="You agree.",
    rating_rules=(RatingRule(4),),
    hit=HitRules(most_candidates=4),
    pay=Pay(cents_a_full_hit=40),
    quality=QualityRules(spot_check_share=0.5, zscore_threshold=1.0, at_most_removed=2),
)
study = studies.create_study(
    "boats", "Boats and rivers", protocol, preset="blank", owner=rosa, seed=11, at=now()
)
rows = []
for number in range(4):
    instance = InstanceInput(
        key=f"i{number}",
        references=(f"boat {number}",),
        passage=f"Passage {number} tells of a boat that went up the river.",
        question=f"What is in passage {number}?",
        constituent=("stories", "facts")[number % 2],
    )
    rows += [
        CandidateInput(f"c{number}-{at}", instance, f"answer {at} of {number}", f"system {at}")
        for at in range(3)
    ]
studies.add_candidates(study, rows)
instance = rows[0].instance
studies.add_pairs(study, [PairInput("p0", instance, "a boat", "a goat", "lexical")])
stage = study.stages.get(kind="full")
opening.open_stage(stage, by=rosa, at=now())
stage = study.stages.get(kind="full")
generator = np.random.default_rng(5)
for worker in range(5):
    joined = participation.join(study, "link", f"worker {worker}", at=now())
    participation.consent(joined, at=now())
    while (held := handing_out.hand_out(joined.worker, stage, at=now())) is not None:
        members = HitCandidate.objects.filter(hit=held.hit).select_related("candidate")
        given = {}
        for one in members:
            value = 1 + 7 * one.candidate.position % 5 + generator.normal(0, 0.7)
            given[one.candidate_id] = RatingInput(int(np.clip(round(value), 1, 5)), seconds=6.0)
        handing_out.save_ratings(held, given, at=now())
        handing_out.submit(held, at=now())
ledgers.add_step(study, ledgers.zscore_step(protocol.quality), note="A check.", by=rosa, at=now())
opening.close_stage(stage, at=now())
frozen = freezing.freeze(study, "mean", by=rosa, at=now())
publishing.publish(frozen, at=now())
