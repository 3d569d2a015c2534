"""Who workers are at their platforms is sealed, and found by a keyed hash."""

from typing import Any

from django.db import migrations, models

import annotation.identities.models

# The keys are the installation's, so sealing cannot be copied into a migration.
from annotation.identities.sealing import Sealed, lookups

# Platforms that name no sessions: their assignments bore the worker's own id.
NAMELESS = ("link", "local")


def seal(apps: Any, schema_editor: Any) -> None:
    Worker = apps.get_model("annotation", "Worker")
    for worker in Worker.objects.order_by("pk").iterator(chunk_size=1000):
        worker.identity = Sealed.of(worker.provider_id)
        worker.identity_key = lookups(worker.provider, worker.provider_id)[0]
        worker.save(update_fields=["identity", "identity_key"])
    _seal_crowds(apps)


def _seal_crowds(apps: Any) -> None:
    CrowdAssignment = apps.get_model("annotation", "CrowdAssignment")
    CrowdCall = apps.get_model("annotation", "CrowdCall")
    Participation = apps.get_model("annotation", "Participation")
    Publication = apps.get_model("annotation", "Publication")
    rows = CrowdAssignment.objects.select_related("participation", "publication")
    for crowd in rows.order_by("pk").iterator(chunk_size=1000):
        if crowd.publication.provider in NAMELESS:
            crowd.provider_id = f"worker-{crowd.participation.worker_id}"
        crowd.sealed_answer = Sealed.of(crowd.answer) if crowd.answer else None
        crowd.save(update_fields=["provider_id", "sealed_answer"])
    for call in CrowdCall.objects.filter(kind__in=("exclude", "admit")).select_related(
        "publication__stage"
    ):
        # Its key ends in the worker's number.
        found = Participation.objects.get(
            study=call.publication.stage.study_id, worker=int(call.key.rsplit("-", 1)[1])
        )
        call.payload = {"participation": found.pk}
        call.save(update_fields=["payload"])
    for publication in Publication.objects.all():
        names = publication.offer.get("invited", [])
        publication.offer = {**publication.offer, "invited": [Sealed.of(n).token for n in names]}
        publication.save(update_fields=["offer"])


def unseal(apps: Any, schema_editor: Any) -> None:
    """Back to readable ids; whoever was removed meanwhile has none but a number."""
    Worker = apps.get_model("annotation", "Worker")
    for worker in Worker.objects.order_by("pk").iterator(chunk_size=1000):
        worker.provider_id = worker.identity.open() if worker.identity else f"gone-{worker.pk}"
        worker.save(update_fields=["provider_id"])
    CrowdAssignment = apps.get_model("annotation", "CrowdAssignment")
    rows = CrowdAssignment.objects.filter(sealed_answer__isnull=False)
    for crowd in rows.order_by("pk").iterator(chunk_size=1000):
        crowd.answer = crowd.sealed_answer.open()
        crowd.save(update_fields=["answer"])
    for call in apps.get_model("annotation", "CrowdCall").objects.filter(
        kind__in=("exclude", "admit")
    ):
        worker = Worker.objects.get(participations=call.payload["participation"])
        call.payload = {"worker": worker.provider_id}
        call.save(update_fields=["payload"])
    for publication in apps.get_model("annotation", "Publication").objects.all():
        invited = [Sealed(one).open() for one in publication.offer.get("invited", [])]
        publication.offer = {**publication.offer, "invited": invited}
        publication.save(update_fields=["offer"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_members")]
    operations = [
        migrations.AddField(
            "worker", "identity", annotation.identities.models.SealedField(null=True)
        ),
        migrations.AddField(
            "worker", "identity_key", models.CharField(max_length=64, null=True)
        ),
        migrations.AddField("worker", "erased_at", models.DateTimeField(null=True)),
        migrations.AddField("worker", "released_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "crowdassignment",
            "sealed_answer",
            annotation.identities.models.SealedField(
                help_text="What the provider says was submitted.", null=True
            ),
        ),
        migrations.AlterField(
            "worker", "provider_id", models.CharField(max_length=500, default="")
        ),
        migrations.RemoveConstraint("worker", "one_row_per_worker"),
        migrations.RunPython(seal, unseal),
        migrations.RemoveField("worker", "provider_id"),
        migrations.RemoveField("crowdassignment", "answer"),
        migrations.RenameField("crowdassignment", "sealed_answer", "answer"),
        migrations.AddConstraint(
            "worker",
            models.UniqueConstraint(
                fields=("provider", "identity_key"), name="one_row_per_worker"
            ),
        ),
    ]
