"""End what was published by batch files, and forget the choice of a self-contained page.

A batch becomes an ended publication by a link, whose decisions are recorded and paid by hand as
before. Workers finish a published self-contained page as it is.
"""

from django.db import migrations
from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Now


def end_batches(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    publications = apps.get_model("annotation", "Publication")._default_manager
    listings = apps.get_model("annotation", "Listing")._default_manager
    listings.filter(publication__provider="files", expired_at=None).update(expired_at=Now())
    publications.filter(provider="files").update(provider="link", status="ended")
    for row in publications.filter(offer__has_key="question").iterator():
        del row.offer["question"]
        row.save(update_fields=["offer"])


class Migration(migrations.Migration):

    dependencies = [("annotation", "0011_sampling_by_strata")]

    operations = [migrations.RunPython(end_batches, migrations.RunPython.noop)]
