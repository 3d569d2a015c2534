"""Simulated ratings of a study's candidates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from annotation.rating.services.rating_checks import Answer
from annotation.studies.models import ComparedCandidate, Study
from concord.protocols import Criterion, asked_criteria
from concord.protocols.answers import MAX_SPANS
from concord.simulation import Crowd, SimulatedRater, latent_score

FREE_TEXT = "Simulated."
MARKED_WORDS = 8


class AnswerModel:
    """Makes the ratings of simulated raters; candidates are named by their primary keys.

    A candidate's true score is its correct rating, otherwise a latent score by the seed. The first
    member of a minimal pair is in the upper half of the scale, the second in the lower. Of
    candidates to compare without a correct choice it is the number of the one with the highest
    latent score.

    Each other criterion of a candidate has a true answer: the correct one, otherwise one that
    depends on the key, the criterion's name and the seed only. A rater gives it as in
    `concord.simulation`: on scales and sliders with the crowd's noise and bias, which are
    stretched with the scale; an option either as it is or as a guess; each word of a text is
    marked or not. In a set without known answers, the candidate with the lowest latent score is
    truly the worst. Where the rater takes it for the best, the lowest of the others is the worst.
    """

    def __init__(self, study: Study, seed: int) -> None:
        self.protocol, self.seed = study.current.protocol, seed
        columns = ("key", "text", "expected", "expected_answers", "pair_member")
        self.rows = {row.pk: row for row in study.candidates.only(*columns)}
        self.compared: dict[int, list[str]] = {}
        parts = ComparedCandidate.objects.filter(unit__study=study).order_by("unit", "position")
        for unit, key in parts.values_list("unit", "candidate__key"):
            self.compared.setdefault(unit, []).append(key)

    def rating(self, rater: SimulatedRater, candidate: int) -> Answer:
        """The rater's rating of a candidate."""
        value = self.value(rater, candidate)
        answers = self.answers(rater, candidate, value)
        return Answer(value, seconds=rater.seconds(), answers=answers)

    def value(self, rater: SimulatedRater, candidate: int) -> int:
        """The rater's main answer; of a set the number of a candidate."""
        true = self._true_score(candidate)
        if self.protocol.unit != "set":
            return rater.rate(true)
        crowd = replace(rater.crowd, high=len(self.compared[candidate]))
        return self._rate(crowd, rater, true)

    def _true_score(self, candidate: int) -> float:
        row = self.rows[candidate]
        if row.expected is not None:
            return float(row.expected)
        if candidate in self.compared:
            latents = [latent_score(key, 0, 1, self.seed) for key in self.compared[candidate]]
            return float(1 + latents.index(max(latents)))
        low, high = self.protocol.low, self.protocol.high
        latent = latent_score(row.key, low, high, self.seed)
        if row.pair_member is None:
            return latent
        return ((low + high) / 2 if row.pair_member == 1 else low) + (latent - low) / 2

    def answers(self, rater: SimulatedRater, candidate: int, value: int) -> dict[str, object]:
        """The rater's answers to the criteria that are asked after the main answer `value`."""
        answers: dict[str, object] = {}
        for criterion in self.protocol.criteria:
            if criterion in asked_criteria(self.protocol, value, answers):
                answers[criterion.name] = self._answer(rater, candidate, criterion, value)
        return answers

    def _answer(
        self, rater: SimulatedRater, candidate: int, criterion: Criterion, value: int
    ) -> object:
        row = self.rows[candidate]
        key = f"{row.key}/{criterion.name}"
        correct = row.expected_answers.get(criterion.name)
        match criterion.kind:
            case "scale" | "slider":
                return self._number(rater, key, criterion, correct)
            case "choice":
                known = None if correct is None else criterion.options.index(correct)
                return criterion.options[self._option(rater, key, len(criterion.options), known)]
            case "choices":
                chosen = [
                    option
                    for option in criterion.options
                    if self._option(
                        rater, f"{key}/{option}", 2, None if correct is None else option in correct
                    )
                ]
                return chosen or list(criterion.options[:1])
            case "yes-no":
                return self._option(rater, key, 2, correct) == 1
            case "text":
                return FREE_TEXT
            case "spans":
                if correct is not None and not rater.spammer:
                    return correct
                return self._spans(rater, key, row.text, criterion)
            case "worst":
                return self._worst(rater, self.compared[candidate], value, correct)

    def _worst(
        self, rater: SimulatedRater, keys: Sequence[str], best: int, correct: int | None
    ) -> int:
        others = [number for number in range(1, len(keys) + 1) if number != best]
        latent = [latent_score(keys[number - 1], 0, 1, self.seed) for number in others]
        true = correct if correct in others else others[latent.index(min(latent))]
        return others[self._choose(rater, others.index(true), len(others))]

    def _spans(
        self, rater: SimulatedRater, key: str, text: str, criterion: Criterion
    ) -> list[dict[str, object]]:
        """Marks of single words; one word in MARKED_WORDS is truly wrong."""
        spans: list[dict[str, object]] = []
        for word in list(re.finditer(r"\S+", text))[:MAX_SPANS]:
            place = f"{key}/{word.start()}"
            is_marked = self._option(rater, place, MARKED_WORDS) == 0
            if is_marked:
                severity = self._option(rater, f"{place}/s", len(criterion.severities))
                category = self._option(rater, f"{place}/c", len(criterion.categories))
                spans.append(
                    {
                        "start": word.start(),
                        "end": word.end(),
                        "severity": criterion.severities[severity],
                        "categories": list(criterion.categories[category : category + 1]),
                    }
                )
        return spans

    def _number(
        self, rater: SimulatedRater, key: str, criterion: Criterion, correct: int | None
    ) -> int:
        low, high = criterion.low, criterion.high
        stretch = (high - low) / (self.protocol.high - self.protocol.low)
        crowd = replace(
            rater.crowd,
            low=low,
            high=high,
            noise=rater.crowd.noise * stretch,
            bias=rater.crowd.bias * stretch,
        )
        true = latent_score(key, low, high, self.seed) if correct is None else correct
        return self._rate(crowd, rater, true)

    def _option(
        self, rater: SimulatedRater, key: str, count: int, correct: int | None = None
    ) -> int:
        """The number of the option that the rater chooses, from 0; 0 without a choice."""
        true = int(latent_score(key, 0, count, self.seed)) if correct is None else int(correct)
        return self._choose(rater, min(true, count - 1), count)

    def _choose(self, rater: SimulatedRater, true: int, count: int) -> int:
        """`true`, or a guess of `count` numbers from 0."""
        if count < 2:
            return 0
        crowd = replace(rater.crowd, low=0, high=count - 1, noise=0.0, bias=0.0)
        return self._rate(crowd, rater, true)

    @staticmethod
    def _rate(crowd: Crowd, rater: SimulatedRater, true: float) -> int:
        return int(crowd.rate(true, rater.spammer, rater.rng))
