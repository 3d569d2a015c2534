"""Settings of the state machines: the number and length of their histories."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, settings

# New histories each time. Failures are not shrunk, which would take minutes.
LONG: dict[str, Any] = {"derandomize": False, "database": None, "phases": [Phase.generate]}


def of_size(examples: int, steps: int, **more: Any) -> settings:
    checks = list(HealthCheck)
    return settings(
        max_examples=examples, stateful_step_count=steps, suppress_health_check=checks, **more
    )
