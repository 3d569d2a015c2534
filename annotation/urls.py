"""URLs of rating studies: the researchers' pages and the raters' pages."""

from django.urls import include, path

from annotation.crowds.views import completion
from annotation.stages.views import rating_preview

urlpatterns = [
    path("studies/", include("annotation.setup.urls")),
    path("studies/", include("annotation.studies.urls")),
    path("studies/", include("annotation.stages.urls")),
    path("studies/", include("annotation.crowds.urls")),
    path("studies/", include("annotation.quality.urls")),
    path("studies/", include("annotation.privacy.urls")),
    path("studies/", include("annotation.lifecycle.urls")),
    path("administration/crowds/", include("annotation.crowds.administration_urls")),
    path("rate/crowd/", include("annotation.crowds.worker_urls")),
    path("rate/preview/<str:slug>/", rating_preview.preview, name="rating-preview"),
    path("rate/<str:token>/done/", completion.done, name="rating-done"),
    path("rate/", include("annotation.rating.urls")),
]
