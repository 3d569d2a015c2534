from typing import Any

from django.db import migrations, models


def name_what_was_judged(apps: Any, schema_editor: Any) -> None:
    """The submissions of this site's judges of before: pairs, or all but the examples' split."""
    for judge in apps.get_model("benchmarks", "ModelJudge").objects.exclude(submission=None):
        submission = judge.submission
        submission.judged = "minimal pairs" if "{first}" in judge.template else "candidates"
        submission.left_out_split = judge.train_split if judge.shots else ""
        submission.save(update_fields=["judged", "left_out_split"])


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0030_count_judge_requests")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="judged",
            field=models.CharField(
                choices=[("candidates", "Candidates"), ("minimal pairs", "Minimal Pairs")],
                default="candidates",
                help_text="Of the kind judgments: what the judge was asked about.",
                max_length=20,
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="left_out_split",
            field=models.CharField(
                blank=True,
                help_text=(
                    "The split of a judge's examples, whose candidates it does not judge."
                ),
                max_length=500,
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="known_scores",
            field=models.BinaryField(
                help_text=(
                    "Of a carried submission that lacks scores: those it has, NaN for the others; "
                    "of a judge of pairs, only those of the pairs' members."
                ),
                null=True,
            ),
        ),
        migrations.RunPython(name_what_was_judged, migrations.RunPython.noop),
    ]
