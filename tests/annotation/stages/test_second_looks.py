"""Second looks of earlier versions: their ratings are kept, and none is opened."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.quality.services.rating_data import collect_first_ratings, collect_ratings
from annotation.rating.services import participation
from annotation.stages.services import opening
from annotation.stages.services.missing_ratings import candidates_missing_ratings
from annotation.studies.models import Stage
from concord.protocols import RatingRule
from core.refusals import RefusedError
from tests.annotation import people


def test_a_second_look_goes_on_until_it_is_closed(rosa: User) -> None:
    study = people.new_study(
        rosa, people.protocol(rating_rules=(RatingRule(2),)), people.candidates(4, each=3)
    )
    full = people.open_stage(study)
    for name in "ab":
        people.rate(full, people.join(study, name))
    opening.close_stage(full, at=now())
    again = study.stages.create(
        kind=Stage.Kind.SECOND_LOOK, number=2, status=Stage.Status.OPEN, opened_at=now()
    )
    hit = full.hits.first()
    assert hit is not None
    full.hits.filter(pk=hit.pk).update(stage=again)
    assert not participation.is_over(study) and candidates_missing_ratings(again) == []
    assert len(collect_first_ratings(study)) < len(collect_ratings(study))
    with pytest.raises(RefusedError, match="Close the second-look stage first"):
        people.open_stage(study)
    opening.close_stage(again, at=now())
    assert participation.is_over(study)
    with pytest.raises(RefusedError, match="are not collected any more"):
        people.open_stage(study, "second-look")
