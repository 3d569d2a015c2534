"""URLs of the models that judge a set."""

from django.urls import path

from benchmarks.judging import views as judging

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}model-judges/", judging.model_judges, name="model-judges"),
    path(f"{SET}model-judges/<int:pk>/", judging.model_judge, name="model-judge"),
    path(f"{SET}model-judges/<int:pk>/change", judging.change_judge, name="change-model-judge"),
    path(f"{SET}model-judges/<int:pk>/align", judging.align, name="align"),
]
