"""The JSON of every command on the demo set, and on small drawn files, is the stored one.

A change that alters a figure, a key or a sentence alters a golden file in the same commit, which
names the reason. `python -m tests.concord.cli.golden_json` rewrites the files.
"""

from __future__ import annotations

import json

import pytest

from concord.cli import COMMANDS, command_parser
from tests.concord.cli import golden_json
from tests.concord.cli.golden_inputs import write_inputs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("inputs")
    write_inputs(path)
    return path


@pytest.mark.parametrize("name", golden_json.COMMANDS)
def test_the_json_of_a_command_is_the_stored_one(name, folder):
    stored = json.loads((golden_json.FOLDER / f"{name}.json").read_text())
    lines = golden_json.differences(stored, golden_json.run_command(name, folder))
    assert not lines, "\n".join(
        [*lines[:40], "Is it right? Then python -m tests.concord.cli.golden_json, and say why."]
    )


def test_every_command_with_json_has_a_golden_file():
    (subparsers,) = [one for one in command_parser()._actions if one.dest == "command"]
    with_json = {
        name
        for name in COMMANDS
        for option in subparsers.choices[name]._actions
        if option.dest == "format" and "json" in option.choices
    }
    assert with_json <= {command.split()[0] for command in golden_json.COMMANDS.values()}
    stored = {path.stem for path in golden_json.FOLDER.iterdir()}
    assert stored == set(golden_json.COMMANDS)


def test_differences_are_named_with_their_place():
    stored = {"a": [1.0, {"b": None}], "c": "x", "d": 1}
    assert golden_json.differences(stored, {"a": [1 + 1e-12, {"b": None}], "c": "x", "d": 1}) == []
    assert golden_json.differences(stored, {"a": [1.1, {"b": 2}], "c": "y", "e": 1}) == [
        ".d: is missing", ".e: is new", ".a[0]: was 1.0, is 1.1", ".a[1].b: was None, is 2",
        ".c: was 'x', is 'y'",
    ]  # fmt: skip
    assert golden_json.differences([1], [1, 2]) == [": was [1], is [1, 2]"]
