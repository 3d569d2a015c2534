from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0012_study_slugs'),
    ]

    operations = [
        migrations.RenameField('publication', 'place', 'environment'),
        migrations.RenameField('publication', 'known', 'provider_ids'),
        migrations.RenameField('publication', 'sync_asked_at', 'sync_requested_at'),
        migrations.RenameField('crowdassignment', 'approves_itself_at', 'auto_approval_at'),
        migrations.RenameField('crowdcall', 'asked_by', 'requested_by'),
    ]
