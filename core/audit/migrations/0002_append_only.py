"""The book only grows: the database refuses to change, remove or empty it, whoever asks."""

from django.db import migrations

REFUSE = """
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit is append-only: % of % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation',
              HINT = 'Write down what corrects it as another event.';
END $$;
CREATE TRIGGER rows_stay BEFORE UPDATE OR DELETE ON audit_auditevent
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER table_stays BEFORE TRUNCATE ON audit_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
"""
ALLOW = """
DROP TRIGGER table_stays ON audit_auditevent;
DROP TRIGGER rows_stay ON audit_auditevent;
DROP FUNCTION audit_refuse();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_events")]
    operations = [migrations.RunSQL(REFUSE, ALLOW)]
