from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("webhooks", "0001_initial")]

    operations = [
        migrations.RunSQL(
            "UPDATE webhooks_webhook SET events ="
            " array_remove(array_remove(events, 'drift.found'), 'drift.ended')"
            " WHERE events && ARRAY['drift.found', 'drift.ended']::varchar[]",
            migrations.RunSQL.noop,
        )
    ]
