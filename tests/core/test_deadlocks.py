"""A real deadlock of two transactions: the one that PostgreSQL cancels is retried."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from core.deadlocks import retry_after_deadlock


@pytest.mark.django_db(transaction=True)
def test_both_transactions_of_a_deadlock_succeed() -> None:
    first, second = User.objects.create_user("ann"), User.objects.create_user("bob")
    both_hold = threading.Barrier(2)
    tries: list[str] = []

    @retry_after_deadlock
    def rename(first_pk: int, second_pk: int, name: str) -> None:
        tries.append(name)
        with transaction.atomic():
            User.objects.filter(pk=first_pk).update(first_name=name)
            if len(tries) <= 2:
                both_hold.wait(300)
            User.objects.filter(pk=second_pk).update(last_name=name)

    def other() -> None:
        try:
            rename(second.pk, first.pk, "other")
        finally:
            both_hold.abort()  # after an error here, the main thread waits no longer
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(other)
        rename(first.pk, second.pk, "one")
        result.result()
    assert len(tries) >= 3  # more where the other transaction wakes only after the pause
    names = User.objects.order_by("pk").values_list("first_name", "last_name")
    assert list(names) == [("one", "other"), ("other", "one")]
