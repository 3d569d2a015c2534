import django.core.serializers.json
from django.db import migrations, models


# The database refuses to change, remove or empty the audit log, whoever asks.
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

    initial = True
    # A database at the last of these migrations is at this one.
    replaces = [
        ('audit', '0001_events'),
        ('audit', '0002_append_only'),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('actor_kind', models.CharField(max_length=10)),
                ('actor_name', models.CharField(max_length=300)),
                ('actor_id', models.BigIntegerField(help_text='Of the account.', null=True)),
                ('token_id', models.BigIntegerField(help_text='Of the API token, where one was used.', null=True)),
                ('action', models.CharField(max_length=60)),
                ('target_kind', models.CharField(max_length=60)),
                ('target_id', models.CharField(blank=True, max_length=80)),
                ('target_name', models.CharField(blank=True, max_length=300)),
                ('before', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('after', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('study_id', models.BigIntegerField(null=True)),
                ('judgment_set', models.CharField(blank=True, max_length=80)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('study_id__isnull', False)), fields=['study_id', 'id'], name='a_studys_events'), models.Index(condition=models.Q(('judgment_set', ''), _negated=True), fields=['judgment_set', 'id'], name='a_sets_events')],
            },
        ),
        migrations.RunSQL(REFUSE, ALLOW),
    ]
