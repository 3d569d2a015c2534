"""A jury of a set's judges as a metric on its board."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.jury import judge_runs
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.runs.models import Submission
from benchmarks.sets.models import Instance, JudgmentSet
from benchmarks.sets.services import criteria, frames, reports
from benchmarks.submissions.services import rules
from benchmarks.submissions.services.rules import SubmissionInfo, SubmissionRefusedError
from benchmarks.submissions.services.storing import complete_run, digest_of, record
from concord.bounds import REQUIRED, Text, described, items, text
from concord.documents.jury import JuryRule
from concord.judges import JuryOptions, jury_scores
from concord.judges.jury import MAX_JUDGES
from concord.reliability import RatingsError
from concord.sentences import counted, to_sentence
from core.column_bounds import max_length

NAME = Text(max_length(Submission, "name"))


@dataclass(frozen=True, kw_only=True)
class NewJury:
    """Judges of a set that become one metric."""

    name: str = field(
        metadata=text(
            max_length(Submission, "name"), required=REQUIRED, help="The name on the board."
        )
    )
    rule: JuryRule = "weighted"
    judges: tuple[str, ...] = field(
        default=(),
        metadata=items(
            MAX_JUDGES, each=NAME, help="Names on the board; all judges of candidates by default."
        ),
    )
    split: str = field(
        default="",
        metadata=described(
            Text(max_length(Instance, "split"), exact=True),
            "Labels",
            "The split whose labels may be used for weights; all by default.",
        ),
    )
    criterion: str = field(
        default="",
        metadata=text(max_length(Submission, "name"), help="Of the labels; the score by default."),
    )


def submit_jury(
    judgment_set: JudgmentSet, new: NewJury, *, owner: User | None, at: datetime
) -> Submission:
    """Store the verdicts of a jury as a metric that only its owner sees.

    The labels of a passage never make the scores of its own candidates (`jury_scores`). Candidates
    that a judge did not answer have no score. Raises SubmissionRefusedError.
    """
    rules.check_limit(judgment_set, owner, at)
    if judgment_set.has_unequal_sampling:
        raise SubmissionRefusedError(to_sentence(samples.NO_WEIGHTS))
    try:
        criteria.choose(judgment_set, new.criterion or criteria.default(judgment_set))
    except criteria.CriterionError as error:
        raise SubmissionRefusedError(str(error), "criterion") from error
    runs = {run.metric: run for run in judge_runs(complete_board_runs(judgment_set))}
    if unknown := [name for name in new.judges if name not in runs]:
        raise SubmissionRefusedError(f"The board has no judge '{unknown[0]}'.", "judges")
    if new.split and new.split not in reports.group_names(judgment_set)["split"]:
        raise SubmissionRefusedError(f"{judgment_set} has no split '{new.split}'.", "split")
    frame = frames.frame(judgment_set)
    used = f"split {new.split}" if new.split else "all"
    criterion = criteria.chosen(judgment_set)
    options = JuryOptions(
        rule=new.rule,
        graded=True,
        scale=judgment_set.scale,
        fit=frame.labels["split"] == new.split if new.split else None,
        fit_name=f"{used} on {criterion}" if criterion else used,
    )
    names = tuple(dict.fromkeys(new.judges)) or tuple(runs)
    answers = {name: samples.oriented_scores(runs[name])[: frame.n_candidates] for name in names}
    try:
        jury = jury_scores(answers, frame.gold, frame.clusters, options)
    except RatingsError as error:
        raise SubmissionRefusedError(to_sentence(error), "rule") from error
    scores = np.full(judgment_set.n_items, np.nan)
    scores[: frame.n_candidates] = jury.values
    note = f"A jury by the rule {new.rule} of {counted(len(names), 'judge')}: {', '.join(names)}."
    info = SubmissionInfo(new.name, note=note[: max_length(Submission, "note")])
    kind = Submission.Kind.JURY
    submission = rules.new_submission(judgment_set, info, kind, jury.signature, owner, at)
    submission.digest = digest_of(scores)
    with rules.enforce_limit(judgment_set, owner, at):
        submission.save()
        complete_run(submission, scores, at)
        record(submission, "submission.made", owner)
    return submission
