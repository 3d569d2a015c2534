"""URLs of the raters' pages. The token in the URL identifies the rater; no page needs a cookie."""

from django.urls import path

from annotation.rating.views import home, joining, qualification, saving, task, writing

urlpatterns = [
    path("join/<str:slug>/", joining.join, name="rating-join"),
    path("<str:token>/", home.home, name="rating-home"),
    path("<str:token>/task/", task.task, name="rating-task"),
    path("<str:token>/task/<int:pk>/", task.assignment, name="rating-assignment"),
    path("<str:token>/task/<int:pk>/ratings/", saving.ratings, name="rating-ratings"),
    path("<str:token>/test/", qualification.test, name="rating-test"),
    path("<str:token>/message/", writing.message, name="rating-message"),
]
