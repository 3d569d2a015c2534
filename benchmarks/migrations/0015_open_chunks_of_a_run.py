from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('benchmarks', '0014_freezings'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='runchunk',
            index=models.Index(condition=models.Q(('status', 'done'), _negated=True), fields=['run', 'index'], name='open_chunks_of_a_run'),
        ),
    ]
