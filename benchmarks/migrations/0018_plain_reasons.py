
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("benchmarks", "0017_plain_help_texts"),
    ]

    operations = [
        migrations.AlterField(
            model_name="disagreementtag",
            name="reason",
            field=models.CharField(
                choices=[
                    ("unit", "gives weight to the unit, not the number"),
                    ("weights", "gives weight to the wrong words"),
                    ("vague", "the answer has no keyphrase"),
                    ("same meaning", "misses a paraphrase"),
                    ("opposite", "treats an opposite as the same"),
                    ("passage", "only the passage shows who is right"),
                    ("reference", "the reference is wrong or too narrow"),
                    ("people", "people seem to be wrong"),
                    ("other", "something else"),
                ],
                max_length=20,
            ),
        ),
    ]
