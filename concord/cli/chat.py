"""What the commands that ask a language model share: options, budget, confirmation, asking."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from concord.cli.arguments import amount, positive
from concord.cli.progress import progress_bar
from concord.formats.errors import quote
from concord.judges.chat import (
    BatchServer,
    BudgetSpentError,
    ChatClient,
    ChatError,
    FileBudget,
    HttpTransport,
    JudgeRun,
    ModelChangedError,
    Prices,
    Template,
)
from concord.judges.chat.batches import POLL_SECONDS
from concord.judges.chat.runs import JudgedCandidate
from concord.judges.chat.schemas import answer_schema
from concord.sentences import counted, decimal

LABEL_TOKENS, TEXT_TOKENS = 16, 512
# Invalid answers that are shown, and characters of each.
MAX_SHOWN, MAX_TEXT = 5, 200


def add_server(parser: argparse.ArgumentParser) -> None:
    """Add the server, the model, where answers are stored, and the budget."""
    option = parser.add_argument
    option("--endpoint", help="base URL of a server of the OpenAI chat protocol", required=True)
    option("--model", help="the model's name on that server", required=True)
    option("--key-env", default="OPENAI_API_KEY",
           help="environment variable with the key (default: OPENAI_API_KEY)")  # fmt: skip
    option("--name", help="name of the scores (default: judge-MODEL)")
    option("--out", type=Path, required=True, help="answers and scores, JSON Lines; resumed")
    option("--max-tokens", type=positive, help="budget in tokens, earlier runs of --out included")
    option("--max-cost", type=amount, help="budget in money, by the two prices")
    option("--prompt-price", type=amount, default=0.0, help="price of a million prompt tokens")
    option("--completion-price", type=amount, default=0.0, help="of a million answered tokens")
    option("--max-completion", type=positive, help="most tokens of an answer")
    option("--temperature", type=amount, default=0.0)
    option("--no-logprobs", action="store_true", help="for servers without log-probabilities")
    option("--json-schema", action="store_true",
           help="ask for answers by JSON schema; in text if the server refuses")  # fmt: skip
    option("--threads", type=positive, default=4, help="requests at once")
    option("--batch", action="store_true",
           help="ask by the server's batch endpoints (/batches): within a day, at the provider's "
                "price of batches, which the two prices are then")  # fmt: skip
    option("--poll", type=amount, default=POLL_SECONDS, metavar="SECONDS",
           help="how often to look whether a batch is answered (default: 30)")  # fmt: skip
    option("--reuse", type=Path, nargs="+", default=[], metavar="FILE",
           help="answers of earlier runs: equal requests are not sent again")  # fmt: skip
    option("--yes", action="store_true", help="send without asking")


def make_client(
    parsed: argparse.Namespace, template: Template, scale: tuple[int, int]
) -> ChatClient:
    """The client of the command's server. Raises ValueError."""
    is_long = template.is_reasoned or template.marks_errors
    max_completion = parsed.max_completion or (TEXT_TOKENS if is_long else LABEL_TOKENS)
    return ChatClient(
        HttpTransport(parsed.endpoint, _key(parsed)),
        parsed.model,
        max_completion=max_completion,
        temperature=parsed.temperature,
        logprobs=not parsed.no_logprobs,
        schema=answer_schema(template, *scale) if parsed.json_schema else None,
    )


def default_name(parsed: argparse.Namespace) -> str:
    """The name of the scores."""
    return parsed.name or f"judge-{parsed.model}"


def make_budget(parsed: argparse.Namespace) -> FileBudget:
    """The command's budget. Raises ValueError."""
    prices = Prices(parsed.prompt_price, parsed.completion_price)
    if parsed.max_cost is not None and prices == Prices():
        raise ValueError("--max-cost needs --prompt-price and --completion-price")
    return FileBudget(parsed.max_tokens, parsed.max_cost, prices)


def ask_all(
    runs: Sequence[JudgeRun],
    asked: Sequence[Sequence[JudgedCandidate]],
    client: ChatClient,
    parsed: argparse.Namespace,
) -> str:
    """Ask what is missing, with progress bars. The reason why it stopped, or ""."""
    batches = BatchServer(parsed.endpoint, _key(parsed)) if parsed.batch else None
    try:
        for judge, candidates in zip(runs, asked, strict=True):
            with progress_bar("scoring") as progress:
                judge.ask_all(
                    candidates,
                    threads=parsed.threads,
                    progress=progress,
                    batches=batches,
                    poll_seconds=parsed.poll,
                )
    except (BudgetSpentError, ChatError, ModelChangedError) as error:
        return str(error)
    finally:
        client.close()
        if batches is not None:
            batches.close()
    return ""


def _key(parsed: argparse.Namespace) -> str:
    return os.environ.get(parsed.key_env, "")


def spent(budget: FileBudget) -> str:
    """What was used, in words."""
    cost = f", cost {decimal(budget.cost, 4)}" if budget.prices != Prices() else ""
    return f"{counted(budget.tokens, 'token')}{cost}"


def print_invalid(judge: JudgeRun, asked: Sequence[JudgedCandidate]) -> None:
    """Print the first answers without a label on standard error, each with the reason."""
    answers = judge.invalid(asked)
    for answer in answers[:MAX_SHOWN]:
        text = quote(" ".join(answer["raw"].split()), MAX_TEXT)
        print(f"{answer['id']}: {answer['invalid']}. Answer: {text}", file=sys.stderr)
    more = len(answers) - MAX_SHOWN
    if more > 0:
        print(f"and {counted(more, 'invalid answer')} more, in --out", file=sys.stderr)


def stop_error(reason: str) -> RuntimeError:
    return RuntimeError(f"stopped: {reason}. Run the same command again to go on.")


def confirm(
    runs: Sequence[JudgeRun],
    asked: Sequence[Sequence[JudgedCandidate]],
    client: ChatClient,
    template: Template,
    *,
    ask: bool,
    what: str = "candidate",
) -> None:
    """Say what will be sent where and what it costs at most, and ask."""
    quotes = [judge.quote(candidates) for judge, candidates in zip(runs, asked, strict=True)]
    requests = sum(quote.requests for quote in quotes)
    tokens = sum(quote.prompt_tokens + quote.completion_tokens for quote in quotes)
    cost = sum(quote.cost for quote in quotes)
    quote = (
        f"{counted(requests, 'request')} to {client.host} (model {client.model}), with "
        f"{', '.join(template.sent_fields)} of each {what}"
        + (", and examples with people's scores" if template.examples else "")
        + f". At most {counted(tokens, 'token')}"
        + (f", cost {decimal(cost, 4)}" if cost else "")
        + ", retries apart."
    )
    if not ask or not requests:
        print(quote, file=sys.stderr)
        return
    if not sys.stdin.isatty():
        raise ValueError(f"{quote}\nnothing was sent: confirm with --yes")
    if input(f"{quote}\nSend them? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ValueError("nothing was sent")
