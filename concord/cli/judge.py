"""`concord judge FILE`: ask a language model to judge every candidate."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from concord.cli.arguments import amount, positive
from concord.cli.files import add_file, read_file
from concord.cli.progress import scoring_progress
from concord.frames import cluster_codes, complete_frame
from concord.judges.chat import (
    Budget,
    BudgetSpentError,
    ChatClient,
    ChatError,
    JudgeRun,
    ModelChangedError,
    Prices,
    Template,
)
from concord.judges.chat.examples import draw_examples
from concord.judges.chat.probes import INPUT_PROBES, changed, compare_probe
from concord.judges.chat.runs import Candidate
from concord.judges.chat.store import AnswerStore
from concord.judges.probes import Probe
from concord.scoring import frame_items

DEFAULT_COMPLETION = {False: 16, True: 512}


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "judge", help="ask a language model to judge every candidate; can be stopped and resumed"
    )
    add_file(parser)
    option = parser.add_argument
    option("--endpoint", required=True, help="base URL of a server of the OpenAI chat protocol")
    option("--model", required=True, help="the model's name on that server")
    option("--key-env", default="OPENAI_API_KEY",
           help="environment variable with the key (default: OPENAI_API_KEY)")  # fmt: skip
    option("--template", default="rating", help="rating, correct, reasoned, examples, or a file")
    option("--shots", type=positive, metavar="N",
           help="examples with people's scores from the train split, for {examples}; candidates of "
                "that split are then not judged")  # fmt: skip
    option("--train", default="train", metavar="SPLIT", help="the split of the examples")
    option("--seed", type=int, default=0, help="of the draw of examples")
    option("--scale", type=_scale, help="such as 1-5 (default: the file's, 0-1 for correct)")
    option("--name", help="name of the scores (default: judge-MODEL)")
    option("--out", type=Path, required=True, help="answers and scores, JSON Lines; resumed")
    option("--max-tokens", type=positive, help="budget in tokens, earlier runs of --out included")
    option("--max-cost", type=amount, help="budget in money, by the two prices")
    option("--prompt-price", type=amount, default=0.0, help="price of a million prompt tokens")
    option("--completion-price", type=amount, default=0.0, help="of a million answered tokens")
    option("--max-completion", type=positive, help="most tokens of an answer")
    option("--temperature", type=amount, default=0.0)
    option("--no-logprobs", action="store_true", help="for servers without log-probabilities")
    option("--threads", type=positive, default=4, help="requests at once")
    option("--probe", choices=tuple(INPUT_PROBES),
           help="ask again with an instruction inside each candidate, or without references, and "
                "say what it changes; answers go to a file beside --out")  # fmt: skip
    option("--limit", type=positive, help="judge only the first N candidates")
    option("--yes", action="store_true", help="send without asking")
    parser.set_defaults(run=run)


def _scale(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    if not (dash and low.isdigit() and high.isdigit() and int(low) < int(high)):
        raise argparse.ArgumentTypeError(f"must be two whole numbers such as 1-5, not '{text}'")
    return int(low), int(high)


def run(parsed: argparse.Namespace) -> None:
    template = Template.load(parsed.template)
    frame = read_file(parsed)
    template, frame = _with_examples(template, frame, parsed)
    pairs = zip(frame["id"], frame_items(frame), strict=True)
    candidates = [Candidate(key, item) for key, item in pairs][: parsed.limit]
    client = ChatClient(
        parsed.endpoint,
        parsed.model,
        os.environ.get(parsed.key_env, ""),
        max_completion=parsed.max_completion or DEFAULT_COMPLETION[template.is_reasoned],
        temperature=parsed.temperature,
        logprobs=not parsed.no_logprobs,
    )
    prices = Prices(parsed.prompt_price, parsed.completion_price)
    budget = Budget(parsed.max_tokens, parsed.max_cost, prices)
    if parsed.max_cost is not None and prices == Prices():
        raise ValueError("--max-cost needs --prompt-price and --completion-price")
    scale = parsed.scale or _default_scale(template, frame)
    name = parsed.name or f"judge-{parsed.model}"
    runs = [JudgeRun(name, client, template, scale, budget, AnswerStore(parsed.out))]
    asked = [candidates]
    if parsed.probe:
        out = parsed.out.with_name(f"{parsed.out.stem}.{parsed.probe}.jsonl")
        probed = f"{name}-{parsed.probe}"
        runs.append(JudgeRun(probed, client, template, scale, budget, AnswerStore(out)))
        asked.append(changed(candidates, parsed.probe, scale[1]))
    _confirm(runs, asked, client, template, ask=not parsed.yes)
    stopped = ""
    try:
        for judge, each in zip(runs, asked, strict=True):
            with scoring_progress() as progress:
                judge.ask_all(each, threads=parsed.threads, progress=progress)
    except (BudgetSpentError, ChatError, ModelChangedError) as error:
        stopped = str(error)
    finally:
        client.close()
    signatures = parsed.out.with_name(f"{parsed.out.name}.signatures.json")
    signatures.write_text(json.dumps({name: runs[0].signature}, indent=1) + "\n", encoding="utf-8")
    scores = runs[0].verdicts(candidates)
    invalid = sum(score is None for score in scores.values())
    print(
        f"{len(scores):,} of {len(candidates):,} candidates judged, {invalid:,} without a valid "
        f"label; {budget.tokens:,} tokens"
        + (f", cost {budget.cost:.4f}" if prices != Prices() else "")
    )
    if stopped:
        raise RuntimeError(f"stopped: {stopped}. Run the same command again to go on.")
    if parsed.probe:
        clusters = dict(zip(frame["id"], cluster_codes(frame).tolist(), strict=True))
        _print_probe(compare_probe(parsed.probe, scores, runs[1].verdicts(asked[1]), clusters))


def _with_examples(
    template: Template, frame: pd.DataFrame, parsed: argparse.Namespace
) -> tuple[Template, pd.DataFrame]:
    """The template with its examples, and the candidates that are not of their split."""
    if template.needs_examples != bool(parsed.shots):
        raise ValueError("a template with {examples} needs --shots, and --shots such a template")
    if not parsed.shots:
        return template, frame
    full, scale = complete_frame(frame), frame.attrs.get("scale")
    rng = np.random.default_rng(parsed.seed)
    examples = draw_examples(full, parsed.shots, split=parsed.train, rng=rng)
    rest = frame[(full["split"] != parsed.train).to_numpy()].reset_index(drop=True)
    rest.attrs["scale"] = scale
    if rest.empty:
        raise ValueError(f"every candidate is of the split '{parsed.train}': none is left to judge")
    return replace(template, examples=examples), rest


def _print_probe(probe: Probe) -> None:
    figure = probe.figure
    value = "undefined" if figure.value is None else f"{figure.value:+.3f}"
    ends = "" if figure.ci is None else f" ({figure.ci[0]:+.3f} to {figure.ci[1]:+.3f})"
    print(f"{probe.name}: {value}{ends}, {probe.meaning}. The judge: {probe.verdict}.")


def _default_scale(template: Template, frame: pd.DataFrame) -> tuple[int, int]:
    if template.name == "correct":
        return 0, 1
    scale: tuple[float, float] | None = frame.attrs.get("scale")
    if scale is None or any(end != int(end) for end in scale):
        raise ValueError("the file states no scale of whole numbers: give one with --scale")
    return int(scale[0]), int(scale[1])


def _confirm(
    runs: list[JudgeRun],
    asked: list[list[Candidate]],
    client: ChatClient,
    template: Template,
    *,
    ask: bool,
) -> None:
    """Say what will be sent where and what it costs at most, and ask."""
    quotes = [judge.quote(candidates) for judge, candidates in zip(runs, asked, strict=True)]
    requests = sum(quote.requests for quote in quotes)
    tokens = sum(quote.prompt_tokens + quote.completion_tokens for quote in quotes)
    cost = sum(quote.cost for quote in quotes)
    print(
        f"{requests:,} requests to {client.host} (model {client.model}), with "
        f"{', '.join(template.sent_fields)} of each candidate"
        + (", and examples with people's scores" if template.examples else "")
        + f". At most {tokens:,} tokens"
        + (f", cost {cost:.4f}" if cost else "")
        + ", retries apart.",
        file=sys.stderr,
    )
    if not ask or not requests:
        return
    if not sys.stdin.isatty():
        raise ValueError("nothing was sent: confirm with --yes")
    if input("Send them? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ValueError("nothing was sent")
