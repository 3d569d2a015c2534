"""Drafts of model judges, which have sent nothing, and quotes of what they would send."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, Sum

from benchmarks.judging.models import MAX_TEMPLATE, ModelJudge
from benchmarks.judging.services.asking import PURPOSE
from benchmarks.judging.services.questions import (
    all_questions,
    asked_positions,
    count_tokens,
    missing_questions,
)
from benchmarks.runs.models import Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden
from concord.bounds import REQUIRED, choice, choice_of, flag, items, number, text
from concord.judges.chat import Template, TemplateError
from concord.judges.chat.client import CHAT_PATH, key_fault
from concord.judges.chat.examples import draw_examples, examples_text
from concord.judges.chat.probes import INPUT_PROBES
from concord.sentences import to_sentence
from core.column_bounds import max_length
from core.refusals import RefusedError
from core.security import sealing
from core.security.outgoing.addresses import AddressRefusedError, resolve

Judged = Submission.Judged
OWN_TEMPLATE = "own"
TEMPLATES = {
    "rating": "a number on the scale",
    "correct": "correct or not, by the references",
    "reasoned": "an explanation, then a number",
    "examples": "a number, after rated examples",
    "mqm": "marked errors, with severities",
    "pairwise": "the better answer of each pair, asked in both orders",
    OWN_TEMPLATE: "my own, below",
}
PAIRS = {one.value: one.label for one in (Judged.MINIMAL_PAIRS, Judged.JUDGED_PAIRS)}
MAX_TOKENS = number(1, 10**12, label="Budget in tokens", help="Never exceeded.")
MAX_COST = number(0, 1e9, label="Budget in money")
MODEL_CHARS = max_length(ModelJudge, "model")
PROBES = {
    "injection": "with an instruction to give the highest score inside each candidate",
    "no-references": "without references",
}
COMPLETION = {False: 16, True: 512}
VALIDATED_FIELDS = ("name", "endpoint", "model")
# The fields of a spec that a judge has as they are.
STORED = (
    *("endpoint", "model", "temperature", "shots", "seed", "logprobs", "json_schema", "repeats"),
    *("threads", "prompt_price", "completion_price", "max_tokens", "max_cost"),
)
TRAIN = "train"
_PAIR_SCALE = 1, 2


@dataclass(frozen=True, slots=True)
class JudgeBudget:
    """The most that a judge may use, with what it used before."""

    max_tokens: int = field(metadata=MAX_TOKENS)
    max_cost: float | None = field(default=None, metadata=MAX_COST)


@dataclass(frozen=True)
class JudgeSpec:
    """A model, its server, the prompt, and the budget.

    template: a built-in template's name, or OWN_TEMPLATE with its text. scale: None for
    the set's, or 0 to 1 for the template "correct". shots: examples of train_split, drawn by seed,
    for a template with {examples}. pairs: of PAIRS, for a template of pairs; "" for the minimal
    pairs if the set has any, else the judged ones. probes: names of `INPUT_PROBES`. previous: the
    judge of which this is the next version.
    """

    name: str = field(
        metadata=text(
            max_length(ModelJudge, "name"),
            required=REQUIRED,
            help="The name on the board: letters, digits, spaces and . + @ # & - only.",
        )
    )
    endpoint: str = field(
        metadata=text(
            max_length(ModelJudge, "endpoint"),
            format="url",
            help="The base URL of a server of the OpenAI chat protocol, such as "
            "https://api.openai.com/v1.",
        )
    )
    model: str = field(metadata=text(MODEL_CHARS, label="Model"))
    key: str = field(
        metadata=text(
            500,
            help="Stored encrypted, shown to nobody, and deleted when the judge is complete.",
        )
    )
    max_tokens: int = field(metadata=MAX_TOKENS)
    template: str = field(default="rating", metadata=choice(TEMPLATES, label="The model gives"))
    own_template: str = field(
        default="",
        metadata=text(
            MAX_TEMPLATE,
            multiline=True,
            help="With {question}, {passage}, {references}, {candidate}, {low} and {high}. If it "
            "asks for a last line “Score: N”, the model may explain itself first. With {examples}, "
            "rated candidates are shown; with {first} and {second}, pairs are compared.",
        ),
    )
    scale: tuple[int, int] | None = None
    temperature: float = field(default=0.0, metadata=number(0, 2))
    max_completion: int | None = field(
        default=None,
        metadata=number(
            1,
            4096,
            label="Most tokens of an answer",
            help="Empty: 16, or 512 with an explanation.",
        ),
    )
    shots: int = field(
        default=0,
        metadata=number(
            0,
            50,
            label="Examples",
            help="Of candidates of the train split, which are sent with people's scores and are "
            "not judged themselves.",
        ),
    )
    train_split: str = field(
        default=TRAIN,
        metadata=text(
            max_length(ModelJudge, "train_split"), required=REQUIRED, label="Train split"
        ),
    )
    seed: int = field(default=0, metadata=number(0, 2**62, label="Seed of the examples"))
    logprobs: bool = field(
        default=True,
        metadata=flag(
            "The score is then the mean of the labels by their probabilities (G-Eval).",
            label="Ask for log-probabilities",
        ),
    )
    json_schema: bool = field(
        default=False,
        metadata=flag("In text if the server refuses.", label="Ask for answers by JSON schema"),
    )
    pairs: str = field(
        default="",
        metadata=choice(
            {"": "minimal pairs if the set has any, else judged pairs", **PAIRS},
            label="Pairs to compare",
            help="For a template of pairs. Judged pairs are those between which people chose.",
        ),
    )
    probes: tuple[str, ...] = field(
        default=(),
        metadata=items(
            len(INPUT_PROBES),
            each=choice_of({name: PROBES[name] for name in INPUT_PROBES}),
            label="Ask again",
            help="Each adds a request about each candidate; the judge's page says what changes.",
        ),
    )
    previous: ModelJudge | None = field(
        default=None,
        metadata=number(1, 2**62, help="The judge of which it is a new version."),
    )
    repeats: int = field(
        default=1,
        metadata=number(
            1,
            10,
            label="Answers about each candidate",
            help="Several show how stable the judge is.",
        ),
    )
    threads: int = field(default=4, metadata=number(1, 16, label="Requests at once"))
    prompt_price: float = field(
        default=0, metadata=number(0, 1e9, label="Price of a million prompt tokens")
    )
    completion_price: float = field(
        default=0, metadata=number(0, 1e9, label="Price of a million answered tokens")
    )
    max_cost: float | None = field(default=None, metadata=MAX_COST)


@dataclass(frozen=True)
class JudgeQuote:
    """What is sent at most, without requests that must be repeated. fields: of each candidate.
    examples: candidates of the train split that go with their scores into every request. probes:
    requests that are probes, of all."""

    host: str
    fields: list[str]
    examples: int
    requests: int
    probes: int
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


def spec_of(judge: ModelJudge) -> JudgeSpec:
    """The spec of the next version of a judge: its own values, without name and key."""
    return JudgeSpec(
        **{name: getattr(judge, name) for name in STORED},
        max_completion=judge.max_completion,
        name="",
        key="",
        template=OWN_TEMPLATE,
        own_template=judge.template,
        scale=(judge.low, judge.high),
        train_split=judge.train_split or TRAIN,
        pairs=judge.judged if judge.is_of_pairs else "",
        probes=tuple(judge.probes),
        previous=judge,
    )


def draft(
    judgment_set: JudgmentSet,
    spec: JudgeSpec,
    *,
    owner: User,
    at: datetime,
    aligned: bool = False,
) -> ModelJudge:
    """Store a judge that has sent nothing. Raises RefusedError.

    aligned: whether the disagreements of the train part were shown to change its prompt.
    """
    template = _template(spec, judgment_set)
    low, high = scale = (
        _PAIR_SCALE if template.is_of_pairs else (spec.scale or _scale(judgment_set, template))
    )
    template = _with_examples(template, judgment_set, spec, scale)
    judged = _pairs(judgment_set, spec.pairs) if template.is_of_pairs else Judged.CANDIDATES
    previous = spec.previous
    if previous is not None and previous.status != ModelJudge.Status.COMPLETE:
        raise RefusedError(
            f"{previous.name} is not complete: a new version is compared with its scores.",
            "judge-refused",
            "previous",
        )
    if spec.max_cost is not None and not (spec.prompt_price or spec.completion_price):
        raise RefusedError("A budget in money needs the two prices.", "judge-refused", "max_cost")
    _check_endpoint(spec.endpoint)
    if fault := key_fault(spec.key):
        raise RefusedError(f"The key {fault}.", "judge-refused", "key")
    judge = ModelJudge(
        judgment_set=judgment_set,
        owner=owner,
        name=spec.name,
        **{name: getattr(spec, name) for name in STORED},
        sealed_key=sealing.seal(spec.key, PURPOSE) if spec.key else "",
        template_name=template.name,
        template=template.text,
        examples=template.examples,
        judged=judged,
        train_split=spec.train_split if spec.shots else "",
        low=low,
        high=high,
        max_completion=spec.max_completion
        or COMPLETION[template.is_reasoned or template.marks_errors],
        probes=sorted(set(spec.probes)),
        previous=previous,
        aligned=aligned,
        created_at=at,
        sent_at=at,
    )
    try:
        names = {field.name for field in ModelJudge._meta.fields}
        judge.clean_fields(exclude=names - set(VALIDATED_FIELDS))
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise RefusedError(" ".join(messages), "judge-refused", field) from error
    if high <= low:
        raise RefusedError(
            "The scale's lowest point must be below its highest.", "judge-refused", "low"
        )
    try:
        judge.n_requests, judge.most_prompt_tokens = count_tokens(judge, all_questions(judge))
    except ValueError as error:
        raise RefusedError(to_sentence(error), "judge-refused", "high") from error
    if not judge.n_requests:
        raise RefusedError("The set has nothing for this judge.", "judge-refused", "template")
    judge.save()
    return judge


def quote(judge: ModelJudge) -> JudgeQuote:
    """The most that the missing answers can use, one try each.

    A judge of before the tokens were counted has none; they are counted and stored now.
    """
    answered = judge.answers.aggregate(
        n=Count("pk"),
        probes=Count("pk", filter=Q(variant__in=judge.probes)),
        prompt=Sum("most_prompt_tokens", default=0),
    )
    if not judge.most_prompt_tokens:
        _, missing = count_tokens(judge, missing_questions(judge))
        judge.most_prompt_tokens = answered["prompt"] + missing
        judge.save(update_fields=["most_prompt_tokens"])
    requests = judge.n_requests - answered["n"]
    prompt = judge.most_prompt_tokens - answered["prompt"]
    completion = requests * judge.max_completion
    probes = len(asked_positions(judge)) * len(judge.probes)
    return JudgeQuote(
        judge.host,
        judge.parsed_template.sent_fields,
        judge.shots,
        requests,
        probes - answered["probes"],
        prompt,
        completion,
        judge.prices.cost(prompt, completion),
    )


def check_examples(judge: ModelJudge) -> None:
    """Raise RefusedError if the labels of the judge's examples are hidden by now."""
    judgment_set = judge.judgment_set
    if judge.shots and hidden.hidden_splits(judgment_set) & {hidden.WHOLE, judge.train_split}:
        raise RefusedError(
            f"The labels of the split {judge.train_split} are hidden now: the examples of "
            f"{judge.name}, which have people's scores, are not sent.",
            "judge-refused",
        )


def _template(spec: JudgeSpec, judgment_set: JudgmentSet) -> Template:
    try:
        if spec.template == OWN_TEMPLATE:
            if len(spec.own_template) > MAX_TEMPLATE:
                raise TemplateError(f"the template has more than {MAX_TEMPLATE:,} characters")
            template = Template.parse(OWN_TEMPLATE, spec.own_template)
        else:
            template = Template.load(spec.template)
    except TemplateError as error:
        raise RefusedError(to_sentence(error), "judge-refused", "own_template") from error
    if unknown := set(spec.probes) - set(INPUT_PROBES):
        raise RefusedError(f"There is no probe “{min(unknown)}”.", "judge-refused", "probes")
    if spec.probes and (template.is_of_pairs or template.marks_errors):
        raise RefusedError(
            "The probes change a candidate and compare its scores: they need a template that gives "
            "a number for one candidate.",
            "judge-refused",
            "probes",
        )
    return template


def _pairs(judgment_set: JudgmentSet, pairs: str) -> str:
    """Which pairs a judge is asked about: of PAIRS."""
    has = {
        Judged.MINIMAL_PAIRS.value: judgment_set.n_pairs > 0,
        Judged.JUDGED_PAIRS.value: judgment_set.judged_pairs.exists(),
    }
    if pairs and not has.get(pairs):
        raise RefusedError(f"The set has no {pairs}.", "judge-refused", "pairs")
    available = [name for name in PAIRS if has[name]]
    if not available:
        raise RefusedError("The set has no pairs.", "judge-refused", "template")
    return pairs or available[0]


def _with_examples(
    template: Template, judgment_set: JudgmentSet, spec: JudgeSpec, scale: tuple[int, int]
) -> Template:
    """The template with its examples, from labels that are not hidden from anybody."""
    if template.needs_examples != bool(spec.shots):
        raise RefusedError(
            "A template with {examples} needs a number of examples, and examples such a template.",
            "judge-refused",
            "shots",
        )
    if not spec.shots:
        return template
    frame = frames.frame(judgment_set)
    gold = np.where(hidden.public_masks(judgment_set).candidates, np.nan, frame.gold)
    try:
        rows = draw_examples(
            frame.labels["split"],
            gold,
            frame.clusters,
            spec.shots,
            split=spec.train_split,
            rng=np.random.default_rng(spec.seed),
        )
        items = frames.items(judgment_set, rows)
        scored = zip(items, gold[rows].tolist(), strict=True)
        examples = examples_text(scored, template.sent_fields, scale)
    except TemplateError as error:
        raise RefusedError(to_sentence(error), "judge-refused", "shots") from error
    return replace(template, examples=examples)


def _scale(judgment_set: JudgmentSet, template: Template) -> tuple[int, int]:
    if template.name == "correct" or template.marks_errors:  # marks have no scale
        return 0, 1
    scale = judgment_set.scale
    if scale is None or scale[0] != int(scale[0]) or scale[1] != int(scale[1]):
        message = "The set has no scale of whole numbers: enter the lowest and the highest score."
        raise RefusedError(message, "judge-refused", "low")
    return int(scale[0]), int(scale[1])


def _check_endpoint(endpoint: str) -> None:
    if not endpoint:
        raise RefusedError("Enter the address of a server.", "judge-refused", "endpoint")
    try:
        resolve(endpoint.rstrip("/") + CHAT_PATH, settings.OUTGOING_ALLOWED_HOSTS)
    except AddressRefusedError as error:
        raise RefusedError(to_sentence(error), "judge-refused", "endpoint") from error
