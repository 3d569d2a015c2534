"""Remove trainings; their checkpoints stay."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0018_submissions_without_known_scores")]

    operations = [migrations.DeleteModel("TrainingFile"), migrations.DeleteModel("Training")]
