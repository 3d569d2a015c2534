"""Withdraw submissions that wait for scores on a later version of their set."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.utils.timezone import now


WAITING = {"known_scores__isnull": False, "run": None, "kind__in": ("scores", "judgments")}


def withdraw(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Those that a file made; what a worker scores can be queued as before."""
    submissions = apps.get_model("benchmarks", "Submission")._default_manager
    answers = apps.get_model("benchmarks", "JudgeAnswer")._default_manager
    waiting = submissions.filter(**WAITING)
    answers.filter(submission__in=waiting).delete()
    waiting.filter(withdrawn_at=None).update(withdrawn_at=now())


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0017_remove_tags_and_word_weights")]

    operations = [
        migrations.RunPython(withdraw, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField("submission", "known_scores"),
    ]
