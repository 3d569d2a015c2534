"""`concord judge FILE`: ask a language model to judge every candidate."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from concord.cli.arguments import natural, positive
from concord.cli.chat import (
    add_server,
    ask_all,
    confirm,
    default_name,
    make_budget,
    make_client,
    print_invalid,
    spent,
    stop_error,
)
from concord.cli.files import add_file, read_file
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


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "judge", help="ask a language model to judge every candidate; can be stopped and resumed"
    )
    add_file(parser)
    add_server(parser)
    option = parser.add_argument
    option(
        "--template", default="rating", help="rating, correct, reasoned, examples, mqm, or a file"
    )
    option("--shots", type=positive, metavar="N",
           help="examples with people's scores from the train split, for {examples}; candidates of "
                "that split are then not judged")  # fmt: skip
    option("--train", default="train", metavar="SPLIT", help="the split of the examples")
    option("--seed", type=natural, default=0, help="of the draw of examples")
    option("--scale", type=_scale,
           help="such as 1-5, or --scale=-2..2 (default: the file's, 0-1 for correct)")  # fmt: skip
    option("--probe", choices=tuple(INPUT_PROBES),
           help="ask again with an instruction inside each candidate, or without references, and "
                "say what it changes; answers go to a file beside --out")  # fmt: skip
    option("--limit", type=positive, help="judge only the first N candidates")
    parser.set_defaults(run=run)


def _scale(text: str) -> tuple[int, int]:
    ends = re.split(r"\.\.|(?<=\d)-", text, maxsplit=1)
    low, high = map(read_whole_number, ends if len(ends) == 2 else ("", ""))
    if isinstance(low, str) or isinstance(high, str) or low >= high:
        message = f"must be two whole numbers such as 1-5 or -2..2, not '{text}'"
        raise argparse.ArgumentTypeError(message)
    return low, high


def run(parsed: argparse.Namespace) -> None:
    template = Template.load(parsed.template)
    if template.is_of_pairs:
        raise ValueError(f"the template '{parsed.template}' is of pairs: use concord judge-pairs")
    frame = read_file(parsed)
    scale = parsed.scale or _default_scale(template, frame)
    template, frame = _with_examples(template, frame, parsed, scale)
    pairs = zip(frame["id"], frame_items(frame), strict=True)
    candidates = [JudgedCandidate(key, item) for key, item in pairs][: parsed.limit]
    client, budget = make_client(parsed, template, scale), make_budget(parsed)
    name = default_name(parsed)
    runs = [JudgeRun(name, client, template, scale, budget, AnswerStore(parsed.out, parsed.reuse))]
    asked = [candidates]
    if parsed.probe:
        out = parsed.out.with_name(f"{parsed.out.stem}.{parsed.probe}.jsonl")
        probed = f"{name}-{parsed.probe}"
        runs.append(
            JudgeRun(probed, client, template, scale, budget, AnswerStore(out, parsed.reuse))
        )
        asked.append(changed(candidates, parsed.probe, scale[1]))
    confirm(runs, asked, client, template, ask=not parsed.yes)
    stopped = ask_all(runs, asked, client, parsed)
    write_signatures(parsed.out, {name: runs[0].signature})
    scores = runs[0].verdicts(candidates)
    invalid = sum(score is None for score in scores.values())
    print(
        f"{len(scores):,} of {counted(len(candidates), 'candidate')} judged, {invalid:,} "
        "without a valid "
        f"label; {spent(budget)}"
    )
    print_invalid(runs[0], candidates)
    if stopped:
        raise stop_error(stopped)
    if parsed.probe:
        clusters = dict(zip(frame["id"], cluster_codes(frame).tolist(), strict=True))
        _print_probe(compare_probe(parsed.probe, scores, runs[1].verdicts(asked[1]), clusters))


def _with_examples(
    template: Template,
    frame: pd.DataFrame,
    parsed: argparse.Namespace,
    scale: tuple[int, int],
) -> tuple[Template, pd.DataFrame]:
    """The template with its examples, and the candidates that are not of their split."""
    if template.needs_examples != bool(parsed.shots):
        raise ValueError("a template with {examples} needs --shots, and --shots such a template")
    if not parsed.shots:
        return template, frame
    full = complete_frame(frame)
    gold = full["score"].to_numpy(np.float64)
    rows = draw_examples(
        full["split"].to_numpy(np.str_),
        gold,
        cluster_codes(full),
        parsed.shots,
        split=parsed.train,
        rng=np.random.default_rng(parsed.seed),
    )
    items = frame_items(full.iloc[rows])
    scored = zip(items, gold[rows].tolist(), strict=True)
    examples = examples_text(scored, template.sent_fields, scale)
    rest = frame[(full["split"] != parsed.train).to_numpy()].reset_index(drop=True)
    if rest.empty:
        raise ValueError(f"every candidate is of the split '{parsed.train}': none is left to judge")
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
