"""The site behind nginx, with the files of deploy/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.proxy import Proxy, environment
from tests.waiting import wait_for
from tests.web_site import WebSite


@pytest.fixture
def proxy(database_url: str, tmp_path: Path) -> Iterator[Proxy]:
    site = WebSite(
        database_url,
        tmp_path / "site.log",
        **environment(),
        RATE_LIMIT_SIGN_IN_ADDRESS="3/15m",
        WEB_WORKERS="1",
    )
    nginx = Proxy(site.port, tmp_path)
    site.start()
    nginx.start()
    wait_for(nginx.answers, 60)
    yield nginx
    nginx.stop()
    site.stop()
