"""Records of candidates, of what was read of them and of their ratings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.formats.collector import RecordCollector, Scale
from concord.formats.errors import quote, quote_names
from concord.formats.fields import scale_fault
from concord.formats.options import ReadOptions
from concord.formats.recipes.candidates import CandidateDraft
from concord.formats.recipes.numbers import Raw, WordReader, ids_note
from concord.formats.recipes.ratings import NO_RATINGS, GivenRatings, Ratings
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    MarksRecord,
    has_mean,
    own_or_mean,
)


@dataclass
class CandidateRecords:
    """Makes records of candidates. scales: those that files state, by criterion. criteria: in the
    order of their first values."""

    recipe: FormatRecipe
    collector: RecordCollector
    options: ReadOptions
    values: WordReader
    given: GivenRatings
    scales: Mapping[str, Scale]
    criteria: dict[str, None]
    _stated: tuple[float, float] | None = None

    def add(self, drafts: Sequence[CandidateDraft]) -> None:
        """Add the records of candidates to those that the collector has."""
        if reference_system := self.options.reference_system or self.recipe.reference_system:
            drafts = self._with_references(drafts, reference_system)
        are_by_offsets = self.recipe.marks is not None and bool(self.recipe.marks.path)
        if are_by_offsets and not any(any(draft.marks.values()) for draft in drafts):
            for draft in drafts:
                draft.marks = {}  # raters were not asked for spans
        grouped = self.given.by_candidate([draft.number for draft in drafts])
        if self.recipe.others == "labels":
            comments = self.values.comments(grouped.counts())
            grouped.leave_out(comments)
            rated = {criterion for criterion, _ in grouped.given}
            rated |= {criterion for draft in drafts for criterion in draft.scores}
            self.criteria = {name: None for name in self.criteria if name in rated}
        pairs = dict.fromkeys(grouped.given)
        pairs |= dict.fromkeys(one for draft in drafts for one in draft.scores.items())
        numbers = self.values.numbers(pairs, self.collector)
        has_scale = bool(self.values.scales) or self.recipe.scale is not None
        if not has_scale and (note := ids_note(numbers.values())):
            self.collector.note(note)
        self._stated = self._stated_scale(numbers.values())
        ratings = grouped.records(len(drafts), numbers)
        named = tuple(name for name in self.criteria if name)
        chosen = self.options.criteria(named) if named else ()
        if self.options.criterion is not None and not named:
            chosen = self.options.criteria(named)
        report = self.collector.report
        report.criterion = self.options.criterion or ""
        scales = {name: self._scale(name) for name in ("", *chosen)}
        rows_are_ratings = self.recipe.rows_are_ratings
        for draft, by_criterion in zip(drafts, ratings, strict=True):
            place = draft.position
            if rows_are_ratings:
                self.collector.count_row(place.file, place.line)
            judgments = [self._judgment(draft, name, scales[name], by_criterion.get(name), numbers)
                         for name in chosen]  # fmt: skip
            fields: Any = self.options.judgment_fields(judgments) if named else {}
            if "" in by_criterion or "" in draft.scores:
                own = self._judgment(draft, "", scales[""], by_criterion.get(""), numbers)
                if self.options.criterion is None:
                    fields |= {"score": own.score, "ratings": own.ratings}
            marks: tuple[MarksRecord, ...] = ()
            if draft.marks:
                marks = tuple([MarksRecord(who, tuple(own)) for who, own in draft.marks.items()])
            candidate = CandidateRecord(
                draft.key, draft.instance, draft.text, draft.system, marks=marks,
                test_key=draft.test_key, **fields
            )  # fmt: skip
            is_stated = report.criterion in draft.scores
            self.collector.add_candidate(
                candidate, place.file, place.line, "id", score_in_file=is_stated
            )
        self._finish_report(chosen)

    def _with_references(
        self, drafts: Sequence[CandidateDraft], system: str
    ) -> list[CandidateDraft]:
        """The candidates of instances that have one of this system, whose text is the reference,
        without those of the system."""
        texts: dict[str, tuple[str, ...]] = {}
        for draft in drafts:
            if draft.system == system:
                texts[draft.instance.key] = (*texts.get(draft.instance.key, ()), draft.text)
        if drafts and not texts:
            systems = quote_names(sorted({draft.system for draft in drafts}))
            message = f"no candidate is of the system {quote(system)}; the systems are {systems}"
            raise self.collector.problems.fatal("", None, "reference_system", message)
        instances: dict[str, InstanceRecord] = {}
        judged = []
        for draft in drafts:
            key = draft.instance.key
            if draft.system != system and key in texts:
                own = instances.get(key) or replace(draft.instance, references=texts[key])
                draft.instance = instances.setdefault(key, own)
                judged.append(draft)
            elif self.collector.claim_id(draft.key, draft.position.file, draft.position.line, "id"):
                is_reference = draft.system == system
                reason = (f"answers by {system}, which are the references" if is_reference
                          else f"answers to instances without one by {system}")  # fmt: skip
                self.collector.leave_out(reason)
        self.collector.pool.restrict(instances)
        return judged

    def _finish_report(self, chosen: Sequence[str]) -> None:
        scales = [self._scale(name) for name in chosen or ("",)]
        if self.options.criterion is not None or not chosen:
            self.collector.scale = scales[0]
        if self.given.replaced and self.recipe.repeated == "last":
            self.collector.note(
                f"Earlier ratings that the same rater replaced: {self.given.replaced:,}."
            )
        self.values.report(self.collector)
        for note in self.recipe.notes:
            self.collector.note(note)

    def _scale(self, criterion: str) -> Scale | None:
        if criterion in self.values.scales:
            return self.values.scales[criterion]
        return self._stated or self.scales.get(criterion)

    def _stated_scale(self, values: Collection[float]) -> tuple[float, float] | None:
        """The scale of the recipe; where all values are divided, with its ends divided, too."""
        if (scale := self.recipe.scale) is None or scale.ends is None:
            return None
        (lowest, highest), divided = scale.ends, scale.divided
        if not divided or not values or max(values) > divided[1] or min(values) >= lowest:
            return scale.ends
        self.collector.note(
            f"No score is above {divided[1]:g}: they are ratings from {lowest:g} to {highest:g} "
            f"divided by {scale.divisor:g}."
        )
        return divided

    def _judgment(
        self,
        draft: CandidateDraft,
        criterion: str,
        scale: Scale | None,
        given_ratings: Ratings | None,
        numbers: Mapping[tuple[str, Raw], float],
    ) -> CriterionRecord:
        ratings, values = given_ratings or NO_RATINGS
        for rating in ratings if scale else ():
            if scale and (fault := scale_fault(rating.value, scale)):
                self._fault(draft, f"the rating of {quote(rating.worker)}: {fault}")
        if len(ratings) > self.collector.limits.max_ratings:
            limit = self.collector.limits.max_ratings
            self._fault(draft, f"{len(ratings):,} ratings; at most {limit:,} are allowed")
        if not has_mean(scale):
            return CriterionRecord(criterion, scale, None, ratings)
        if group := self.recipe.gold_group:
            values = [rating.value for rating in ratings if rating.group == group]
        stated = draft.scores.get(criterion)
        own = None if stated is None else numbers[criterion, stated]
        if own is not None and scale and (fault := scale_fault(own, scale)):
            self._fault(draft, f"the score {fault}")
        return CriterionRecord(criterion, scale, own_or_mean(own, values), ratings)

    def _fault(self, draft: CandidateDraft, message: str) -> None:
        place = draft.position
        self.collector.problems.add(place.file, place.line, place.path or None, message)
