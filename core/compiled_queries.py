"""Queries whose SQL a process generates once, for the requests that are made most often.

Django generates the SQL of a query anew at each call, and PostgreSQL plans it anew. Both take more
CPU time than a query of one row takes otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BooleanField,
    Expression,
    F,
    Func,
    Model,
    QuerySet,
    prefetch_related_objects,
)
from django.db.models.query import (
    FlatValuesListIterable,
    ValuesListIterable,
    get_related_populators,
)
from django.db.models.sql.compiler import SQLCompiler

if TYPE_CHECKING:
    from core.postgresql.base import DatabaseWrapper

Row = TypeVar("Row")
Columns = Sequence[object]  # a row as the database returns it


class Parameter(Expression):
    """A value in a compiled query that each call gives anew, by its name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(  # type: ignore[override]
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple[Parameter]]:
        return "%s", (self,)


def any_of(field: str, name: str) -> Func:
    """The condition that a field is one of the values in the list parameter `name`."""
    return Func(
        F(field),
        Parameter(name),
        template="%(expressions)s)",
        arg_joiner=" = ANY(",
        output_field=BooleanField(),
    )


class CompiledQuery(Generic[Row]):
    """A query with `Parameter`s, compiled at its first call.

    build: makes the QuerySet, with `select_related`, `values_list` or a slice if needed. It may not
    depend on anything that changes while the process runs.
    """

    def __init__(self, build: Callable[[], QuerySet[Model, Row]]) -> None:
        self._build = build

    def rows(self, **values: object) -> list[Row]:
        """The rows for these values of the parameters. Raises KeyError if one is missing."""
        one = self._compiled
        connection: DatabaseWrapper = connections[one.queryset.db]  # type: ignore[assignment]
        if one.queryset.query.select_for_update and connection.get_autocommit():
            raise transaction.TransactionManagementError("Rows are locked in a transaction only.")
        with connection.prepared_cursor() as cursor:
            cursor.execute(one.sql, [values[name] for name in one.parameters])  # type: ignore[misc]
            rows = [one.make(one.converted(row, connection)) for row in cursor.fetchall()]
        if one.prefetched:
            prefetch_related_objects(rows, *one.prefetched)  # type: ignore[type-var]
        return rows

    def first(self, **values: object) -> Row | None:
        """The first of the rows; None if there is none."""
        return next(iter(self.rows(**values)), None)

    def get(self, **values: object) -> Row:
        """The first of the rows. Raises the model's DoesNotExist if there is none."""
        for row in self.rows(**values):
            return row
        return self._compiled.queryset.none().get()

    @cached_property
    def _compiled(self) -> _Compiled[Row]:
        queryset = self._build()
        compiler = queryset.query.get_compiler(using=queryset.db)
        sql, values = compiler.as_sql()
        # PostgreSQL chooses an index with a condition by constants only.
        constant = compiler.connection.ops.compose_sql
        parts = ["%s" if isinstance(one, Parameter) else constant("%s", [one]) for one in values]
        columns = [column for column, *_ in compiler.select[: compiler.col_count]]
        return _Compiled(
            queryset,
            sql % tuple(parts),
            [one.name for one in values if isinstance(one, Parameter)],
            list(compiler.get_converters(columns).items()),
            _maker(queryset, compiler),
            queryset._prefetch_related_lookups,  # type: ignore[attr-defined]
        )


@dataclass(frozen=True)
class _Compiled(Generic[Row]):
    """The SQL of a query, the names of its parameters, and how a row is made of its columns."""

    queryset: QuerySet[Model, Row]
    sql: str
    parameters: list[str]
    converters: list[tuple[int, tuple[list[Callable[..., object]], Expression]]]
    make: Callable[[Columns], Row]
    prefetched: Sequence[str]

    def converted(self, row: Columns, connection: DatabaseWrapper) -> Columns:
        """The columns with the values that their fields make of them."""
        if not self.converters:
            return row
        values = list(row)
        for at, (functions, column) in self.converters:
            for function in functions:
                values[at] = function(values[at], column, connection)
        return values


def _maker(queryset: QuerySet[Model, Row], compiler: SQLCompiler) -> Callable[[Columns], Row]:
    """The function that makes a row of its columns, as the QuerySet itself does."""
    if queryset._iterable_class is FlatValuesListIterable:
        return lambda row: row[0]  # type: ignore[return-value]
    if queryset._iterable_class is ValuesListIterable:
        return tuple  # type: ignore[return-value]
    own = compiler.klass_info["select_fields"]
    columns = slice(own[0], own[-1] + 1)
    names = [column.target.attname for column, *_ in compiler.select[columns]]
    related = get_related_populators(compiler.klass_info, compiler.select, queryset.db)  # type: ignore[call-arg]

    def made(row: Columns) -> Row:
        instance = queryset.model.from_db(queryset.db, names, row[columns])
        for one in related:
            one.populate(row, instance)
        return instance  # type: ignore[return-value]

    return made
