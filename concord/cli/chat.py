"""What the commands that ask a language model share: options, budget, confirmation, asking."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path

from concord.arguments import amount, positive
from concord.cli.command import option, progress_bar
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


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """The server, the model, where answers are stored, and the budget."""

    endpoint: str = option("base URL of a server of the OpenAI chat protocol", MISSING)
    model: str = option("the model's name on that server", MISSING)
    key_env: str = option("environment variable with the key (default: OPENAI_API_KEY)",
                          "OPENAI_API_KEY")  # fmt: skip
    name: str | None = option("name of the scores (default: judge-MODEL)")
    out: Path = option("answers and scores, JSON Lines; resumed", MISSING)
    max_tokens: int | None = option("budget in tokens, earlier runs of --out included",
                                    parse=positive)  # fmt: skip
    max_cost: float | None = option("budget in money, by the two prices", parse=amount)
    prompt_price: float = option("price of a million prompt tokens", 0.0, amount)
    completion_price: float = option("of a million answered tokens", 0.0, amount)
    max_completion: int | None = option("most tokens of an answer", parse=positive)
    temperature: float = option("", 0.0, amount)
    no_logprobs: bool = option("for servers without log-probabilities", False)
    json_schema: bool = option("ask for answers by JSON schema; in text if the server refuses",
                               False)  # fmt: skip
    threads: int = option("requests at once", 4, positive)
    batch: bool = option(
        "ask by the server's batch endpoints (/batches): within a day, at the provider's price of "
        "batches, which the two prices are then", False,
    )  # fmt: skip
    poll: float = option("how often to look whether a batch is answered (default: 30)",
                         POLL_SECONDS, amount, metavar="SECONDS")  # fmt: skip
    reuse: Sequence[Path] = option("answers of earlier runs: equal requests are not sent again",
                                   (), metavar="FILE")  # fmt: skip
    yes: bool = option("send without asking", False)

    @property
    def key(self) -> str:
        """The server's key; empty where the environment has none."""
        return os.environ.get(self.key_env, "")

    @property
    def score_name(self) -> str:
        """The name of the scores."""
        return self.name or f"judge-{self.model}"

    def client(self, template: Template, scale: tuple[int, int]) -> ChatClient:
        """The client of the server. Raises ValueError."""
        is_long = template.is_reasoned or template.marks_errors
        return ChatClient(
            HttpTransport(self.endpoint, self.key),
            self.model,
            max_completion=self.max_completion or (TEXT_TOKENS if is_long else LABEL_TOKENS),
            temperature=self.temperature,
            logprobs=not self.no_logprobs,
            schema=answer_schema(template, *scale) if self.json_schema else None,
        )

    def budget(self) -> FileBudget:
        """The budget. Raises ValueError."""
        prices = Prices(self.prompt_price, self.completion_price)
        if self.max_cost is not None and prices == Prices():
            raise ValueError("--max-cost needs --prompt-price and --completion-price")
        return FileBudget(self.max_tokens, self.max_cost, prices)


def ask_all(
    runs: Sequence[JudgeRun],
    asked: Sequence[Sequence[JudgedCandidate]],
    client: ChatClient,
    server: ServerOptions,
) -> str:
    """Ask what is missing, with progress bars. The reason why it stopped, or ""."""
    batches = BatchServer(server.endpoint, server.key) if server.batch else None
    try:
        for judge, candidates in zip(runs, asked, strict=True):
            with progress_bar("scoring") as progress:
                judge.ask_all(
                    candidates,
                    threads=server.threads,
                    progress=progress,
                    batches=batches,
                    poll_seconds=server.poll,
                )
    except (BudgetSpentError, ChatError, ModelChangedError) as error:
        return str(error)
    finally:
        client.close()
        if batches is not None:
            batches.close()
    return ""


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
