"""Queries that are compiled once."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.models import QuerySet
from django.forms import model_to_dict
from django.test.utils import CaptureQueriesContext

from core.compiled_queries import CompiledQuery, CompiledUpdate, Parameter, insert

pytestmark = pytest.mark.django_db


@CompiledQuery
def permissions() -> QuerySet[Permission]:
    rows = Permission.objects.filter(codename=Parameter("codename"))
    return rows.select_related("content_type").prefetch_related("group_set")


@CompiledQuery
def names_but() -> QuerySet[User, tuple[str, bool]]:
    others = User.objects.filter(username=Parameter("name")).values("pk")
    rows = User.objects.exclude(pk__in=others).order_by("username")
    return rows.values_list("username", "is_active")


@CompiledQuery
def users_to_lock() -> QuerySet[User]:
    return User.objects.filter(pk=Parameter("pk")).select_for_update()


def test_each_call_has_values_of_its_own() -> None:
    # Of a test whose rows are gone.
    ContentType.objects.clear_cache()
    group = Group.objects.create(name="editors")
    of_users = ContentType.objects.get_for_model(User)
    for codename in ("greet", "wave"):
        Permission.objects.create(codename=codename, content_type=of_users)
    group.permissions.set(Permission.objects.filter(codename="greet"))
    for codename, groups in (("greet", [group]), ("wave", []), ("greet", [group])):
        with CaptureQueriesContext(connection) as captured:
            found = permissions.get(codename=codename)
            assert found.codename == codename and found.content_type == of_users
            assert list(found.group_set.all()) == groups
        assert len(captured) == 2  # and the groups


def test_the_columns_of_a_query_with_a_subquery() -> None:
    for name in ("ann", "bob"):
        User.objects.create_user(name)
    assert names_but.rows(name="ann") == [("bob", True)]
    assert names_but.rows(name="bob") == [("ann", True)]
    assert names_but.first(name="carl") == ("ann", True)


def test_a_row_that_is_missing() -> None:
    assert permissions.first(codename="none") is None
    with pytest.raises(Permission.DoesNotExist):
        permissions.get(codename="none")
    with pytest.raises(KeyError, match="codename"):
        permissions.rows()


@CompiledUpdate
def deactivation() -> tuple[QuerySet[User], dict[str, object]]:
    rows = User.objects.filter(username=Parameter("name"), is_active=True)
    return rows, {"is_active": False, "last_name": Parameter("last_name")}


def test_an_update_changes_the_rows_of_its_condition() -> None:
    ann, bob = (User.objects.create_user(name) for name in ("ann", "bob"))
    assert deactivation.run(name="ann", last_name="100%") == 1
    assert deactivation.run(name="ann", last_name="again") == 0
    ann.refresh_from_db()
    bob.refresh_from_db()
    assert (ann.is_active, ann.last_name, bob.is_active) == (False, "100%", True)


def test_an_inserted_row_is_that_of_its_instance() -> None:
    user = User(username="ann", is_staff=True, last_name="100%")
    insert(user)
    stored = User.objects.get(pk=user.pk)
    assert model_to_dict(stored) == model_to_dict(user) and stored.date_joined == user.date_joined
    user.is_staff = False
    user.save()  # changes the row
    assert User.objects.get().is_staff is False


def test_a_query_is_prepared_once_for_small_and_large_numbers() -> None:
    for number in (1, 2**40, 2):
        assert users_to_lock.rows(pk=number) == []
    assert not User.objects.filter(pk=3).exists()  # no query of Django's is prepared
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        prepared = [statement for (statement,) in cursor.fetchall() if "auth_user" in statement]
    assert len(prepared) == 1 and prepared[0].endswith("= ($1) FOR UPDATE")


@pytest.mark.django_db(transaction=True)
def test_rows_are_locked_in_a_transaction_only() -> None:
    user = User.objects.create_user("ann")
    with transaction.atomic():
        assert users_to_lock.get(pk=user.pk) == user
    with pytest.raises(transaction.TransactionManagementError):
        users_to_lock.get(pk=user.pk)
