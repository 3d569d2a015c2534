"""The wheel in a fresh environment without Django: KPQA's Table 3 by command and by DataFrame."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import real_data

REPOSITORY = Path(__file__).resolve().parents[2]
# Pearson, Spearman of KPQA's Table 3 on MS MARCO.
TABLE_3 = {
    "bleu-1": (0.349, 0.329),
    "bleu-4": (0.193, 0.244),
    "rouge-l": (0.309, 0.301),
    "meteor": (0.423, 0.413),
    "cider": (0.275, 0.278),
}
PROGRAM = """
import sys, concord
frame = concord.read_judgments(sys.argv[1], format="kpqa")
board = concord.leaderboard(frame, sys.argv[2])
for row in board.frame.itertuples():
    print(row.metric, f"{row.pearson:.3f}", f"{row.spearman:.3f}")
assert not {"django", "torch", "transformers"} & set(sys.modules)
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The folder of programs of a new virtual environment that has the wheel, with `[java]`."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, REPOSITORY)
    (wheel,) = folder.glob("concord_judgments-*.whl")
    run(sys.executable, "-m", "venv", folder / "venv")
    programs = folder / "venv" / "bin"
    run(programs / "python", "-m", "pip", "install", "-q", f"{wheel}[java]")
    return programs


def run(*command: object) -> str:
    # Where PYTHONPATH names the checkout, pip takes its metadata for an installed package.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        [str(one) for one in command], capture_output=True, text=True, cwd="/", env=clean
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_neither_django_nor_torch_is_installed(environment):
    packages = run(environment / "python", "-m", "pip", "list").casefold()
    assert "pandas" in packages
    assert "django" not in packages
    assert "torch" not in packages


def test_table_3_by_command_and_by_data_frame(environment):
    file, metrics = str(real_data.path("kpqa/marco_all.csv")), ",".join(TABLE_3)
    printed = run(environment / "concord", "leaderboard", file, "--from", "kpqa",
                  "--metrics", metrics, "--format", "csv")  # fmt: skip
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(printed))}
    for metric, (pearson, spearman) in TABLE_3.items():
        assert round(float(rows[metric]["pearson"]), 3) == pearson
        assert round(float(rows[metric]["spearman"]), 3) == spearman
    lines = run(environment / "python", "-c", PROGRAM, file, metrics).splitlines()
    assert {line.split()[0]: tuple(map(float, line.split()[1:])) for line in lines} == TABLE_3


def test_the_demo_is_in_the_wheel(environment, tmp_path):
    printed = run(environment / "concord", "demo", tmp_path / "demo")
    assert "concord alt-test experts.json judges.json" in printed
    run(environment / "concord", "leaderboard", tmp_path / "demo" / "judgments.jsonl",
        "--metrics", "token-f1,rouge-l")  # fmt: skip


def test_the_documentation_is_in_the_wheel(environment):
    pages = environment.parent / "share" / "doc" / "concord"
    assert (pages / "how-to" / "plan.md").is_file()
    assert (pages / "reference" / "metrics" / "bleu-1.md").is_file()
