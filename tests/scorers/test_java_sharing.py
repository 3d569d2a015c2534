"""One set of Java helpers for several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from scorers import Item, JavaError, Session, parse_metrics
from scorers.java import sharing
from scorers.java.client import JavaClient
from tests.waiting import wait_for

ITEMS = [Item("The mill burned down.", ("The mill burnt down.", "It burned."))]
SCORE = """
import sys
from scorers import Item, Session, parse_metrics
with Session(java=sys.argv[1]) as session:
    print(session.score(parse_metrics("rouge-l")[0], [Item("a cat sat", ("a cat",))])[0])
"""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("j")


@pytest.fixture
def server(folder: Path) -> Iterator[multiprocessing.process.BaseProcess]:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=sharing.serve, args=(folder / "s", 1.5))
    process.start()
    yield process
    process.kill()
    process.join()


def helpers(server: multiprocessing.process.BaseProcess) -> list[psutil.Process]:
    return psutil.Process(server.pid).children()


def test_processes_with_a_shared_helper_give_the_same_scores(folder, server, session):
    address = str(folder / "s")
    with Session(java=address) as shared:
        for metric in parse_metrics("bleu-2,rouge-l"):
            assert shared.score(metric, ITEMS).tolist() == session.score(metric, ITEMS).tolist()
        other = subprocess.run(
            [sys.executable, "-c", SCORE, address], capture_output=True, text=True, check=True
        )
        assert 0 < float(other.stdout) < 1
        assert len(helpers(server)) == 1


def test_a_helper_that_dies_is_started_again(folder, server):
    java = JavaClient("ptb", str(folder / "s"))
    assert java.request(["It's here."]) == ["it 's here"]
    (helper,) = helpers(server)
    os.kill(helper.pid, signal.SIGKILL)
    assert java.request(["It's back."]) == ["it 's back"]
    java.close()


def test_an_unused_helper_is_stopped_and_restarted(folder, server):
    java = JavaClient("ptb", str(folder / "s"))
    java.request(["Once."])
    wait_for(lambda: not helpers(server))
    assert java.request(["Again."]) == ["again"]
    java.close()


def test_a_refused_request_is_an_error_and_the_helper_stays_usable(folder, server):
    java = JavaClient("ptb", str(folder / "s"))
    with pytest.raises(JavaError, match="TypeError"):
        java.request(5)
    assert java.request(["Fine."]) == ["fine"]
    java.close()


def test_a_stopped_server_is_an_error(folder, server, monkeypatch):
    java = JavaClient("ptb", str(folder / "s"))
    java.request(["Here."])
    server.kill()
    server.join()
    monkeypatch.setattr("scorers.java.client._CONNECT_SECONDS", 0.2)
    with pytest.raises(JavaError, match="does not answer"):
        java.request(["Gone."])
