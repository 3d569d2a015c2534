"""Random selection of questions from uploads (KPQA, Section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotation.studies.intake import CandidateInput
from annotation.studies.models import Study, StudyCandidate

Use = StudyCandidate.Use
NOT_DRAWN = "not drawn"
# The random stream of the selection, separate from the study's others.
STREAM = 2


def reasons_not_drawn(
    study: Study,
    candidates: Sequence[CandidateInput],
    dropped: Mapping[str, str],
    target: int | None,
) -> dict[str, str]:
    """Reasons why candidates are not rated, by key: their question was not selected.

    `target` is the total number of questions that the study rates; None selects all. Questions that
    the study already rates count, and a question that was not selected before stays out, so that
    the systems' answers may come in several files. `dropped` has the keys of candidates that
    another rule skips: a question with no other candidates cannot be selected, so that `target`
    questions remain. The same study and files give the same selection.
    """
    rows = study.candidates.order_by("position")
    left_out = dict(
        rows.filter(use=Use.DROPPED, drop_reason__startswith=NOT_DRAWN).values_list(
            "instance__key", "drop_reason"
        )
    )
    remaining = [c for c in candidates if c.key not in dropped]
    if target is not None:
        rated = set(rows.filter(use=Use.RATED, pair="").values_list("instance__key", flat=True))
        new_keys = sorted({c.instance.key for c in remaining} - rated - set(left_out))
        count = min(len(new_keys), max(0, target - len(rated)))
        rng = np.random.default_rng([study.seed, STREAM, len(rated)])
        drawn = {new_keys[at] for at in rng.permutation(len(new_keys))[:count]}
        reason = f"{NOT_DRAWN}: {count:,} of {len(new_keys):,} questions, seed {study.seed}"
        left_out |= {key: reason for key in new_keys if key not in drawn}
    return {c.key: left_out[c.instance.key] for c in remaining if c.instance.key in left_out}
