"""Judgment sets: instances, candidates with gold scores and ratings, minimal pairs.

A version of a set is written in one transaction and never changed: triggers in the database refuse
updates of its rows. A change makes a new version under the same name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.urls import reverse
from numpy.typing import NDArray

from benchmarks.sets.viewers import PUBLIC, Viewer
from concord.documents.description import WordsRow
from concord.formats.records import WordScale
from core.accounts.roles import Role
from core.instances import StoredInstance

if TYPE_CHECKING:
    from benchmarks.sets.models.criteria import Criterion

NAME_PATTERN = r"[a-z0-9][a-z0-9._-]{0,79}"
REFERENCE = re.compile(rf"(?P<name>{NAME_PATTERN})(?:@(?P<version>[1-9][0-9]{{0,8}}))?")


class JudgmentSetManager(models.Manager["JudgmentSet"]):
    """Defers the sets' arrays, which are megabytes that few callers need."""

    def get_queryset(self) -> models.QuerySet[JudgmentSet]:
        return super().get_queryset().defer("gold_scores", "text_keys", "context_keys")


class JudgmentSetQuerySet(models.QuerySet["JudgmentSet"]):
    def published(self) -> JudgmentSetQuerySet:
        return self.filter(published_at__isnull=False)

    def visible_to(self, viewer: Viewer) -> JudgmentSetQuerySet:
        """The versions that a viewer may see: public ones and those of sets they are a member of.
        Administrators see all."""
        if viewer.every_set:
            return self.all()
        if viewer.user is None:
            return self.published()
        own_names = SetMember.objects.filter(user=viewer.user).values("set_name")
        return self.filter(Q(published_at__isnull=False) | Q(name__in=own_names))

    def numbered(self) -> JudgmentSetQuerySet:
        """Annotate each row with `latest_version`: the highest version of its name among these."""
        newest = self.filter(name=OuterRef("name")).order_by("-version")
        return self.annotate(latest_version=Subquery(newest.values("version")[:1]))

    def latest_versions(self) -> JudgmentSetQuerySet:
        """The latest version of each name, ordered by name."""
        return self.order_by("name", "-version").distinct("name")

    def named(self, reference: str) -> JudgmentSet:
        """The set with the reference `NAME` (its latest version) or `NAME@2`.

        Raises JudgmentSet.DoesNotExist; the message lists the available sets.
        """
        matched = REFERENCE.fullmatch(reference)
        if matched is None:
            raise self.model.DoesNotExist(
                f"'{reference}' is not the name of a judgment set. Write NAME or NAME@VERSION."
            )
        versions = self.filter(name=matched["name"]).order_by("-version")
        if matched["version"]:
            versions = versions.filter(version=matched["version"])
        judgment_set = versions.first()
        if judgment_set is None:
            names = ", ".join(self.latest_versions().values_list("name", flat=True)[:20])
            raise self.model.DoesNotExist(
                f"There is no judgment set '{reference}'. Available sets: {names or 'none'}."
            )
        return judgment_set


class JudgmentSet(models.Model):
    """One frozen version of a judgment set.

    `gold_scores`: the candidates' gold scores by position as little-endian float64, NaN for a
    candidate without judgments. `text_keys`: 16 bytes for each item (the candidates, then both
    members of each pair), a hash of candidate and references. `context_keys`: the same with
    question and passage. The keys identify items whose scores are stored already.
    """

    name = models.CharField(max_length=80, validators=[RegexValidator(rf"^{NAME_PATTERN}$")])
    version = models.PositiveIntegerField()
    pseudonym_key = models.CharField(
        max_length=64, help_text="Key of the raters' pseudonyms, the same in all versions."
    )
    title = models.CharField(max_length=500, blank=True)
    description = models.TextField(blank=True)
    illustrative = models.BooleanField(
        default=False, help_text="An invented example: not the judgments of people."
    )
    source_format = models.CharField(max_length=40)
    scale_low = models.FloatField(null=True, blank=True)
    scale_high = models.FloatField(null=True, blank=True)
    words = models.JSONField(null=True, blank=True, help_text="Of ratings in words: their scale.")
    content_hash = models.CharField(max_length=64)
    report = models.JSONField(default=dict, help_text="What the import read and left out.")
    statistics = models.JSONField(default=dict, help_text="The figures of MOCHA's Table 2.")
    n_candidates = models.PositiveIntegerField()
    n_pairs = models.PositiveIntegerField(default=0)
    gold_scores = models.BinaryField()
    text_keys = models.BinaryField()
    context_keys = models.BinaryField()
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it became public. None: only members see it.",
    )

    objects = JudgmentSetManager.from_queryset(JudgmentSetQuerySet)()

    # The account that this object was fetched for (see `services.access.set_for`).
    viewer: Viewer = PUBLIC
    # The criterion whose judgments are read from this object (see `services.criteria.choose`);
    # None: the set's score.
    criterion: Criterion | None = None

    class Meta:
        ordering = ["name", "-version"]
        base_manager_name = "objects"
        constraints = [
            models.UniqueConstraint(fields=["name", "version"], name="one_set_per_name_version"),
            models.CheckConstraint(condition=Q(version__gte=1), name="versions_count_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    def get_absolute_url(self) -> str:
        return reverse("judgment-set", args=[str(self)])

    @property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and the highest value, of the chosen criterion if any; None where unknown."""
        return self.own_scale if self.criterion is None else self.criterion.scale

    @property
    def own_scale(self) -> tuple[float, float] | None:
        """As `scale`, of the set's score."""
        return stored_scale(self)

    @property
    def gold_array(self) -> NDArray[np.float64]:
        """The scores by position of the candidates, NaN without one, read-only; of no criterion."""
        return np.frombuffer(bytes(self.gold_scores), dtype="<f8")

    @property
    def label(self) -> str:
        return self.title or self.name

    @property
    def is_simulated(self) -> bool:
        """Whether simulated raters gave ratings in it; its texts may be real."""
        by_study = self.report.get("study", {}).get("simulated")
        return self.illustrative and bool(by_study or self.report.get("simulated"))

    @property
    def has_unequal_sampling(self) -> bool:
        """Whether rated candidates were drawn with unequal probabilities. Figures that do not weigh
        by them would be biased, and are withheld."""
        return bool(self.report.get("unequal_sampling"))

    @property
    def n_items(self) -> int:
        """Number of texts that a metric run scores: the candidates and both members of pairs."""
        return self.n_candidates + 2 * self.n_pairs


class _Scaled(Protocol):
    scale_low: float | None
    scale_high: float | None
    words: WordsRow | None


def stored_scale(row: _Scaled) -> tuple[float, float] | None:
    """The scale of a set or criterion."""
    if row.words is not None:
        return WordScale.from_json(row.words)
    if row.scale_low is None or row.scale_high is None:
        return None
    return row.scale_low, row.scale_high


def scale_fields(scale: tuple[float, float] | None) -> dict[str, Any]:  # values of model fields
    """The fields of a set or criterion that store its scale."""
    low, high = scale or (None, None)
    words = scale.to_json() if isinstance(scale, WordScale) else None
    return {"scale_low": low, "scale_high": high, "words": words}


class SetMember(models.Model):
    """An account's role on all versions of a judgment set."""

    set_name = models.CharField(max_length=80)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="set_memberships"
    )
    role = models.CharField(max_length=10, choices=Role)
    since = models.DateTimeField()

    class Meta:
        ordering = ["since", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["set_name", "user"], name="one_role_each_on_a_set"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.set_name}"


class Instance(StoredInstance):
    """An instance of a set. The `question` of a conversation is its last one."""

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="instances")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment_set", "key"], name="one_instance_per_key"),
        ]


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def with_instance(self) -> CandidateQuerySet:
        return self.select_related("instance")


class Candidate(models.Model):
    """One generated answer; `position` is its index in the set's arrays."""

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="candidates")
    instance = models.ForeignKey(Instance, models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=1000)
    text = models.TextField(blank=True)
    system = models.CharField(max_length=500, blank=True)
    gold = models.FloatField(null=True)

    objects = CandidateQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["judgment_set", "position"], name="one_per_position"),
            models.UniqueConstraint(fields=["judgment_set", "key"], name="one_candidate_per_key"),
        ]

    def __str__(self) -> str:
        return self.key


class CandidateSampling(models.Model):
    """How it was decided whether people rate a candidate; fields as in `SamplingRecord`.

    Either all candidates of a set have one, or none.
    """

    candidate = models.OneToOneField(Candidate, models.CASCADE, related_name="sampling")
    unit = models.CharField(max_length=1000)
    probabilities = ArrayField(models.FloatField())
    drawn = models.PositiveSmallIntegerField(null=True)

    def __str__(self) -> str:
        return f"sampling of {self.candidate}"


class Rating(models.Model):
    """One worker's value for one candidate; `position` is its index in the file."""

    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="ratings")
    position = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=500)
    group = models.CharField(max_length=500, blank=True)
    value = models.FloatField()
    simulated = models.BooleanField(default=False)

    class Meta:
        ordering = ["candidate", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["candidate", "group", "worker"], name="one_rating_per_worker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.value:g}"


class MinimalPair(models.Model):
    """Two candidates to one instance, the first better, with the linguistic phenomenon."""

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="pairs")
    instance = models.ForeignKey(Instance, models.CASCADE, related_name="pairs")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=1000)
    candidate1 = models.TextField(blank=True)
    score1 = models.FloatField()
    candidate2 = models.TextField(blank=True)
    score2 = models.FloatField()
    phenomenon = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["judgment_set", "position"], name="one_pair_per_place"),
            models.UniqueConstraint(fields=["judgment_set", "key"], name="one_pair_per_key"),
            models.CheckConstraint(
                condition=Q(score1__gt=models.F("score2")), name="the_first_is_better"
            ),
        ]

    def __str__(self) -> str:
        return self.key
