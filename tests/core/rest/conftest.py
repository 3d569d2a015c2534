from __future__ import annotations

import pytest

from tests.core.rest.people import Caller, caller, person


@pytest.fixture
def researcher(db: None) -> Caller:
    return caller(person("ruth", is_staff=True))
