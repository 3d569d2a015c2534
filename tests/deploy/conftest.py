"""The site behind nginx, with the files of deploy/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.proxy import Proxy, site_behind_nginx


@pytest.fixture
def proxy(database_url: str, tmp_path: Path) -> Iterator[Proxy]:
    options = {"RATE_LIMIT_SIGN_IN_ADDRESS": "3/15m", "WEB_WORKERS": "1"}
    with site_behind_nginx(database_url, tmp_path, **options) as (_, proxy):
        yield proxy
