from typing import Any

from django.db import migrations, models


def name_what_was_judged(apps: Any, schema_editor: Any) -> None:
    """This site's judges of before, and their submissions: of pairs, or of all candidates but those
    of the examples' split."""
    judges = apps.get_model("benchmarks", "ModelJudge").objects.all()
    judges.filter(template__contains="{first}").update(judged="minimal pairs")
    for judge in judges.exclude(submission=None):
        submission = judge.submission
        submission.judged = judge.judged
        submission.left_out_split = judge.train_split if judge.shots else ""
        submission.save(update_fields=["judged", "left_out_split"])


JUDGED = [
    ("candidates", "Candidates"),
    ("minimal pairs", "Minimal Pairs"),
    ("judged pairs", "pairs that people judged"),
]


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0030_count_judge_requests")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="judged",
            field=models.CharField(
                choices=JUDGED,
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
        migrations.AddField(
            model_name="submission",
            name="choice_scores",
            field=models.BinaryField(
                help_text=(
                    "Of a judge of judged pairs: the scores of their members, NaN for invalid "
                    "answers. Its run has scores of no item."
                ),
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="modeljudge",
            name="judged",
            field=models.CharField(choices=JUDGED, default="candidates", max_length=20),
        ),
        migrations.AddField(
            model_name="modelanswer",
            name="content",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddIndex(
            model_name="modelanswer",
            index=models.Index(
                condition=models.Q(("content", ""), _negated=True),
                fields=["content"],
                name="model_answers_by_content",
            ),
        ),
        migrations.AlterField(
            model_name="modeljudge",
            name="endpoint",
            field=models.URLField(blank=True, max_length=500),
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
