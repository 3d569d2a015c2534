"""Django's backend for PostgreSQL, which also works behind a pooler such as PgBouncer."""
