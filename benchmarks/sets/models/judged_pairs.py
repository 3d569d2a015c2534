"""Pairs of a set's candidates between which people chose."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from benchmarks.sets.models.judgments import Candidate, JudgmentSet

TIE = 0


class JudgedPair(models.Model):
    """Two candidates to one instance; unlike a minimal pair, neither is known to be better.

    set_key: the compared set whose best-worst choices imply the pair; empty for a pair.
    """

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="judged_pairs")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=1000)
    candidate1 = models.ForeignKey(Candidate, models.CASCADE, related_name="pairs_as_first")
    candidate2 = models.ForeignKey(Candidate, models.CASCADE, related_name="pairs_as_second")
    phenomenon = models.CharField(max_length=500, blank=True)
    set_key = models.CharField(max_length=1000, blank=True, default="")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["judgment_set", "position"], name="one_judged_pair_per_position"
            ),
            models.UniqueConstraint(fields=["judgment_set", "key"], name="one_judged_pair_per_key"),
            models.CheckConstraint(
                condition=~Q(candidate1=F("candidate2")), name="a_pair_has_two_candidates"
            ),
        ]

    def __str__(self) -> str:
        return self.key


class PairChoice(models.Model):
    """The candidate of a pair that one worker prefers: 1, 2, or TIE.

    first_shown: which was shown first; None where unknown. is_hard: the worker said that it was
    hard to choose. is_both_bad: of a tie, the worker said that both are bad.
    """

    pair = models.ForeignKey(JudgedPair, models.CASCADE, related_name="choices")
    position = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=500)
    group = models.CharField(max_length=500, blank=True)
    choice = models.PositiveSmallIntegerField()
    first_shown = models.PositiveSmallIntegerField(null=True)
    is_hard = models.BooleanField(default=False)
    simulated = models.BooleanField(default=False)
    is_both_bad = models.BooleanField(default=False)

    class Meta:
        ordering = ["pair", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "group", "worker"], name="one_choice_per_worker"
            ),
            models.CheckConstraint(condition=Q(choice__in=[TIE, 1, 2]), name="a_choice_or_a_tie"),
            models.CheckConstraint(
                condition=Q(first_shown__isnull=True) | Q(first_shown__in=[1, 2]),
                name="one_of_two_is_shown_first",
            ),
            models.CheckConstraint(
                condition=Q(is_both_bad=False) | Q(choice=TIE), name="both_bad_is_a_tie"
            ),
        ]

    def __str__(self) -> str:
        if self.is_both_bad:
            return "both bad"
        return "a tie" if self.choice == TIE else str(self.choice)
