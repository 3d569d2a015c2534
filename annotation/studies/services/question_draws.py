"""Questions drawn at random from those uploaded (KPQA, Section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotation.studies.intake import CandidateInput
from annotation.studies.models import Study, StudyCandidate

Use = StudyCandidate.Use
NOT_DRAWN = "not drawn"
# Sets the generator of the draws apart from the study's others.
STREAM = 2


def reasons_not_drawn(
    study: Study,
    candidates: Sequence[CandidateInput],
    dropped: Mapping[str, str],
    wanted: int | None,
) -> dict[str, str]:
    """Why candidates are not rated, by their key: their question was not drawn.

    `wanted` is how many questions the study rates in all; None draws none. Questions that the
    study rates already count among them, and one that an earlier draw left out stays out, so that
    the systems' answers may come in several files. `dropped` holds the keys of candidates that
    another rule leaves out: a question without any other is not drawn from, so that `wanted`
    questions remain after those rules. The same study and files give the same draw.
    """
    rows = study.candidates.order_by("position")
    left_out = dict(
        rows.filter(use=Use.DROPPED, drop_reason__startswith=NOT_DRAWN).values_list(
            "instance__key", "drop_reason"
        )
    )
    remaining = [c for c in candidates if c.key not in dropped]
    if wanted is not None:
        rated = set(rows.filter(use=Use.RATED, pair="").values_list("instance__key", flat=True))
        fresh = sorted({c.instance.key for c in remaining} - rated - set(left_out))
        count = min(len(fresh), max(0, wanted - len(rated)))
        rng = np.random.default_rng([study.seed, STREAM, len(rated)])
        drawn = {fresh[at] for at in rng.permutation(len(fresh))[:count]}
        reason = f"{NOT_DRAWN}: {count:,} of {len(fresh):,} questions, seed {study.seed}"
        left_out |= {key: reason for key in fresh if key not in drawn}
    return {c.key: left_out[c.instance.key] for c in remaining if c.instance.key in left_out}
