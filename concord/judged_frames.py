"""Judges among the raters of a judgment frame, and judges whose answers are in another file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import fsum

import numpy as np
import pandas as pd

from concord.formats.errors import quote_names
from concord.formats.preferences import Preference
from concord.frames import (
    FrameError,
    RatingRow,
    complete_frame,
    extract_ratings,
    refuse_unordered,
)
from concord.sentences import counted

_TEXTS = ("passage", "question", "candidate")
_ALL = (*_TEXTS, "system")
MAX_LISTED = 5
"""Candidates without a counterpart that a report names."""


@dataclass(frozen=True, eq=False)
class JudgedFrame:
    """Candidates that people and judges rated.

    people: a judgment frame without the judges' ratings. judges: one float64 column for each judge,
    with the ids of `people` as index; NaN where a judge has no valid rating. invalid: how many
    answers of each judge are invalid, where its file says so. join: how candidates of two files
    were joined; None where there is one.
    """

    people: pd.DataFrame
    judges: pd.DataFrame
    invalid: Mapping[str, int] = field(default_factory=dict)
    join: Join | None = None


@dataclass(frozen=True)
class Join:
    """How the candidates of people's file were joined with those of a judge's file.

    by_id, by_content: people's candidates with a counterpart. other_text: candidates of both files
    with the same id and another text, which were not joined by id. only_people, only_judges: ids
    without a counterpart.
    """

    by_id: int
    by_content: int
    other_text: int
    only_people: tuple[str, ...]
    only_judges: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        return not self.only_people and not self.only_judges

    def to_json(self) -> dict[str, object]:
        return {
            "by_id": self.by_id,
            "by_content": self.by_content,
            "other_text": self.other_text,
            "only_people": len(self.only_people),
            "only_judges": len(self.only_judges),
        }

    def lines(self) -> list[str]:
        """The join in sentences, with the first candidates that have no counterpart."""
        lines = [f"Joined: {self.by_id:,} by id, {self.by_content:,} by content."]
        if self.other_text:
            number = counted(self.other_text, "candidate has", "candidates have")
            lines.append(f"{number} the same id and another text in both files.")
        for who, ids in (("people", self.only_people), ("the judge", self.only_judges)):
            if ids:
                names = quote_names(ids, MAX_LISTED)
                lines.append(f"Not joined, only of {who}: {counted(len(ids), 'item')}: {names}.")
        return lines


def split_judges(frame: pd.DataFrame, names: Sequence[str]) -> JudgedFrame:
    """Take the ratings of these raters, in any group, out of a judgment frame.

    A score that is the mean of all ratings becomes that of people's. Several ratings of one
    candidate by a judge count with their mean. Raises FrameError for a name that no rater has.
    """
    import pandas as pd

    people = complete_frame(frame)
    chosen = frozenset(names)
    raters = dict.fromkeys(rating["worker"] for row in people["ratings"] for rating in row)
    if unknown := [name for name in names if name not in raters]:
        raise FrameError(
            f"no rater is named {quote_names(unknown)}; the raters are {quote_names(raters)}"
        )
    table = {name: np.full(len(people), np.nan) for name in dict.fromkeys(names)}
    scores = people["score"].to_numpy(np.float64).copy()
    kept = []
    for position, ratings in enumerate(people["ratings"]):
        others = tuple(one for one in ratings if one["worker"] not in chosen)
        kept.append(others)
        if len(others) == len(ratings):
            continue
        if np.isclose(scores[position], _mean(ratings), rtol=1e-12, atol=0):
            scores[position] = _mean(others)
        for name in {one["worker"] for one in ratings} & chosen:
            table[name][position] = _mean([one for one in ratings if one["worker"] == name])
    people["ratings"], people["score"] = kept, scores
    return JudgedFrame(people, pd.DataFrame(table, index=pd.Index(people["id"])))


def with_answers(judged: JudgedFrame, answers: pd.DataFrame) -> JudgedFrame:
    """Add judges of a table of scores, one column each, the candidates' ids as index.

    Raises FrameError for a judge that is there already, and where no id is one of people's.
    """
    ids = judged.people["id"].tolist()
    result = _with_judges(judged, answers.reindex(ids), join_items(ids, answers.index.tolist()))
    return replace(result, invalid={**judged.invalid, **count_invalid(answers)})


def count_invalid(answers: pd.DataFrame) -> dict[str, int]:
    """The number of answers without a score of each judge in a table of scores."""
    return {str(name): int(answers[name].isna().sum()) for name in answers.columns}


def with_judged_frame(
    judged: JudgedFrame, other: pd.DataFrame, names: Sequence[str], *, default: str
) -> JudgedFrame:
    """Add the raters of another file of judgments as judges: those of `names`, or all.

    A candidate is joined by its id where the texts are equal, else by passage, question, answer
    and system, or by the first three where they have one candidate. A file without ratings has the
    judge `default`, whose grades are its scores. Raises FrameError for a name that no rater has.
    """
    import pandas as pd

    other = complete_frame(other)
    raters = list(dict.fromkeys(rating["worker"] for row in other["ratings"] for rating in row))
    if raters:
        judges = split_judges(other, names or raters).judges
    else:
        judges = pd.DataFrame({default: other["score"].to_numpy()}, index=pd.Index(other["id"]))
    places, join = join_candidates(judged.people, other)
    ids = judged.people["id"].tolist()
    rows = judges.reindex([places.get(key, "") for key in ids]).set_axis(ids, axis=0)
    rows.loc[[key not in places for key in ids]] = np.nan
    return _with_judges(judged, rows, join)


def join_items(people: Sequence[str], judges: Sequence[str]) -> Join:
    """The join of items by their ids alone."""
    of_people, of_judges = dict.fromkeys(people), dict.fromkeys(judges)
    return Join(
        by_id=len(of_people.keys() & of_judges.keys()),
        by_content=0,
        other_text=0,
        only_people=tuple(key for key in of_people if key not in of_judges),
        only_judges=tuple(key for key in of_judges if key not in of_people),
    )


def join_candidates(people: pd.DataFrame, other: pd.DataFrame) -> tuple[dict[str, str], Join]:
    """The id in `other` of each candidate of `people` that has a counterpart; see
    `with_judged_frame`."""
    texts = dict(zip(other["id"], map(_squeezed, other["candidate"]), strict=True))
    with_system, without = (_by_content(other, columns) for columns in (_ALL, _TEXTS))
    places: dict[str, str] = {}
    by_id = other_text = 0
    for row in people[["id", *_ALL]].itertuples(index=False):
        key, *values = row
        content = tuple(map(_squeezed, values))
        if texts.get(key) == content[2]:
            places[key], by_id = key, by_id + 1
            continue
        other_text += key in texts
        found = with_system.get(content, [])
        if len(found) != 1:
            found = without.get(content[:3], [])
        if len(found) == 1:
            places[key] = found[0]
    joined = set(places.values())
    join = Join(
        by_id=by_id,
        by_content=len(places) - by_id,
        other_text=other_text,
        only_people=tuple(key for key in people["id"] if key not in places),
        only_judges=tuple(key for key in other["id"] if key not in joined),
    )
    return places, join


def ratings_as_preferences(frame: pd.DataFrame) -> list[Preference]:
    """What each rater prefers of every two systems' answers to an instance: the one with the higher
    rating, or a tie. Answers with a score and without ratings are compared by their scores, as by
    one rater without a name. Answers without a system are left out. Raises FrameError for ratings
    in words without an order."""
    refuse_unordered(frame)
    preferences = []
    frame = complete_frame(frame)
    for instance, rows in frame[frame["system"] != ""].groupby("instance", sort=False):
        by_rater: dict[tuple[str, str], list[tuple[str, str, float]]] = {}
        columns = (rows[name] for name in ("id", "system", "ratings", "score"))
        for key, system, ratings, score in zip(*columns, strict=True):
            if not ratings and np.isfinite(score):
                by_rater.setdefault(("", ""), []).append((key, system, float(score)))
            for rating in ratings:
                rater = rating.get("group") or "", rating["worker"]
                rated = by_rater.setdefault(rater, [])
                rated.append((key, system, float(rating["value"])))
        for rater, rated in by_rater.items():
            worker = "/".join(filter(None, rater))
            preferences += [
                _preference(str(instance), worker, *both) for both in combinations(rated, 2)
            ]
    return [one for one in preferences if one.first != one.second]


def of_group(frame: pd.DataFrame, raters: str | None) -> pd.DataFrame:
    """The frame with the ratings of one group and without scores; unchanged for None.

    Raises FrameError for a group that has no rating.
    """
    if raters is None:
        return frame
    chosen = frame.copy()
    chosen["ratings"] = [
        tuple(one for one in ratings if (one.get("group") or "") == raters)
        for ratings in frame["ratings"]
    ]
    if not any(chosen["ratings"]):
        raise FrameError(f"unknown group of raters {raters!r}")
    return chosen.assign(score=np.nan)


def values_of_raters(frame: pd.DataFrame, raters: str | None) -> dict[str, dict[str, float]]:
    """{rater: {item: rating}} of the single ratings of one group; see `extract_ratings`."""
    ratings = extract_ratings(frame, raters)
    values: dict[str, dict[str, float]] = {name: {} for name in ratings.rater_names}
    rows = zip(ratings.raters, ratings.units, ratings.values.tolist(), strict=True)
    for rater, unit, value in rows:
        values[ratings.rater_names[rater]][ratings.unit_names[unit]] = value
    return values


def values_of_judges(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """{judge: {item: answer}} of a table of judges, one column each, without missing answers."""
    return {
        str(name): {str(item): float(value) for item, value in table[name].dropna().items()}
        for name in table.columns
    }


def judge_as_rater(judged: JudgedFrame, name: str) -> pd.DataFrame:
    """The frame whose only judgments are the ratings of one judge."""
    frame = judged.people.assign(score=np.nan)
    frame["ratings"] = [
        () if np.isnan(value) else ({"worker": name, "value": value},)
        for value in judged.judges[name].tolist()
    ]
    return frame


def with_rater(judged: JudgedFrame, name: str, raters: str | None) -> pd.DataFrame:
    """People's frame with one judge among the raters of a group; see `extract_ratings`."""
    frame = judged.people.copy()
    group = raters or next(
        (one.get("group") or "" for ratings in frame["ratings"] for one in ratings), ""
    )
    own = judge_as_rater(judged, name)["ratings"]
    frame["ratings"] = [
        (*ratings, *(one | {"group": group} for one in more))
        for ratings, more in zip(frame["ratings"], own, strict=True)
    ]
    return frame


def _preference(
    instance: str, worker: str, first: tuple[str, str, float], second: tuple[str, str, float]
) -> Preference:
    difference = first[2] - second[2]
    return Preference(
        instance,
        json.dumps([first[0], second[0]]),
        first[1],
        second[1],
        "tie" if not difference else "first" if difference > 0 else "second",
        worker,
        candidates=(first[0], second[0]),
    )


def _with_judges(judged: JudgedFrame, rows: pd.DataFrame, join: Join) -> JudgedFrame:
    """Add the columns of judges, in the order of people's candidates."""
    import pandas as pd

    if both := [name for name in rows.columns if name in judged.judges.columns]:
        raise FrameError(f"the judge {quote_names(both)} is there twice")
    if not join.by_id and not join.by_content:
        raise FrameError(f"no item of the judge is one of people's. {' '.join(join.lines())}")
    return replace(judged, judges=pd.concat([judged.judges, rows], axis=1), join=join)


def _mean(ratings: Iterable[RatingRow]) -> float:
    values = [float(rating["value"]) for rating in ratings]
    return fsum(values) / len(values) if values else np.nan


def _by_content(frame: pd.DataFrame, columns: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """The ids of candidates by the texts of these columns."""
    places: dict[tuple[str, ...], list[str]] = {}
    for key, *texts in frame[["id", *columns]].itertuples(index=False):
        places.setdefault(tuple(map(_squeezed, texts)), []).append(key)
    return places


def _squeezed(text: str) -> str:
    """A text with single spaces: line breaks and indents differ between exports."""
    return " ".join(text.split())
