"""Queries whose SQL a process generates once, for the requests that are made most often.

Django generates the SQL of a query anew at each call, and PostgreSQL plans it anew. Both take more
CPU time than a query of one row takes otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import (
    BooleanField,
    Expression,
    F,
    Field,
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
from django.db.models.sql.subqueries import UpdateQuery

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
        if one.queryset.query.select_for_update and connection.get_autocommit():
            raise transaction.TransactionManagementError("Rows are locked in a transaction only.")
        with prepared_cursor() as cursor:
            cursor.execute(one.statement.sql, one.statement.bound(values))
            rows = [one.make(one.converted(row)) for row in cursor.fetchall()]
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
        statement = _Statement.of(compiler)
        columns = [column for column, *_ in compiler.select[: compiler.col_count]]
        return _Compiled(
            queryset,
            statement,
            list(compiler.get_converters(columns).items()),
            _maker(queryset, compiler),
            queryset._prefetch_related_lookups,  # type: ignore[attr-defined]
        )


def prepared_cursor() -> CursorWrapper:
    """A cursor whose statements PostgreSQL plans once on a connection."""
    return connection.prepared_cursor()  # type: ignore[attr-defined, no-any-return]


@dataclass(frozen=True)
class _Statement:
    """The SQL of a statement, and the names of its parameters in their order."""

    sql: str
    parameters: list[str]

    @classmethod
    def of(cls, compiler: SQLCompiler) -> _Statement:
        sql, found = compiler.as_sql()
        values: list[object] = list(found)
        # PostgreSQL chooses an index with a condition by constants only.
        constant = connection.ops.compose_sql  # type: ignore[attr-defined]
        parts = ["%s" if isinstance(one, Parameter) else constant("%s", [one]) for one in values]
        names = [one.name for one in values if isinstance(one, Parameter)]
        return cls(sql % tuple(parts), names)

    def bound(self, values: Mapping[str, Any]) -> list[Any]:
        """The values of its parameters. Raises KeyError if one is missing."""
        return [values[name] for name in self.parameters]


@dataclass(frozen=True)
class _Compiled(Generic[Row]):
    """The statement of a query, and how a row is made of its columns."""

    queryset: QuerySet[Model, Row]
    statement: _Statement
    converters: list[tuple[int, tuple[list[Callable[..., object]], Expression]]]
    make: Callable[[Columns], Row]
    prefetched: Sequence[str]

    def converted(self, row: Columns) -> Columns:
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


class CompiledUpdate:
    """An UPDATE with `Parameter`s, compiled at its first call.

    build: makes the QuerySet of the rows, and the new values of their fields.
    """

    def __init__(self, build: Callable[[], tuple[QuerySet[Model], Mapping[str, object]]]) -> None:
        self._build = build

    def run(self, **values: object) -> int:
        """Update the rows for these values of the parameters; returns how many."""
        with prepared_cursor() as cursor:
            cursor.execute(self._compiled.sql, self._compiled.bound(values))
            return int(cursor.rowcount)

    @cached_property
    def _compiled(self) -> _Statement:
        rows, values = self._build()
        query = rows.query.chain(UpdateQuery)
        query.add_update_values(values)  # type: ignore[attr-defined]
        return _Statement.of(query.get_compiler(using=rows.db))


def insert(instance: Model) -> None:
    """Store a new row, as `save` does, but without signals."""
    fields, sql = _insertion(type(instance))
    values = [one.get_db_prep_save(one.pre_save(instance, True), connection) for one in fields]
    with prepared_cursor() as cursor:
        cursor.execute(sql, values)
        (instance.pk,) = cursor.fetchone()
    instance._state.adding, instance._state.db = False, connection.alias


@cache
def _insertion(model: type[Model]) -> tuple[list[Field[Any, Any]], str]:
    """The fields whose values a new row gets, and the statement."""
    fields = [one for one in model._meta.local_concrete_fields if not one.primary_key]
    columns = ", ".join(f'"{one.column}"' for one in fields)
    places = ", ".join(["%s"] * len(fields))
    table, key = model._meta.db_table, model._meta.pk.column
    return fields, f'INSERT INTO "{table}" ({columns}) VALUES ({places}) RETURNING "{key}"'
