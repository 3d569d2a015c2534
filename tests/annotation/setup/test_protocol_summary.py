"""The line that describes each preset on the list of studies."""

from __future__ import annotations

from annotation.setup.views.listing import summary_of
from concord.protocols import preset


def test_a_summary_says_what_distinguishes_the_presets() -> None:
    assert summary_of(preset("mocha-2020")) == (
        "Scale from 1 to 5, 1 to 3 ratings per candidate, HITs of up to 10 candidates, "
        "a test of 10, a trial of 200."
    )
    assert summary_of(preset("summeval-2021")) == (
        "Scale from 1 to 5, 3 further criteria, 5 ratings per candidate, "
        "HITs of up to 10 candidates."
    )
    assert summary_of(preset("kpqa-2021")) == (
        "Scale from 1 to 5, 10 ratings per candidate, one candidate per HIT, a z-score filter at 1."
    )
