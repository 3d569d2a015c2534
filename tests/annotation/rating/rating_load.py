"""A crowd at the level of the services: many workers at once, some of them careless.

Also runs as a process of its own on the database that DATABASE_URL names:
python -m tests.annotation.rating.rating_load STAGE FIRST_WORKER WORKERS SEED
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from django.utils.timezone import now

from annotation.rating.models import Assignment, Worker
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import Answer
from annotation.studies.models import Stage
from core.refusals import RefusedError
from tests.annotation import factories


def rate_until_done(worker: Worker, stage: Stage, seed: int, mishaps: float = 0.25) -> Counter[str]:
    """Take HITs until none is left, with mishaps: walking away, coming back late, returning,
    posting twice, changing one's mind. What happened, in counts."""
    chance = random.Random(seed)
    happened: Counter[str] = Counter()
    late: list[Assignment] = []
    while assignment := handing_out.hand_out(worker, stage, at=now()):
        happened["handed out"] += 1
        what = chance.random() / mishaps if mishaps else 1.0
        values = {pk: Answer(chance.randint(1, 5)) for pk in factories.members(assignment)}
        if what < 0.3:
            half = dict(list(values.items())[: chance.randint(0, len(values) - 1)])
            handing_out.save_ratings(assignment, half, at=now())
            factories.let_lapse(assignment)
            happened["walked away"] += 1
            continue
        handing_out.save_ratings(assignment, values, at=now())
        if what < 0.5:
            factories.let_lapse(assignment)
            late.append(assignment)
            happened["came back late"] += 1
        elif what < 0.6:
            happened["returned"] += handing_out.return_hit(assignment)
        else:
            for _ in range(2 if what < 1 else 1):
                happened[f"was {_submitted(assignment)}"] += 1
        if late and chance.random() < 0.5:
            happened[f"late, was {_submitted(late.pop())}"] += 1
    for assignment in late:
        happened[f"late, was {_submitted(assignment)}"] += 1
    return happened


def rate_patiently(worker: Worker, stage: Stage, seed: int, mishaps: float = 0.25) -> Counter[str]:
    """`rate_until_done` again and again until every slot is filled, or a minute has passed.

    What others hold when a worker finds nothing may lapse and be free later.
    """
    happened: Counter[str] = Counter()
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        happened += rate_until_done(worker, stage, seed, mishaps)
        seed += 1_000_003
        assignments = Assignment.objects.filter(hit__stage=stage, status=Assignment.Status.HELD)
        if not assignments.exists() and not stage.hits.filter(open_slots__gt=0).exists():
            break
        time.sleep(0.05)
    return happened


def _submitted(assignment: Assignment) -> str:
    try:
        return handing_out.submit(assignment, at=now()).status
    except RefusedError:
        return "refused"


if __name__ == "__main__":
    stage_pk, first, count, seed = map(int, sys.argv[1:])
    stage = Stage.objects.get(pk=stage_pk)
    for at in range(first, first + count):
        print(dict(rate_until_done(factories.worker(stage.study, f"w{at}"), stage, seed + at)))
