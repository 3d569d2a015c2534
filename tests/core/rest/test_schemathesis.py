"""The API is asked all that its description allows, and what it forbids, on a server with a real
database: it never fails, and never answers but as it is described."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from hypothesis import strategies as st
from pytest_django.live_server_helper import LiveServer
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS

from core.rest import docs
from tests.core.rest.everything import ROLES, Everything, make_everything

CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)
# What is forbidden is refused before anybody's role counts: the least and the most suffice.
LEAST_AND_MOST = ("visitor", "owner")
MODES = {"allowed": GenerationMode.POSITIVE, "forbidden": GenerationMode.NEGATIVE}


@pytest.fixture
def unlimited(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests without rate limits and broker: sent tasks are discarded."""
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "unlimited")
    settings.CELERY_TASK_ALWAYS_EAGER = False
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *_, **__: None)


@pytest.fixture
def everything(transactional_db: None, tmp_path: Path) -> Everything:
    return make_everything(tmp_path)


@pytest.mark.parametrize("mode", MODES)
def test_responses_conform_to_the_schema(
    live_server: LiveServer, everything: Everything, unlimited: None, mode: str
) -> None:
    ask_everything(live_server.url, everything, MODES[mode], LEAST_AND_MOST, examples=1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", MODES)
def test_responses_conform_to_the_schema_with_many_examples(
    live_server: LiveServer, everything: Everything, unlimited: None, mode: str
) -> None:
    asked_by = ROLES if mode == "allowed" else LEAST_AND_MOST
    ask_everything(live_server.url, everything, MODES[mode], asked_by, examples=10)


def ask_everything(
    url: str,
    everything: Everything,
    mode: GenerationMode,
    roles: Sequence[str],
    *,
    examples: int,
) -> None:
    """Call each operation with generated cases by each role, lowest role first."""
    schema = schemathesis.openapi.from_dict(docs.description())
    schema.config.update(base_url=url)
    refusals = schema.config.checks.negative_data_rejection.expected_statuses
    schema.config.checks.negative_data_rejection.expected_statuses = [*refusals, "413"]
    n_requests, wrong = 0, {}
    with requests.Session() as session:
        for result in schema.get_all_operations():
            operation = result.ok()
            try:
                n_requests += _ask(operation, session, everything, mode, roles, examples)
            except BaseExceptionGroup as failures:
                wrong[operation.label] = failures.message
    assert not wrong, "\n\n".join(f"{label}: {message}" for label, message in wrong.items())
    assert n_requests >= len(docs.description()["paths"])


def _ask(
    operation: Any,
    session: requests.Session,
    everything: Everything,
    mode: GenerationMode,
    roles: Sequence[str],
    examples: int,
) -> int:
    n_requests = 0

    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(mode), there=st.integers(0, 3))
    def ask(case: Any, there: int) -> None:
        nonlocal n_requests
        if there and mode == GenerationMode.POSITIVE:  # mostly of what there is
            case.path_parameters.update(
                {name: everything.names[name] for name in case.path_parameters}
            )
        for role in roles:
            token = everything.tokens[role]
            session.headers["Authorization"] = f"Bearer {token}" if token else None
            response = case.call(session=session)
            case.validate_response(response, checks=[CHECKS.get_one(n) for n in CHECKED])
            n_requests += 1

    try:
        ask()
    except hypothesis.errors.Unsatisfiable:
        assert mode == GenerationMode.NEGATIVE  # some operations can be asked nothing wrong
    return n_requests
