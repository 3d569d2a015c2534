"""Training examples and scored candidates per second, for the learned judges.

    python -m bench.learned [--rows 2000] [--repeat 3] [--encoder NAME] [--lora-rank 16] [--judge J]

Texts are invented, with lengths like those of judged answers. "forward" is only the forward pass of
the encoder over the same padded tokens, once for each input: the upper bound of scoring. For
training it is that pass and its gradient. The programs run in turns, and their medians are
compared. Runs on a GPU if there is one.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch  # noqa: TID253

from scorers.ava.metrics import AvaForm
from scorers.encoders import DEFAULT, locate, open_model, pad_batch, run_indices, supported_inputs
from scorers.encoders.batching import TOKENS_PER_BATCH, batches_by_length
from scorers.learned.examples import examples_from_rows
from scorers.learned.loop import epoch_batches, train
from scorers.learned.model import Form, Head, Readings, build_network, network_pass
from scorers.learned.rows import Row
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import JudgmentTask, TrainingPlan
from scorers.lerc.metrics import LercForm

FORMS: dict[str, Form] = {
    "lerc": LercForm(),
    "lerc-match": LercForm(reading="match"),
    "ava-a0": AvaForm("A0", ("q-r", "q-t", "r-t")),
    "ava-a2": AvaForm(),
}
# Passes of the encoder for each judged row, as a share of its readings' tokens.
_PASSES = {"ava-a2": 2}
_WORDS = ("the", "old", "mill", "river", "stands", "near", "town", "salt", "fish", "built", "by")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--encoder", default=DEFAULT)
    parser.add_argument("--lora-rank", type=int, default=16)
    parser.add_argument("--precision", choices=("float32", "bf16"), default="float32")
    parser.add_argument("--judge", choices=FORMS, action="append")
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(f"device: {device}, {torch.get_num_threads()} threads; {options.rows} rows")
    for name in options.judge or FORMS:
        _scoring(name, options, device)
        _training(name, options, device)


def _rows(count: int) -> list[Row]:
    rng = random.Random(0)

    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(_WORDS, k=rng.randint(low, high)))

    return [Row(text(30, 200), text(5, 15), text(1, 15), text(1, 40)) for _ in range(count)]


def _scoring(name: str, options: argparse.Namespace, device: torch.device) -> None:
    tokeniser, network, encoder = _build(name, options, device, lora_rank=0)
    form, rows, none = FORMS[name], _rows(options.rows), np.zeros((options.rows, 0))
    inputs = form.inputs(tokeniser, rows, 256)
    lengths = [sum(map(len, readings)) for readings in inputs]

    def run_concord() -> None:
        read = form.inputs(tokeniser, rows, 256)
        run = network_pass(network, read, none, device, 0)
        for _ in run_indices([sum(map(len, r)) for r in read], run, device):
            pass

    def run_forward() -> None:
        with torch.inference_mode():
            for batch in batches_by_length(lengths, TOKENS_PER_BATCH[device.type]):
                _bare(encoder, inputs, batch, device, _PASSES.get(name, 1))

    _compare(f"{name}: scoring", options, device, run_concord, run_forward, options.rows)


def _training(name: str, options: argparse.Namespace, device: torch.device) -> None:
    tokeniser, network, _ = _build(name, options, device, options.lora_rank)
    form, rows = FORMS[name], _rows(options.rows)
    settings = TrainingSettings(
        epochs=1, batch_size=32, max_tokens=256, precision=options.precision
    )
    gold = np.random.default_rng(0).random(len(rows))
    examples = examples_from_rows(rows, gold)
    task = JudgmentTask(
        network,
        TrainingPlan("lerc", form, Head(), loss="mse", combine="max", rating=True),
        tokeniser,
        examples,
        examples_from_rows(rows[:1], gold[:1]),
        max_tokens=256,
    )
    inputs = form.inputs(tokeniser, rows, 256)
    encoder = next(iter(getattr(network.reader, "encoders", [])), None)
    if encoder is None:
        encoder = network.reader.keyphrases.encoder

    def run_concord() -> None:
        with tempfile.TemporaryDirectory() as folder:
            train(task, settings, Path(folder))

    def run_forward() -> None:
        encoder.train()
        for batch in epoch_batches(task.lengths, settings, 0):
            with torch.autocast(device.type, torch.bfloat16, enabled=options.precision == "bf16"):
                total = _bare(encoder, inputs, batch, device, _PASSES.get(name, 1))
            total.backward()
        encoder.zero_grad(set_to_none=True)

    _compare(f"{name}: training", options, device, run_concord, run_forward, options.rows)


def _build(
    name: str, options: argparse.Namespace, device: torch.device, lora_rank: int
) -> tuple[Any, Any, Any]:
    tokeniser, encoder = open_model(locate(options.encoder))
    network = build_network(FORMS[name], Head(), encoder, lora_rank).to(device).eval()
    _, bare = open_model(locate(options.encoder))
    return tokeniser, network, bare.to(device).eval()


def _bare(
    encoder: Any,
    inputs: Sequence[Readings],
    batch: Sequence[int],
    device: torch.device,
    passes: int,
) -> torch.Tensor:
    total = torch.zeros((), device=device)
    for reading in range(len(inputs[0])):
        tensors = pad_batch([inputs[place][reading] for place in batch], device, 0)
        for _ in range(passes):
            total = (
                total + encoder(**supported_inputs(encoder, tensors)).last_hidden_state[:, 0].sum()
            )
    return total


def _compare(
    title: str,
    options: argparse.Namespace,
    device: torch.device,
    run_concord: Callable[[], None],
    run_forward: Callable[[], None],
    rows: int,
) -> None:
    times: dict[str, list[float]] = {"ours": [], "forward": []}
    for repeat in range(options.repeat + 1):
        for name, contestant in (("ours", run_concord), ("forward", run_forward)):
            if device.type == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
            contestant()
            if device.type == "cuda":
                torch.cuda.synchronize()
            if repeat:  # the first round warms up
                times[name].append(time.perf_counter() - start)
    concord_s, forward_s = (statistics.median(times[name]) for name in ("ours", "forward"))
    print(
        f"{title}: {rows / concord_s:,.0f} a second; a bare pass {rows / forward_s:,.0f}; "
        f"{forward_s / concord_s:.0%} of it"
    )


if __name__ == "__main__":
    main()
