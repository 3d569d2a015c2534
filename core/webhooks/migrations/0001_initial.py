import django.contrib.postgres.fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    # A database at the last of these migrations is at this one.
    replaces = [
        ('webhooks', '0001_webhooks'),
        ('webhooks', '0002_plain_names'),
        ('webhooks', '0003_status_labels'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('key', models.CharField(max_length=200)),
                ('url', models.CharField(max_length=2000)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None)),
                ('sealed_secret', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('disabled_at', models.DateTimeField(null=True)),
                ('disabled_reason', models.CharField(blank=True, max_length=500)),
                ('consecutive_failures', models.PositiveSmallIntegerField(default=0, help_text='Messages in a row that could not be delivered, since the last success.')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('attempt', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('event', models.CharField(max_length=40)),
                ('once', models.CharField(blank=True, max_length=200)),
                ('body', models.TextField()),
                ('created_at', models.DateTimeField(db_index=True)),
                ('status', models.CharField(choices=[('waiting', 'waiting'), ('started', 'being sent'), ('done', 'delivered'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('not_before', models.DateTimeField()),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('finished_at', models.DateTimeField(null=True)),
                ('log', models.JSONField(default=list)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.AddIndex(
            model_name='webhook',
            index=models.Index(fields=['kind', 'key'], name='webhooks_by_target'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('status__in', ('waiting', 'started'))), fields=['status', 'not_before'], name='deliveries_to_make'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(condition=models.Q(('once', ''), _negated=True), fields=('webhook', 'once'), name='told_once'),
        ),
    ]
