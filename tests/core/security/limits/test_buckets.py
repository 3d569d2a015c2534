"""Rate limits counted in the database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from core.security.limits import buckets
from core.security.limits.rates import Rate
from core.security.models import Bucket

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
RATE = Rate(3, timedelta(minutes=1))


def wait_times(times: int, *, at: datetime = AT, who: str = "ann") -> list[timedelta | None]:
    return [buckets.take("write", [(who, RATE)], at=at) for _ in range(times)]


@pytest.mark.django_db
def test_a_burst_is_allowed_and_then_one_each_interval():
    assert wait_times(4) == [None, None, None, timedelta(seconds=20)]
    later = AT + timedelta(seconds=20)
    assert wait_times(2, at=later) == [None, timedelta(seconds=20)]
    assert wait_times(4, at=AT + timedelta(hours=1)) == [None, None, None, timedelta(seconds=20)]


@pytest.mark.django_db
def test_refused_requests_do_not_extend_the_wait():
    wait_times(3)
    assert wait_times(500)[-1] == timedelta(seconds=20)


@pytest.mark.django_db
@pytest.mark.parametrize("back", [timedelta(seconds=30), timedelta(hours=1), timedelta(days=400)])
def test_a_clock_that_was_set_back_locks_nobody_out(back):
    wait_times(4)
    waits = wait_times(4, at=AT - back)
    assert all(one is None or one <= RATE.interval + timedelta(minutes=1) for one in waits)
    if back > timedelta(minutes=2):
        assert waits == [None, None, None, timedelta(seconds=20)]


@pytest.mark.django_db
def test_people_and_rules_are_counted_apart():
    wait_times(3)
    assert wait_times(1, who="bob") == [None]
    assert buckets.take("upload", [("ann", RATE)], at=AT) is None


@pytest.mark.django_db
def test_a_refunded_request_does_not_count():
    wait_times(3)
    buckets.give_back("write", "ann", RATE)
    assert wait_times(2) == [None, timedelta(seconds=20)]


@pytest.mark.django_db
def test_rows_without_effect_are_deleted():
    wait_times(1)
    assert buckets.sweep(at=AT + timedelta(seconds=19)) == 0
    assert buckets.sweep(at=AT + timedelta(seconds=21)) == 1
    assert not Bucket.objects.exists()


@pytest.mark.django_db
def test_neither_addresses_nor_names_can_be_read_from_the_table():
    buckets.take("sign-in", [("192.0.2.7 ann", RATE)], at=AT)
    (key,) = Bucket.objects.values_list("key", flat=True)
    assert "192.0.2.7" not in key and "ann" not in key and len(key) == 64


@pytest.mark.django_db(transaction=True)
def test_concurrent_processes_stay_within_the_rate():
    rate = Rate(50, timedelta(hours=1))

    def ask(_: int) -> bool:
        try:
            return buckets.take("sign-in", [("ann", rate)], at=AT) is None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(400))) == 50


@pytest.mark.django_db
def test_the_table_is_not_logged():
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'security_bucket'")
        assert cursor.fetchone() == ("u",)
