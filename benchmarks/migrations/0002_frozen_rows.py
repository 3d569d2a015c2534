"""Judgment sets never change: the database refuses updates of their content."""

from django.db import migrations

REFUSE = """
CREATE FUNCTION benchmarks_refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'judgment sets are frozen: % rows are never updated', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation',
              HINT = 'Import the change as the next version of the set.';
END $$;
"""
ROWS = ("instance", "candidate", "rating", "minimalpair")
CONTENT = "name, version, content_hash, n_candidates, n_pairs, gold_scores, text_keys, context_keys"


def trigger(table: str, columns: str = "") -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER frozen BEFORE UPDATE {columns} ON benchmarks_{table} "
        "FOR EACH ROW EXECUTE FUNCTION benchmarks_refuse_update()",
        f"DROP TRIGGER frozen ON benchmarks_{table}",
    )


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0001_judgment_sets_and_runs")]
    operations = [
        migrations.RunSQL(REFUSE, "DROP FUNCTION benchmarks_refuse_update()"),
        *(trigger(table) for table in ROWS),
        trigger("judgmentset", f"OF {CONTENT}"),
    ]
