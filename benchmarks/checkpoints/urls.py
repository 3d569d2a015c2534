"""URLs of learned metrics."""

from django.urls import path

from benchmarks.checkpoints import views as checkpoints

CHECKPOINT = "learned/checkpoints/<str:name>"

urlpatterns = [
    path("learned/", checkpoints.learned_metrics, name="learned-metrics"),
    path("learned/import", checkpoints.import_checkpoint, name="import-checkpoint"),
    path(f"{CHECKPOINT}/", checkpoints.checkpoint_page, name="checkpoint"),
    path(f"{CHECKPOINT}/delete", checkpoints.delete_checkpoint, name="delete-checkpoint"),
    path(f"{CHECKPOINT}.zip", checkpoints.export_checkpoint, name="export-checkpoint"),
]
