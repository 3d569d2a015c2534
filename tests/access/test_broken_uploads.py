"""No answer to a broken file names the site's folders or sockets."""

from __future__ import annotations

import gzip
import io
import itertools
import logging
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from benchmarks.imports import tasks
from benchmarks.imports.models import SetImport
from config.management.commands.nginx_limits import named_patterns
from core.security.declarations import cost_of
from tests.access.scene import Scene, make_everything
from tests.access.test_access_table import routes
from tests.annotation.privacy import needles
from tests.core.rest.people import caller


def zipped(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


BROKEN = {
    "a.csv": b'question,answer,score\n"open,b\nc,d,e,f\n',
    "a.tsv": b"\xff\xfe\x00\xd8\x00",
    "a.json": b'{"a": [1, 2',
    "a.jsonl": b'{"id": 1}\nnot json\n',
    "a.xlsx": zipped("[Content_Types].xml", b"<Types"),
    "b.xlsx": b"PK\x03\x04 no archive",
    "a.parquet": b"PAR1 no table PAR1",
    "a.csv.gz": gzip.compress(b"a,b\n1,2\n")[:-6],
    "a.zip": zipped("../../etc/passwd", b"a"),
    "a.txt": b"",
    "a.toml": b"name = ",
}
# By address: the other fields (N becomes a number), and the fields of files of each request.
IMPORT = {"name": "broken"}
FORMS: dict[str, tuple[dict[str, str], tuple[tuple[str, ...], ...]]] = {
    "study-upload-file": ({"use": "rated"}, (("file",),)),
    "study-new": ({"slug": "broken-N", "title": "Broken", "preset": "blank"}, (("file",),)),
    "study-crowd-file": ({}, (("file",),)),
    "study-sampling": ({"aim": "system"}, (("scores",),)),
    "submit": ({"kind": "scores", "name": "mine-N", "direction": "higher"}, (("scores",),)),
    "set-imports": (IMPORT, (("file",), ("file", "pairs"), ("file", "texts"), ("file", "recipe"))),
    "import-checkpoint": ({"name": "new-N"}, (("file",),)),
    "api-checkpoints": ({"name": "new-N"}, (("file",),)),
    "api-uploads": ({"use": "rated"}, (("file",),)),
    "api-crowd-results": ({}, (("file",),)),
    "api-sampling": ({"aim": "system"}, (("scores",),)),
    "api-submissions": ({"kind": "scores", "name": "mine-N"}, (("scores",),)),
    "api-sets": (IMPORT, (("files",), ("files", "pairs"), ("files", "texts"), ("files", "recipe"))),
}


@pytest.fixture
def scene(db: None, tmp_path: Path, settings: Any) -> Iterator[Scene]:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "unlimited")
    made = make_everything(tmp_path)
    logging.disable(logging.CRITICAL)
    yield made
    logging.disable(logging.NOTSET)


def secrets() -> list[bytes]:
    """The folders in which the site keeps its files and sockets."""
    return [tempfile.gettempdir().encode(), str(site_settings.VAR_DIR).encode(), b"/tmp/"]


def test_broken_files_are_refused_without_the_names_of_folders(scene: Scene) -> None:

    known: dict[str, set[str]] = routes()
    answers: dict[str, bytes] = {}
    api = caller(User.objects.get(username="owner"))
    scene.values["submission"] = scene.own["change-submission"]["pk"]
    assert FORMS.keys() == {name for name, one in named_patterns() if cost_of(one.callback).files}
    for address, (fields, requests) in FORMS.items():
        url = reverse(address, kwargs=scene.kwargs(address, known[address]))
        attempts = itertools.product(BROKEN.items(), requests)
        for number, ((name, content), files) in enumerate(attempts):
            form = {key: value.replace("N", str(number)) for key, value in fields.items()}
            form |= {field: SimpleUploadedFile(name, content) for field in files}
            if address.startswith("api-"):
                answer = api.upload(url.removeprefix("/api/v1"), form)
            else:
                answer = scene.client("owner").post(url, form, follow=True)
            assert answer.status_code < 500, (address, name, files)
            answers[f"{address} {files} {name}: {answer.status_code}"] = needles.body_of(answer)
    assert SetImport.objects.exists()
    for pk in SetImport.objects.values_list("pk", flat=True):
        tasks.import_set(pk)
    answers["imports"] = needles.database()["table benchmarks_setimport"]
    named = [place for place, body in answers.items() if any(one in body for one in secrets())]
    assert named == []
