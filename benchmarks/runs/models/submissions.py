"""Submissions: metrics that people submit to a judgment set, and a judge's single answers."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from benchmarks.sets.models import JudgmentSet
from concord.formats.judge_answers import MAX_MODEL

# Allowed in boards, names of columns and signatures.
NAME = r"[^\W_][\w .+@#&-]{0,79}"


class Submission(models.Model):
    """A metric that somebody submitted to one version of a set; its scores are a metric run.

    It is private to its owner until `published_at`. One without an owner was made on the command
    line and is public. Withdrawing it deletes the run but not this row, which counts towards the
    daily limit. The set's next version gets a copy with the scores of the items that stayed; while
    an item lacks a score, the copy has no run.
    """

    class Kind(models.TextChoices):
        SCORES = "scores", "uploaded scores"
        JUDGMENTS = "judgments", "stored judgments of a judge"
        ENTRY_POINT = "entry-point", "Python entry point"
        ENDPOINT = "endpoint", "HTTP endpoint"
        JURY = "jury", "jury of the set's judges"

    class Judged(models.TextChoices):
        CANDIDATES = "candidates"
        MINIMAL_PAIRS = "minimal pairs"
        JUDGED_PAIRS = "judged pairs", "pairs that people judged"

    FROM_FILE = (Kind.SCORES, Kind.JUDGMENTS)
    # Earlier versions made juries on the page of judges.
    SUBMITTED = (*FROM_FILE, Kind.ENTRY_POINT, Kind.ENDPOINT)

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="submissions")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="submissions"
    )
    kind = models.CharField(max_length=20, choices=Kind)
    name = models.CharField(max_length=80, validators=[RegexValidator(rf"^{NAME}\Z")])
    link = models.URLField(max_length=500, blank=True)
    authors = models.CharField(max_length=500, blank=True)
    note = models.TextField(max_length=4000, blank=True)
    higher_is_better = models.BooleanField(default=True)
    source = models.CharField(
        max_length=2000,
        blank=True,
        help_text="The endpoint's URL, the entry point's name or the jury's signature.",
    )
    digest = models.CharField(
        max_length=64, help_text="SHA-256 of the scores, or of the source that computes them."
    )
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
    carried_from = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The same metric on an earlier version, from which its scores were taken.",
    )
    judged = models.CharField(
        max_length=20,
        choices=Judged,
        default=Judged.CANDIDATES,
        help_text="Of the kind judgments: what the judge was asked about.",
    )
    left_out_split = models.CharField(
        max_length=500,
        blank=True,
        help_text="The split of a judge's examples, whose candidates it does not judge.",
    )
    answer_cost = models.FloatField(
        null=True,
        help_text="Of a judge that this site asked at a price: what its answers about one item "
        "cost, in its owner's currency.",
    )
    choice_scores = models.BinaryField(
        null=True,
        help_text="Of a judge of judged pairs: the scores of their members, NaN for invalid "
        "answers. Its run has scores of no item.",
    )

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(owner__isnull=False) | Q(published_at__isnull=False),
                name="what_is_nobodys_is_public",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} on {self.judgment_set}"

    @property
    def is_public(self) -> bool:
        return self.published_at is not None

    @property
    def is_withdrawn(self) -> bool:
        return self.withdrawn_at is not None

    @property
    def is_from_file(self) -> bool:
        """Whether its scores were uploaded, so that none can be computed here."""
        return self.kind in self.FROM_FILE

    @property
    def is_of_pairs(self) -> bool:
        """Whether it has scores of pairs only, which were compared."""
        return self.judged != self.Judged.CANDIDATES


class JudgeAnswer(models.Model):
    """One answer of a judge about one candidate, of a submission of the kind "judgments".

    probe: what was changed in what the judge saw, "" for nothing; a probe's answers are not part of
    the scores. position: the candidate's. repeat: from 0; the judge was asked that many times
    before about the same candidate. score: null for an invalid answer, and `reason` says why. raw:
    the judge's own words.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="answers")
    probe = models.CharField(max_length=20, blank=True)
    position = models.PositiveIntegerField()
    repeat = models.PositiveIntegerField()
    score = models.FloatField(null=True)
    reason = models.TextField(blank=True)
    raw = models.TextField(blank=True)
    model = models.CharField(max_length=MAX_MODEL, blank=True)

    class Meta:
        ordering = ["submission", "probe", "position", "repeat"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "probe", "position", "repeat"], name="one_answer_per_repeat"
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.repeat} of {self.submission_id} about {self.position}"
