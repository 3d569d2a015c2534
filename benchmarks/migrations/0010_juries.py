"""Juries on the board, and what a judge's answers about an item cost."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

KINDS = [
    ("scores", "uploaded scores"),
    ("judgments", "stored judgments of a judge"),
    ("entry-point", "Python entry point"),
    ("endpoint", "HTTP endpoint"),
    ("jury", "jury of the set's judges"),
]


def fill_costs(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    judges = apps.get_model("benchmarks", "ModelJudge").objects.filter(judged="candidates")
    submissions = apps.get_model("benchmarks", "Submission").objects
    for judge in judges.exclude(submission=None).exclude(answers=None):
        tokens = judge.prompt_price * judge.spent_prompt
        tokens += judge.completion_price * judge.spent_completion
        if tokens:
            cost = tokens / 1e6 * judge.repeats / judge.answers.count()
            submissions.filter(pk=judge.submission_id or 0).update(answer_cost=cost)


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0009_looks_at_judges")]
    operations = [
        migrations.AlterField("submission", "kind", models.CharField(max_length=20, choices=KINDS)),
        migrations.AlterField(
            "submission",
            "source",
            models.CharField(
                max_length=2000,
                blank=True,
                help_text="The endpoint's URL, the entry point's name or the jury's signature.",
            ),
        ),
        migrations.AddField(
            "submission",
            "answer_cost",
            models.FloatField(
                null=True,
                help_text="Of a judge that this site asked at a price: what its answers about one "
                "item cost, in its owner's currency.",
            ),
        ),
        migrations.RunPython(fill_costs, migrations.RunPython.noop),
    ]
