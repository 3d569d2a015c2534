"""Files between a study and its crowd by the client."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from concord.client import Client, ProblemError
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, small


def test_a_batch_goes_out_as_files_and_its_results_come_in(client: Client, tmp_path: Path) -> None:
    ruth = User.objects.get(username="ruth")
    study = make_study(2, small(ratings=2, most=2, cents=20), owner=ruth)
    rows, page = client.download_batch(
        "bridges", "full", input=tmp_path / "input.csv", template=tmp_path / "template.html"
    )
    assert rows.read_text().startswith("concord_hit,")
    assert "${passage}" in page.read_text()
    results = tmp_path / "results.csv"
    results.write_text(scenes.batch_results(study))
    for count in (2, 0):
        taken = client.import_results("bridges", "full", results)
        assert (taken["submitted"], taken["decided"]) == (count, count)
    (publication,) = client.publications("bridges")
    assert publication.provider == "files"
    books = client.refresh_payment_totals("bridges", publication)
    assert books["reported"] is None and books["recorded"]["approved"] == 1
    to = tmp_path / "decisions.csv"
    assert client.download_decisions("bridges", publication, to).read_text().startswith("worker")


def test_a_file_that_is_none_is_refused(client: Client, tmp_path: Path) -> None:
    make_study(1, owner=User.objects.get(username="ruth"))
    file = tmp_path / "results.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(ProblemError, match="has no column"):
        client.import_results("bridges", "full", file)
