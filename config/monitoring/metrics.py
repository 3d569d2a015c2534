"""The metrics of /metrics: requests, and the present state of database and broker.

To add a metric of the database, add a function to _DATABASE_METRICS. Labels must not contain names
of workers, studies or judgment sets.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.db.models import BooleanField, Count, ExpressionWrapper, Model, Q, QuerySet
from django.utils.timezone import now
from kombu import Connection
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotation.rating.models import Assignment
from benchmarks.runs.models import MetricRun, RunChunk
from config.monitoring import servers
from core.jobs.broker import BROKER_ERRORS, broker
from core.jobs.models import BaseJob, Job, Leased

CONTENT_TYPE = CONTENT_TYPE_LATEST
MULTIPROCESS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
Cursor = psycopg.Cursor[Any]  # rows of any columns


def report() -> bytes:
    """All metrics in Prometheus's text format."""
    current_state = CollectorRegistry()
    current_state.register(ServersCollector())
    if MULTIPROCESS_FOLDER not in os.environ:
        return generate_latest(REGISTRY) + generate_latest(current_state)
    MultiProcessCollector(current_state)  # type: ignore[no-untyped-call]
    return generate_latest(current_state)


class ServersCollector(Collector):
    """Queries database and broker. Metrics of a server that does not answer are left out."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        is_up = GaugeMetricFamily("concord_server_up", "1 if it answers.", labels=["server"])
        for name, metrics, errors in (
            ("database", _database_metrics, servers.DATABASE_ERRORS),
            ("broker", _broker_metrics, BROKER_ERRORS),
        ):
            try:
                yield from metrics()
            except errors:
                is_up.add_metric([name], 0)
            else:
                is_up.add_metric([name], 1)
        yield is_up


def _database_metrics() -> list[GaugeMetricFamily]:
    with servers.database() as cursor:
        return [metric(cursor, now()) for metric in _DATABASE_METRICS]


def _broker_metrics() -> list[GaugeMetricFamily]:
    messages = GaugeMetricFamily(
        "concord_queue_messages", "Messages that wait for a worker.", labels=["queue"]
    )
    with broker() as connection:
        for queue in settings.CELERY_TASK_QUEUES:
            messages.add_metric([queue.name], count_messages(connection, queue.name))
    return [messages]


def count_messages(connection: Connection, queue: str) -> int:
    """The number of messages in a queue; 0 if the queue does not exist yet."""
    try:
        channel: Any  # kombu has no types
        with connection.channel() as channel:
            count: int = channel.queue_declare(queue, passive=True).message_count
            return count
    except connection.channel_errors:
        return 0


def _jobs(cursor: Cursor, at: datetime) -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        "concord_jobs",
        "Jobs by status. Parts of jobs, calls and messages are counted until they have ended.",
        labels=["kind", "status"],
    )
    queries = {model: model.objects.all() for model in _models(BaseJob)}
    for model in set(_models(Leased)) - queries.keys():
        queries[model] = model.objects.filter(status__in=(model.WAITING, model.HELD))
    for model, rows in queries.items():
        counts = rows.order_by().values_list("status").annotate(number=Count("pk"))
        for status, number in _rows(cursor, counts):
            family.add_metric([_kind(model), status], number)
    return family


def _chunks(cursor: Cursor, at: datetime) -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        "concord_chunks_waiting", "Parts of metric runs that wait for a worker.", labels=["lane"]
    )
    waiting = RunChunk.objects.filter(status=RunChunk.Status.QUEUED)
    active = waiting.filter(run__status__in=MetricRun.ACTIVE).order_by()
    for lane, number in _rows(cursor, active.values_list("run__lane").annotate(number=Count("pk"))):
        family.add_metric([lane], number)
    return family


def _leases(cursor: Cursor, at: datetime) -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        "concord_leases",
        "Rows that a worker, or of assignments a rater, holds; lapsed: the lease is over.",
        labels=["kind", "state"],
    )
    queries = {model: model.objects.filter(status=model.HELD) for model in _models(Leased)}
    queries[Assignment] = Assignment.objects.filter(status=Assignment.Status.HELD)
    is_lapsed = ExpressionWrapper(Q(lease_until__lt=at), BooleanField())
    for model, rows in queries.items():
        counts = rows.order_by().values_list(is_lapsed).annotate(number=Count("pk"))
        numbers = dict(_rows(cursor, counts))
        family.add_metric([_kind(model), "held"], numbers.get(False, 0))
        family.add_metric([_kind(model), "lapsed"], numbers.get(True, 0))
    return family


_DATABASE_METRICS: tuple[Callable[[Cursor, datetime], GaugeMetricFamily], ...] = (
    _jobs,
    _leases,
    _chunks,
)


def _models(base: type[Model]) -> list[Any]:  # models with the fields of `base`
    return [model for model in apps.get_models() if issubclass(model, base) and model is not Job]


def _kind(model: type[Model]) -> str:
    """The name of a model in labels, such as "run-chunk"."""
    return str(model._meta.verbose_name).replace(" ", "-")


def _rows(cursor: Cursor, query: QuerySet[Any, Any]) -> list[Any]:  # rows of any columns
    return cursor.execute(*query.query.sql_with_params()).fetchall()
