"""A study: its protocol versions, candidates and stages."""

from __future__ import annotations

import json
from functools import lru_cache

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.functional import cached_property

from concord.documents.conversation import Conversation, Turn, is_whole
from concord.protocols import PRESETS, Deviation, Protocol, current_version, deviations, preset
from core.accounts.roles import Role
from core.compiled_queries import CompiledQuery, Parameter
from core.instances import StoredInstance

# "new" is the URL of the page that creates studies.
SLUG = r"^(?!new\Z)[a-z0-9][a-z0-9._-]{0,79}\Z"
SLUG_HELP = (
    "Small letters, digits, periods, hyphens and underscores, a letter or digit first; not “new”."
)


class StudyManager(models.Manager["Study"]):
    """Studies that were not deleted. The names of deleted ones stay taken."""

    def get_queryset(self) -> models.QuerySet[Study]:
        return super().get_queryset().filter(deleted_at=None)


class Study(models.Model):
    """A protocol with its candidates and stages. Simulated studies contain no human ratings.

    `owner` created it; its members have roles. After `published_at` anybody may read its public
    page; before, only members know of it. A study `for_set` collects minimal pairs on the instances
    of a judgment set. An archived study collects nothing more. Of a deleted
    study only what its payments refer to remains: `objects` does not contain it, `all_rows` does.
    """

    slug = models.CharField(
        max_length=80, unique=True, validators=[RegexValidator(SLUG, SLUG_HELP)]
    )
    title = models.CharField(max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="studies")
    preset = models.CharField(max_length=40, help_text="The preset of its protocol.")
    preset_version = models.PositiveSmallIntegerField(
        default=1, help_text="The preset's version when the study was created."
    )
    origin = models.JSONField(
        default=dict, blank=True, help_text="The judgment set and items from which it was created."
    )
    for_set = models.CharField(
        max_length=80,
        blank=True,
        help_text="The judgment set whose next version gets the study's minimal pairs, if any.",
    )
    seed = models.BigIntegerField(help_text="Seed of packing, shuffling, splitting and sampling.")
    created_at = models.DateTimeField()
    identity_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Days after a worker's last work for which the id is stored.",
    )
    published_at = models.DateTimeField(null=True, blank=True)
    signed_links_only = models.BooleanField(
        default=False, help_text="Whether raters join only by signed links."
    )
    rater_language = models.CharField(
        max_length=10,
        blank=True,
        help_text="Language of the raters' pages; empty: that of the rater's browser.",
    )
    archived_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    jobs = GenericRelation("jobs.Job", "target_id", "target_type")

    objects = StudyManager()
    all_rows = models.Manager["Study"]()

    # The role of the user for whom it was fetched, set by `services.access`.
    role: Role | None = None

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.slug

    @cached_property
    def is_on_a_crowd(self) -> bool:
        """Whether a stage is or was published on a crowd platform. Then raters join by the link of
        the platform or by a signed link: anybody could guess the open one."""
        return self.stages.filter(publications__status__in=("live", "ended")).exists()

    @property
    def needs_signed_links(self) -> bool:
        return self.signed_links_only or self.is_on_a_crowd

    def get_absolute_url(self) -> str:
        return reverse("study", args=[self.slug])

    @property
    def current(self) -> ProtocolVersion:
        """The latest version of the protocol, used for new assignments."""
        version = _latest_version.get(study=self.pk)
        version.study = self
        return version

    @property
    def preset_title(self) -> str:
        """The preset's title, with its version if there is a newer one."""
        if self.preset not in PRESETS:
            return self.preset
        title = PRESETS[self.preset][0]
        is_outdated = self.preset_version < current_version(self.preset)
        return f"{title} (version {self.preset_version})" if is_outdated else title

    def preset_protocol(self) -> Protocol | None:
        """The protocol that the preset had when the study was created; None for an unknown one."""
        return preset(self.preset, self.preset_version) if self.preset in PRESETS else None

    def deviations(self) -> list[Deviation]:
        """The differences between the current protocol and the preset.

        Empty for an unknown preset.
        """
        own = self.preset_protocol()
        return deviations(self.current.protocol, own) if own else []

    def preset_changes(self) -> list[Deviation]:
        """The preset's changes since the study was created; `own` is the newer value."""
        if self.preset not in PRESETS:
            return []
        return deviations(preset(self.preset), preset(self.preset, self.preset_version))


class ProtocolVersion(models.Model):
    """A version of the protocol; never changed after a rating was made under it."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="protocol_versions")
    version = models.PositiveIntegerField()
    content = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="one_protocol_per_version"),
        ]

    def __str__(self) -> str:
        return f"{self.study} protocol {self.version}"

    @cached_property
    def protocol(self) -> Protocol:
        return _protocol(json.dumps(self.content))


@lru_cache(maxsize=100)
def _protocol(content: str) -> Protocol:
    """The protocol in a JSON document, which each request of a rater reads."""
    return Protocol.stored(json.loads(content))


@CompiledQuery
def _latest_version() -> models.QuerySet[ProtocolVersion]:
    return ProtocolVersion.objects.filter(study=Parameter("study")).order_by("-version")[:1]


class StudyInstance(StoredInstance):
    """An instance as shown to raters."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="instances")
    span_based = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="one_study_instance_per_key"),
        ]

    @property
    def replied_turns(self) -> list[Turn]:
        """The turns to which its candidates reply; none where there is no conversation or it is
        rated as a whole."""
        shown: Conversation | None = self.conversation
        return shown["messages"] if shown and not is_whole(shown) else []

    @property
    def rated_turns(self) -> list[Turn]:
        """The turns of a conversation that is rated as a whole; none of another."""
        shown: Conversation | None = self.conversation
        return shown["messages"] if shown and is_whole(shown) else []


class StudyCandidate(models.Model):
    """One answer to rate.

    Where the protocol compares candidates, they are COMPARED, and each pair is a unit: a row to
    rate, whose `parts` are the compared candidates in order. `same_as` is the candidate with the
    same instance and text, whose ratings this one shares. `expected` is the correct rating of a
    test item or hidden check, `expected_answers` has its correct answers to criteria, by name; one
    of them may be without a key. The members of a minimal pair share `pair` and differ in
    `pair_member`; no worker sees both.
    """

    class Use(models.TextChoices):
        RATED = "rated", "to be rated"
        DROPPED = "dropped", "left out by a rule"
        QUALIFICATION = "qualification", "in the qualification test"
        GOLD = "gold", "hidden check with a known answer"
        COMPARED = "compared", "shown in comparisons"

    study = models.ForeignKey(Study, models.CASCADE, related_name="candidates")
    instance = models.ForeignKey(StudyInstance, models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=1000)
    text = models.TextField(blank=True)
    system = models.CharField(max_length=500, blank=True)
    use = models.CharField(max_length=15, choices=Use, default=Use.RATED)
    drop_reason = models.CharField(max_length=200, blank=True)
    expected = models.IntegerField(null=True)
    expected_answers = models.JSONField(
        default=dict, blank=True, help_text="Correct answers to the protocol's criteria, by name."
    )
    added_by = models.ForeignKey(
        "CandidateImport",
        models.SET_NULL,
        null=True,
        related_name="candidates",
        help_text="The import of the file that had it; null for a pair written on a page.",
    )
    same_as = models.ForeignKey("self", models.CASCADE, null=True, related_name="copies")
    pair = models.CharField(max_length=1000, blank=True)
    pair_member = models.PositiveSmallIntegerField(null=True)
    phenomenon = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="one_study_candidate_per_key"),
            models.UniqueConstraint(fields=["study", "position"], name="one_per_study_position"),
            models.UniqueConstraint(
                fields=["study", "pair", "pair_member"],
                condition=~Q(pair=""),
                name="a_pair_has_two_members",
            ),
            models.CheckConstraint(
                condition=~Q(use__in=("qualification", "gold"))
                | Q(expected__isnull=False)
                | ~Q(expected_answers={}),
                name="a_check_has_an_answer",
            ),
            models.CheckConstraint(
                condition=Q(same_as__isnull=True) | ~Q(same_as=F("id")),
                name="no_candidate_copies_itself",
            ),
        ]
        indexes = [models.Index(fields=["study", "pair"], name="pair_members")]

    def __str__(self) -> str:
        return self.key


class ComparedCandidate(models.Model):
    """The `position`-th (from 1) candidate of a unit that compares candidates of one instance."""

    unit = models.ForeignKey(StudyCandidate, models.CASCADE, related_name="parts")
    candidate = models.ForeignKey(StudyCandidate, models.CASCADE, related_name="comparisons")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["unit", "position"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "position"], name="one_part_per_place"),
            models.UniqueConstraint(fields=["unit", "candidate"], name="a_part_once_in_a_unit"),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} in {self.unit}"


class Stage(models.Model):
    """Qualification, trial, or full collection. A person opens and closes it. A second look at some
    candidates is of an earlier version: its ratings are kept, and none is opened.

    A paused stage is open, but hands out no HITs until a person resumes it.
    """

    class Kind(models.TextChoices):
        QUALIFICATION = "qualification"
        TRIAL = "trial"
        FULL = "full"
        SECOND_LOOK = "second-look"

    class Status(models.TextChoices):
        PLANNED = "planned"
        OPEN = "open"
        CLOSED = "closed"

    study = models.ForeignKey(Study, models.CASCADE, related_name="stages")
    kind = models.CharField(max_length=15, choices=Kind)
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.PLANNED)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_stage_per_number"),
            models.UniqueConstraint(fields=["study", "kind"], name="one_stage_of_a_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.kind}"

    @property
    def state(self) -> str:
        """The status for people: paused, or as stored."""
        return "paused" if self.paused_at is not None else self.status

    @property
    def hands_out(self) -> bool:
        """Whether workers get HITs."""
        return self.status == self.Status.OPEN and self.paused_at is None
