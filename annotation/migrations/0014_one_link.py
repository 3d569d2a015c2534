"""Publications to invited people become links that pay per task."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def forwards(apps: Any, schema_editor: Any) -> None:
    for publication in apps.get_model("annotation", "Publication").objects.iterator():
        offer = {**publication.offer, "pay_per_task": publication.provider == "local"}
        offer.pop("invited", None)
        publication.offer = offer
        publication.provider = "link" if publication.provider == "local" else publication.provider
        publication.save(update_fields=["offer", "provider"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0013_without_adaptive_pairs")]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
