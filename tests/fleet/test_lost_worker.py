"""A worker that was cut off comes back while RabbitMQ still knows its old connection."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from kombu import Connection

from config.celery import app
from tests.fleet.network import Machine, network
from tests.fleet.servers import Broker, require
from tests.waiting import wait_for

pytestmark = pytest.mark.slow


def test_a_worker_is_not_locked_out_of_its_own_queue() -> None:
    """Its process would end, and with it a training that was at work."""
    require()
    machine = Machine("broker", 10)
    with (
        tempfile.TemporaryDirectory(prefix="concord-fleet-", ignore_cleanup_errors=True) as folder,
        network([machine]),
    ):
        Path(folder).chmod(0o755)
        broker = Broker(machine, Path(folder))
        broker.start()
        wait_for(broker.is_ready)
        with Connection(broker.url) as before, Connection(broker.url) as after:
            for connection in (before, after):
                app.control.mailbox.Node("light-1@here", channel=connection.channel()).listen()
