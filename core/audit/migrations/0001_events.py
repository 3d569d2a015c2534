"""The table of what was done."""

import django.core.serializers.json
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

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
    ]
