"""A run of simulated workers who take turns: one task each, then back in the queue."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from django.utils.timezone import now

from annotation.rating.models import Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.services.invitations import InvitedWorker
from annotation.rating.simulation.answers import AnswerModel
from annotation.studies.models import Stage, Study
from concord.simulation import Crowd, SimulatedRater

PROVIDER = "simulated"
Turn = Literal["rated", "nothing", "passed", "failed"]


@dataclass
class RunOutcome:
    """The result of a run. `turns` counts tasks rated and tests passed and failed."""

    turns: Counter[Turn] = field(default_factory=Counter)
    ratings: int = 0
    seconds: float = 0.0

    @property
    def assignments(self) -> int:
        return self.turns["rated"] + self.turns["passed"] + self.turns["failed"]


def simulated_worker(seed: int, number: int) -> InvitedWorker:
    """The worker of this number; the same in every run with this seed."""
    return InvitedWorker(PROVIDER, f"seed {seed} worker {number}", simulated=True)


class CrowdRun:
    """Lets a crowd rate a study by the services of the rating pages.

    A worker leaves the queue if there is no task for them or they failed the test.
    """

    def __init__(self, study: Study, crowd: Crowd, workers: int, seed: int) -> None:
        self.study, self.answer_model = study, AnswerModel(study, seed)
        self.outcome = RunOutcome()
        self._queue = deque(
            (simulated_worker(seed, number), rater)
            for number, rater in enumerate(crowd.raters(workers, seed))
        )

    def run(self, limit: int | None, after: Callable[[RunOutcome], object]) -> RunOutcome:
        """Run turns until nothing is left, `limit` tasks and tests are done, or Ctrl-C is pressed.

        `after` is called after every turn.
        """
        started = time.perf_counter()
        try:
            while self._queue and (limit is None or self.outcome.assignments < limit):
                invited, rater = self._queue.popleft()
                turn = self._turn(self._enter(invited), rater)
                self.outcome.turns[turn] += 1
                if turn in ("rated", "passed"):
                    self._queue.append((invited, rater))
                after(self.outcome)
        except KeyboardInterrupt:
            pass  # The task in progress is held, and continued by the next run.
        self.outcome.seconds = time.perf_counter() - started
        return self.outcome

    def _enter(self, invited: InvitedWorker) -> Participation:
        """The worker's participation, with consent where the protocol asks for it."""
        participant = participation.join(
            self.study, invited.provider, invited.worker_id, at=now(), simulated=True
        )
        if participant.consented_at is None and self.study.current.protocol.consent.strip():
            participation.consent(participant, at=now())
        return participant

    def _turn(self, participant: Participation, rater: SimulatedRater) -> Turn:
        """Rate one task, or a qualification test with all its tries; "nothing" if there is none."""
        protocol = self.study.current.protocol
        stage = participation.open_stage_for(participant, protocol)
        if stage is None:
            return "nothing"
        assignment = handing_out.hand_out(participant.worker, stage, at=now())
        if assignment is None:
            return "nothing"
        while True:
            candidates = assignment.hit.members.values_list("candidate", flat=True)
            ratings = {pk: self.answer_model.rating(rater, pk) for pk in candidates}
            handing_out.save_ratings(assignment, ratings, at=now())
            self.outcome.ratings += len(ratings)
            if stage.kind != Stage.Kind.QUALIFICATION:
                handing_out.submit(assignment, at=now())
                return "rated"
            if participation.submit_test(assignment, at=now()).passed:
                return "passed"
            retried = participation.retry_test(participant, at=now())
            if retried is None:
                return "failed"
            assignment = retried
