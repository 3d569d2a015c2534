"""A worker of two studies becomes two workers: what is read of both cannot be joined."""

import secrets
from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def part(apps: Any, schema_editor: Any) -> None:
    """The first study keeps the row; each further one gets a copy, with what was done there."""
    Worker = apps.get_model("annotation", "Worker")
    Participation = apps.get_model("annotation", "Participation")
    Worker.objects.filter(participations=None).delete()  # of studies that are gone
    for pk in list(Worker.objects.order_by("pk").values_list("pk", flat=True)):
        first, *others = Participation.objects.filter(worker=pk).order_by("pk")
        Worker.objects.filter(pk=pk).update(study=first.study_id)
        for participation in others:
            _move(apps, pk, participation)


def _move(apps: Any, pk: int, participation: Any) -> None:
    worker = apps.get_model("annotation", "Worker").objects.get(pk=pk)
    old = worker.name
    worker.pk, worker.study_id = None, participation.study_id
    worker.name = f"w-{secrets.token_hex(6)}"
    worker.save(force_insert=True)
    here = {"worker": pk}
    Rating = apps.get_model("annotation", "Rating")
    Assignment = apps.get_model("annotation", "Assignment")
    study = participation.study_id
    Rating.objects.filter(assignment__hit__stage__study=study, **here).update(worker=worker)
    Assignment.objects.filter(hit__stage__study=study, **here).update(worker=worker)
    participation.worker = worker
    participation.save(update_fields=["worker"])
    LedgerStep = apps.get_model("annotation", "LedgerStep")
    for step in LedgerStep.objects.filter(study=study, content__worker=old):
        step.content = {**step.content, "worker": worker.name}
        step.save(update_fields=["content"])


def join(apps: Any, schema_editor: Any) -> None:
    """Back to one row a person: the first, to which everything of the others goes."""
    Worker = apps.get_model("annotation", "Worker")
    first: dict[tuple[str, str], int] = {}
    rows = Worker.objects.exclude(identity_key=None).order_by("pk")
    for pk, *person in rows.values_list("pk", "provider", "identity_key"):
        kept = first.setdefault(tuple(person), pk)
        if kept != pk:
            for model in ("Rating", "Assignment", "Participation"):
                moved = apps.get_model("annotation", model).objects.filter(worker=pk)
                moved.update(worker=kept)
            Worker.objects.filter(pk=pk).delete()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_retention_and_consent")]
    operations = [
        migrations.RemoveConstraint("worker", "one_row_per_worker"),
        migrations.AddField(
            "worker",
            "study",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="workers",
                to="annotation.study",
            ),
        ),
        # What waits to be checked would keep the tables from being changed.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RunPython(part, join),
        migrations.RunSQL(migrations.RunSQL.noop, "SET CONSTRAINTS ALL IMMEDIATE"),
        migrations.AlterField(
            "worker",
            "study",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="workers",
                to="annotation.study",
            ),
        ),
        migrations.AddConstraint(
            "worker",
            models.UniqueConstraint(
                fields=("study", "provider", "identity_key"), name="one_row_per_worker"
            ),
        ),
    ]
