"""The pytest plugin: `pytest --concord policy.toml` runs each rule of a policy as a test.

Without the option, nothing of Concord is imported but this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from concord.gate.policy import Policy


class RuleError(Exception):
    """A rule falls short, or has not enough evidence where the policy says that this fails."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("concord").addoption(
        "--concord",
        metavar="POLICY",
        action="append",
        default=[],
        help="run each rule of this policy as a test; can be repeated",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "concord: a rule of a policy of Concord")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the rules before -k and -m select tests."""
    for name in config.getoption("--concord"):
        path = config.invocation_params.dir / name
        items += PolicyFile.from_parent(session, path=path).collect()


class PolicyFile(pytest.File):
    """A policy; its rules are the tests."""

    def collect(self) -> Iterator[RuleItem]:
        from concord.formats import FormatError
        from concord.gate.policy import read_policy

        try:
            policy = read_policy(self.path)
        except FormatError as error:
            raise pytest.UsageError(str(error)) from error
        for name in policy.rules:
            yield RuleItem.from_parent(self, name=name, policy=policy)


class RuleItem(pytest.Item):
    """One rule. Its figures are properties of the test, which JUnit's XML contains."""

    def __init__(self, *, policy: Policy, **more: Any) -> None:
        super().__init__(**more)
        self.policy = policy
        self.add_marker("concord")

    def runtest(self) -> None:
        result = self.policy.check_rule(self.name)
        row = result.to_json()
        self.user_properties += [(name, str(row[name])) for name in ("value", "ci", "at_least")]
        if result.verdict == "not enough evidence" and self.policy.not_enough_evidence == "xfail":
            pytest.xfail(result.sentence)
        if result.verdict != "holds":
            raise RuleError(result.sentence)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The sentence alone for a rule that fails, or files that cannot be read."""
        if isinstance(excinfo.value, RuleError | ValueError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"rule {self.name}"
