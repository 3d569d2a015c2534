"""Queries whose SQL a process generates once, for the requests that are made most often.

Django generates the SQL of a query anew at each call, which takes more CPU time than a query of one
row takes in psycopg and PostgreSQL together.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Expression, F, Func, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row")


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
        rows, compiler, sql, parameters = self._compiled
        connection = connections[rows.db]
        if compiler.query.select_for_update and connection.get_autocommit():
            raise transaction.TransactionManagementError("Rows are locked in a transaction only.")
        bound = copy.copy(compiler)
        bound.connection = connection
        given = (values[one.name] if isinstance(one, Parameter) else one for one in parameters)
        statement = sql, tuple(given)
        bound.as_sql = lambda *_, **__: statement  # type: ignore[method-assign, assignment]
        rows = rows.all()
        rows.query.get_compiler = lambda *_, **__: bound  # type: ignore[method-assign]
        return list(rows)

    def first(self, **values: object) -> Row | None:
        """The first of the rows; None if there is none."""
        return next(iter(self.rows(**values)), None)

    def get(self, **values: object) -> Row:
        """The first of the rows. Raises the model's DoesNotExist if there is none."""
        for row in self.rows(**values):
            return row
        return self._compiled[0].none().get()

    @cached_property
    def _compiled(self) -> tuple[QuerySet[Model, Row], SQLCompiler, str, tuple[object, ...]]:
        rows = self._build()
        compiler = rows.query.get_compiler(using=rows.db)
        sql, parameters = compiler.as_sql()
        return rows, compiler, sql, tuple(parameters)
