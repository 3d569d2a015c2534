"""`concord check` and the pytest plugin: exit codes and formats of the three verdicts."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from concord.cli import main
from concord.cli.check import EXIT_CODES

ROOT = Path(__file__).parents[3]
RULES = {
    "holds": 'system = "high"\nat_least = 3',
    "falls short": 'system = "low"\nat_least = 3',
    "not enough evidence": 'system = "low"\nat_least = 1.55',
}


@pytest.fixture
def policy(tmp_path):
    rows = [
        {"id": f"{k}-{name}", "instance": f"q-{k}", "question": f"What is {k}?"}
        | {"references": ["a"], "candidate": name, "system": name, "score": base + k % 2}
        for k in range(20)
        for name, base in (("low", 1), ("high", 4))
    ]
    (tmp_path / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def write(*verdicts, before=""):
        path = tmp_path / "policy.toml"
        tables = [
            f'[rules."{verdict}"]\nkind = "mean"\nfiles = "answers.jsonl"\n{RULES[verdict]}\n'
            for verdict in verdicts
        ]
        path.write_text(before + "".join(tables))
        return path

    return write


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        (["holds"], 0),
        (["holds", "falls short"], 1),
        (["holds", "not enough evidence"], 3),
        (["not enough evidence", "falls short"], 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_rule(policy, capsys, verdicts, code):
    path = policy(*verdicts)
    assert main(["check", str(path), "--format", "json"]) == code
    check = json.loads(capsys.readouterr().out)
    assert [row["verdict"] for row in check["rules"]] == verdicts
    assert EXIT_CODES[check["verdict"]] == code


def test_a_wrong_policy_has_an_exit_code_of_its_own(policy, capsys):
    path = policy("holds", before="x = 1\n")
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: x: is unknown")


def test_a_system_that_does_not_exist_is_an_error_and_no_verdict(policy, capsys):
    path = policy("holds")
    path.write_text(path.read_text().replace('"high"', '"highest"'))
    assert main(["check", str(path)]) == 2
    assert "rules.holds: no system 'highest'; choose one of high, low" in capsys.readouterr().err


def test_the_table_and_markdown_say_how_much_would_settle_it(policy, capsys):
    path = policy(*RULES)
    outputs = []
    for name in ("table", "markdown"):
        main(["check", str(path), "--format", name])
        outputs.append(capsys.readouterr().out)
    for out in outputs:
        assert "passages, now 20" in out and "approximation" in out
    assert outputs[1].startswith("### policy.toml: falls short\n\n| rule |")


@pytest.mark.parametrize(("option", "failed"), [("", 1), ('not_enough_evidence = "fail"\n', 2)])
def test_junit_has_a_case_for_each_rule(policy, capsys, option, failed):
    main(["check", str(policy(*RULES, before=option)), "--format", "junit"])
    (suite,) = ElementTree.fromstring(capsys.readouterr().out)
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "3", "failures": str(failed), "skipped": str(2 - failed),
    }  # fmt: skip
    assert [case.get("name") for case in suite] == list(RULES)
    assert "falls short" in suite[1].find("failure").text


def run_pytest(path, *arguments):
    """pytest in the policy's folder, with the plugin alone."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rxf", "-p", "concord.gate.pytest_plugin",
         "--concord", path.name, *arguments],
        cwd=path.parent, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def test_pytest_runs_each_rule_as_a_test(policy):
    path = policy(*RULES)
    (path.parent / "test_own.py").write_text("def test_of_the_user(): pass\n")
    done = run_pytest(path, "--junit-xml", "out.xml")
    assert done.returncode == 1
    assert "1 failed, 2 passed, 1 xfailed" in done.stdout
    assert "FAILED policy.toml::falls short" in done.stdout
    assert "passages in all would settle it" in done.stdout and "Traceback" not in done.stdout
    cases = ElementTree.parse(path.parent / "out.xml").iter("testcase")
    values = {case.get("name"): case.find("properties/property[@name='value']") for case in cases}
    assert values["holds"].get("value") == "4.5"
    strict = policy("not enough evidence", before='not_enough_evidence = "fail"\n')
    done = run_pytest(strict, "-m", "concord")
    assert (done.returncode, "1 failed, 1 deselected" in done.stdout) == (1, True)
    done = run_pytest(policy("holds", before="x = 1\n"))
    assert done.returncode == 4
    assert "policy.toml: x: is unknown" in done.stderr


def test_the_entry_point_is_the_plugin():
    with (ROOT / "pyproject.toml").open("rb") as file:
        points = tomllib.load(file)["project"]["entry-points"]["pytest11"]
    assert hasattr(importlib.import_module(points["concord"]), "pytest_addoption")
    code = f"import sys, {points['concord']}; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "False"
