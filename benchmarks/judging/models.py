"""Language models that this site asks to judge a set, and their answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from benchmarks.runs.models import Submission
from benchmarks.runs.models.submissions import NAME
from benchmarks.sets.models import JudgmentSet
from concord.formats.judge_answers import MAX_MODEL
from concord.judges.chat import Prices, Template
from core.jobs.models import LeasedJob

MAX_TEMPLATE = 20_000
SWAPPED = "swapped"


class ModelJudge(LeasedJob):
    """A model that judges the candidates or the pairs of a set, by a server of the OpenAI
    chat protocol.

    Nothing is sent before its owner has seen the host, the fields and the most that it can cost,
    and confirmed them (`confirmed_at`). Each request reserves the most tokens that it can use, in
    `spent_prompt` and `spent_completion`, before it is sent; a constraint keeps these within
    `max_tokens`. What a request did not use is given back; one whose answer was lost stays charged.
    When all is answered, the answers become a submission of the kind "judgments".

    endpoint: "" for a model on the site's own machines, which earlier versions could ask.
    sealed_key: encrypted, and deleted when the judge is complete. template_name: of a built-in
    template, or "own". examples: candidates of `train_split` with people's scores, drawn by `seed`;
    candidates of that split are not judged. low, high: the scale. repeats: answers about each
    candidate. probes: names of `INPUT_PROBES`, each asked once about each candidate. json_schema:
    whether answers are by JSON schema; the server may refuse that with the first request. threads:
    requests at once. prompt_price, completion_price: money for a million tokens. n_requests,
    most_prompt_tokens: of all that it asks, repeated requests apart. answered_model: the version as
    the server names it; another one ends the job. previous: the version of the judge whose prompt
    was changed. comparison: with it, `ComparedVersions` as JSON, once the judge is complete.
    aligned: whether the disagreements of the train part were shown to change it
    (`services.versions.train_part`).
    """

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="model_judges")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="model_judges")
    name = models.CharField(max_length=80, validators=[RegexValidator(rf"^{NAME}\Z")])
    endpoint = models.URLField(max_length=500, blank=True)
    model = models.CharField(max_length=MAX_MODEL)
    sealed_key = models.TextField(blank=True)
    template_name = models.CharField(max_length=40)
    template = models.TextField(max_length=MAX_TEMPLATE)
    examples = models.TextField(blank=True)
    judged = models.CharField(
        max_length=20, choices=Submission.Judged, default=Submission.Judged.CANDIDATES
    )
    shots = models.PositiveSmallIntegerField(default=0)
    train_split = models.CharField(max_length=500, blank=True)
    seed = models.BigIntegerField(default=0)
    low = models.IntegerField()
    high = models.IntegerField()
    temperature = models.FloatField(default=0.0)
    max_completion = models.PositiveIntegerField()
    logprobs = models.BooleanField(default=True)
    json_schema = models.BooleanField(default=False)
    repeats = models.PositiveSmallIntegerField(default=1)
    probes = ArrayField(models.CharField(max_length=20), default=list)
    threads = models.PositiveSmallIntegerField(default=4)
    prompt_price = models.FloatField(default=0.0)
    completion_price = models.FloatField(default=0.0)
    max_tokens = models.PositiveBigIntegerField()
    max_cost = models.FloatField(null=True)
    spent_prompt = models.PositiveBigIntegerField(default=0)
    spent_completion = models.PositiveBigIntegerField(default=0)
    n_requests = models.PositiveIntegerField(default=0)
    most_prompt_tokens = models.PositiveBigIntegerField(default=0)
    answered_model = models.CharField(max_length=MAX_MODEL, blank=True)
    previous = models.ForeignKey("self", models.SET_NULL, null=True, related_name="next_versions")
    comparison = models.JSONField(null=True)
    aligned = models.BooleanField(default=False)
    confirmed_at = models.DateTimeField(null=True)
    submission = models.OneToOneField(Submission, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(max_tokens__gte=F("spent_prompt") + F("spent_completion")),
                name="a_budget_of_tokens_is_not_exceeded",
            ),
            models.CheckConstraint(condition=Q(high__gt=F("low")), name="a_scale_rises"),
        ]
        indexes = [
            models.Index(
                fields=["lease_until", "sent_at"],
                condition=Q(status__in=["queued", "running"], confirmed_at__isnull=False),
                name="open_model_judges",
            ),
        ]

    def __str__(self) -> str:
        return f"the judge {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("model-judge", args=[str(self.judgment_set), self.pk])

    @classmethod
    def requested(cls) -> models.QuerySet[Self]:
        """The confirmed ones."""
        return super().requested().filter(confirmed_at__isnull=False)

    @property
    def is_draft(self) -> bool:
        return self.confirmed_at is None

    @property
    def progress(self) -> tuple[int, int]:
        return self.answers.count(), self.n_requests

    @property
    def parsed_template(self) -> Template:
        return replace(Template.parse(self.template_name, self.template), examples=self.examples)

    @property
    def is_of_pairs(self) -> bool:
        return self.judged != Submission.Judged.CANDIDATES

    @property
    def host(self) -> str:
        """Where the model runs."""
        return urlsplit(self.endpoint).hostname or "this site"

    @property
    def prices(self) -> Prices:
        return Prices(self.prompt_price, self.completion_price)

    @property
    def spent_tokens(self) -> int:
        return self.spent_prompt + self.spent_completion

    @property
    def cost(self) -> float:
        """What was spent, in the owner's currency."""
        return self.prices.cost(self.spent_prompt, self.spent_completion)

    @property
    def cost_per_thousand(self) -> float | None:
        """Of answers, those lost included."""
        count = self.answers.count()
        return 1000 * self.cost / count if count else None


class ModelAnswer(models.Model):
    """One answer of a model about the candidate or the pair at `position`.

    variant: "", a probe's name, or SWAPPED for a pair in the other order. score, label: null for an
    invalid answer; error marks have no label. spans: [start, end, severity] of each marked error.
    most_prompt_tokens: those that were reserved.
    """

    judge = models.ForeignKey(ModelJudge, models.CASCADE, related_name="answers")
    variant = models.CharField(max_length=20, blank=True)
    position = models.PositiveIntegerField()
    repeat = models.PositiveSmallIntegerField()
    score = models.FloatField(null=True)
    label = models.IntegerField(null=True)
    spans = models.JSONField(default=list)
    reason = models.TextField(blank=True)
    raw = models.TextField(blank=True)
    model = models.CharField(max_length=MAX_MODEL, blank=True)
    prompt_tokens = models.PositiveIntegerField()
    most_prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField()
    seconds = models.FloatField()
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ["judge", "variant", "position", "repeat"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "variant", "position", "repeat"],
                name="one_model_answer_per_question",
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.repeat} about {self.position}"
