"""URLs of the privacy pages, below a study's own."""

from django.urls import path

from annotation.privacy import views as privacy

STUDY = "<str:slug>/"

urlpatterns = [
    path(f"{STUDY}privacy/", privacy.privacy, name="study-privacy"),
    path(f"{STUDY}workers/<str:name>/erase", privacy.erase_worker, name="study-erase-worker"),
]
