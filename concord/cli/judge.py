"""`concord judge FILE`: ask a language model to judge every candidate."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from concord.arguments import positive
from concord.cli.arguments import seed_option
from concord.cli.chat import ServerOptions, ask_all, confirm, print_invalid, spent, stop_error
from concord.cli.command import command, option
from concord.cli.files import JudgmentFiles
from concord.formats.numbers import read_whole_number
from concord.formats.score_writer import write_signatures
from concord.frames import cluster_codes, complete_frame
from concord.judges.chat import JudgeRun, Template
from concord.judges.chat.examples import draw_examples, examples_text
from concord.judges.chat.probes import INPUT_PROBES, changed, compare_probe
from concord.judges.chat.runs import JudgedCandidate
from concord.judges.chat.store import AnswerStore
from concord.judges.probes import Probe
from concord.scoring import frame_items
from concord.sentences import counted, decimal


def whole_scale(text: str) -> tuple[int, int]:
    """Parse a scale of whole numbers such as `1-5` or `-2..2`, for argparse."""
    ends = re.split(r"\.\.|(?<=\d)-", text, maxsplit=1)
    low, high = map(read_whole_number, ends if len(ends) == 2 else ("", ""))
    if isinstance(low, str) or isinstance(high, str) or low >= high:
        raise ArgumentTypeError(f"must be two whole numbers such as 1-5 or -2..2, not '{text}'")
    return low, high


@dataclass(frozen=True, kw_only=True)
class JudgeInputs:
    """Files of judgments, a model, and what it is asked."""

    judgments: JudgmentFiles
    server: ServerOptions
    template: str = option("rating, correct, reasoned, examples, mqm, or a file", "rating")
    shots: int | None = option(
        "examples with people's scores from the train split, for {examples}; candidates of that "
        "split are then not judged", parse=positive, metavar="N",
    )  # fmt: skip
    train: str = option("the split of the examples", "train", metavar="SPLIT")
    seed: int = seed_option("of the draw of examples")
    scale: tuple[int, int] | None = option(
        "such as 1-5, or --scale=-2..2 (default: the file's, 0-1 for correct)", parse=whole_scale
    )
    probe: str | None = option(
        "ask again with an instruction inside each candidate, or without references, and say what "
        "it changes; answers go to a file beside --out", choices=tuple(INPUT_PROBES),
    )  # fmt: skip
    limit: int | None = option("judge only the first N candidates", parse=positive)


@command("ask a language model to judge every candidate; can be stopped and resumed", formats=())
def judge(inputs: JudgeInputs) -> None:
    """Ask what is missing, write scores, and say what a probe changes."""
    server = inputs.server
    template = Template.load(inputs.template)
    if template.is_of_pairs:
        raise ValueError(f"the template '{inputs.template}' is of pairs: use concord judge-pairs")
    frame = inputs.judgments.read()
    scale = inputs.scale or _default_scale(template, frame)
    template, frame = _with_examples(template, frame, inputs, scale)
    pairs = zip(frame["id"], frame_items(frame), strict=True)
    candidates = [JudgedCandidate(key, item) for key, item in pairs][: inputs.limit]
    client, budget, name = server.client(template, scale), server.budget(), server.score_name
    runs = [JudgeRun(name, client, template, scale, budget, AnswerStore(server.out, server.reuse))]
    asked = [candidates]
    if inputs.probe:
        out = server.out.with_name(f"{server.out.stem}.{inputs.probe}.jsonl")
        probed = f"{name}-{inputs.probe}"
        runs.append(
            JudgeRun(probed, client, template, scale, budget, AnswerStore(out, server.reuse))
        )
        asked.append(changed(candidates, inputs.probe, scale[1]))
    confirm(runs, asked, client, template, ask=not server.yes)
    stopped = ask_all(runs, asked, client, server)
    write_signatures(server.out, {name: runs[0].signature})
    scores = runs[0].verdicts(candidates)
    invalid = sum(score is None for score in scores.values())
    print(
        f"{len(scores):,} of {counted(len(candidates), 'candidate')} judged, {invalid:,} without "
        f"a valid label; {spent(budget)}"
    )
    print_invalid(runs[0], candidates)
    if stopped:
        raise stop_error(stopped)
    if inputs.probe:
        clusters = dict(zip(frame["id"], cluster_codes(frame).tolist(), strict=True))
        _print_probe(compare_probe(inputs.probe, scores, runs[1].verdicts(asked[1]), clusters))


def _with_examples(
    template: Template,
    frame: pd.DataFrame,
    inputs: JudgeInputs,
    scale: tuple[int, int],
) -> tuple[Template, pd.DataFrame]:
    """The template with its examples, and the candidates that are not of their split."""
    if template.needs_examples != bool(inputs.shots):
        raise ValueError("a template with {examples} needs --shots, and --shots such a template")
    if not inputs.shots:
        return template, frame
    full = complete_frame(frame)
    gold = full["score"].to_numpy(np.float64)
    rows = draw_examples(
        full["split"].to_numpy(np.str_),
        gold,
        cluster_codes(full),
        inputs.shots,
        split=inputs.train,
        rng=np.random.default_rng(inputs.seed),
    )
    items = frame_items(full.iloc[rows])
    scored = zip(items, gold[rows].tolist(), strict=True)
    examples = examples_text(scored, template.sent_fields, scale)
    rest = frame[(full["split"] != inputs.train).to_numpy()].reset_index(drop=True)
    if rest.empty:
        raise ValueError(f"every candidate is of the split '{inputs.train}': none is left to judge")
    return replace(template, examples=examples), rest


def _print_probe(probe: Probe) -> None:
    figure = probe.figure
    value = decimal(figure.value, 3, "+")
    ends = "" if figure.ci is None else f" ({figure.ci[0]:+.3f} to {figure.ci[1]:+.3f})"
    print(f"{probe.name}: {value}{ends}, {probe.meaning}. The judge: {probe.verdict}.")


def _default_scale(template: Template, frame: pd.DataFrame) -> tuple[int, int]:
    if template.name == "correct" or template.marks_errors:  # marks have no scale
        return 0, 1
    scale: tuple[float, float] | None = frame.attrs.get("scale")
    if scale is None or any(end != int(end) for end in scale):
        raise ValueError("the file states no scale of whole numbers: give one with --scale")
    return int(scale[0]), int(scale[1])
