"""`concord demo`: the files that it writes, and the five commands that it prints."""

from __future__ import annotations

import json
import shlex

from concord.cli import main
from concord.demo import FOLDER, STORED


def test_the_five_commands_do_what_their_questions_ask(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "cd concord-demo" in lines
    monkeypatch.chdir("concord-demo")
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("concord ")]
    assert len(commands) == 5
    for command in commands:
        assert main(command) == 0, command
    printed = capsys.readouterr().out
    for word in ("rouge-l", "Krippendorff's alpha", "crowd-median", "pairs resolved"):
        assert word in printed
    assert len((tmp_path / "concord-demo" / "scores.jsonl").read_text().splitlines()) == 360


def test_the_files_are_those_of_the_site_and_labels_made_of_them(tmp_path, capsys):
    assert main(["demo", str(tmp_path / "new" / "folder")]) == 0
    folder = tmp_path / "new" / "folder"
    for name in STORED:
        assert (folder / name).read_bytes() == (FOLDER / name).read_bytes()
    experts = json.loads((folder / "experts.json").read_text())
    judges = json.loads((folder / "judges.json").read_text())
    assert sum(map(len, experts.values())) == 360 * 3
    assert {name: len(labels) for name, labels in judges.items()} == {
        "crowd-median": 360,
        "one-worker": 360,
    }


def test_a_file_of_somebody_elses_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "pairs.jsonl").write_text("mine\n")
    assert main(["demo", str(tmp_path)]) == 2
    assert "name another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.jsonl"]
    assert (tmp_path / "pairs.jsonl").read_text() == "mine\n"
    (tmp_path / "pairs.jsonl").unlink()
    assert main(["demo", str(tmp_path)]) == main(["demo", str(tmp_path)]) == 0
