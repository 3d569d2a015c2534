"""URLs of learned metrics."""

from django.urls import path

from benchmarks.trainings import views as trainings

urlpatterns = [
    path("learned/", trainings.learned_metrics, name="learned-metrics"),
    path("learned/train/<slug:kind>/", trainings.new_training, name="new-training"),
    path("learned/train/<slug:kind>/start", trainings.start_training, name="start-training"),
    path("learned/trainings/<int:pk>/", trainings.training_page, name="training"),
    path("learned/trainings/<int:pk>/change", trainings.change_training, name="change-training"),
    path("learned/import", trainings.import_checkpoint, name="import-checkpoint"),
    path("learned/checkpoints/<str:name>/", trainings.checkpoint_page, name="checkpoint"),
    path(
        "learned/checkpoints/<str:name>.zip", trainings.export_checkpoint, name="export-checkpoint"
    ),
]
