"""The `concord` command's own options: help, version, completion, --quiet, and errors that help."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from importlib.metadata import version

import pytest

from concord.cli import main
from concord.demo import FOLDER

FILE = str(FOLDER / "judgments.jsonl")
LEADERBOARD = ["leaderboard", FILE, "--metrics", "token-f1"]


def test_concord_alone_prints_help_with_three_examples(capsys):
    assert main([]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert sum(line.startswith("  concord ") for line in captured.out.splitlines()) == 3


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"concord {version('concord-judgments')}\n"


@pytest.mark.parametrize("arguments", [["--quiet", *LEADERBOARD], [*LEADERBOARD, "--quiet"]])
def test_quiet_leaves_the_result(arguments, capsys):
    assert main(LEADERBOARD) == 0
    assert "360 candidates" in capsys.readouterr().err
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "token-f1" in captured.out


def test_quiet_leaves_errors(capsys):
    assert main(["--quiet", "agreement", FILE, "--raters", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "help_line"),
    [
        (["leaderbord"], "Help: concord --help"),
        (["leaderboard", FILE], "Help: concord leaderboard --help"),
        (["leaderboard", "missing.jsonl", "--metrics", "bleu-1"], "concord leaderboard --help"),
        (["leaderboard", "missing.jsonl", "--metrics", "bleu-1"], "files to try: concord demo"),
        (["score", FILE, "--metrics", "token-f1", "--out", "missing/o.jsonl"], "score --help"),
    ],
)
def test_an_error_names_the_next_command(arguments, help_line, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert help_line in capsys.readouterr().err.splitlines()[-1]


def test_bash_completes_commands_and_names_of_files(capsys, tmp_path):
    assert main(["--completion", "bash"]) == 0
    script = tmp_path / "complete.bash"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "answers.jsonl").touch()
    program = f"""
        source {script}
        COMP_WORDS=(concord alt) COMP_CWORD=1; _shtab_concord; echo "${{COMPREPLY[@]}}"
        COMP_WORDS=(concord agreement ans) COMP_CWORD=2; _shtab_concord; echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == ["alt-test", "answers.jsonl"], done.stderr


def test_zsh_has_a_script_with_every_command(capsys):
    assert main(["--completion", "zsh"]) == 0
    script = capsys.readouterr().out
    assert script.startswith("#compdef concord")
    assert "alt-test:'the alternative annotator test" in script


def on_a_terminal(command: list[str], environment: dict[str, str]) -> str:
    """What a program writes to a terminal."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command, stdout=follower, stderr=subprocess.DEVNULL, env=os.environ | environment
    )
    os.close(follower)
    written = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # Linux ends a terminal that nobody writes to in this way
            break
        if not part:
            break
        written += part
    os.close(leader)
    assert process.wait() == 0
    return written.decode()


def test_colours_are_for_terminals_only():
    command = [sys.executable, "-m", "concord", *LEADERBOARD]
    terminal = {"TERM": "xterm-256color", "COLUMNS": "120"}
    assert "\x1b[" in on_a_terminal(command, terminal)
    piped = subprocess.run(command, capture_output=True, text=True, env=os.environ | terminal)
    assert "\x1b" not in piped.stdout + piped.stderr
