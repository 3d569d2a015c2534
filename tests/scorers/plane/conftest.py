"""One session for the tests of the plane, and the counts of a generated set."""

from collections.abc import Iterator

import pytest

from scorers import Session
from scorers.aev.counts import item_counts
from scorers.aev.preparation import TextPreparation
from scorers.plane.statistics import PlaneSample
from tests.scorers.plane.plane_sets import MadeUp, made_up


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    with Session() as opened:
        yield opened


@pytest.fixture(scope="session")
def answers() -> MadeUp:
    return made_up()


@pytest.fixture(scope="session")
def sample(session: Session, answers: MadeUp) -> PlaneSample:
    counts = item_counts(answers.items, TextPreparation(), session)
    return PlaneSample.of(counts, answers.gold, systems=answers.systems, clusters=answers.passages)
