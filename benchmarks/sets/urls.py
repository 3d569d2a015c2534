"""URLs of the history of judgment sets."""

from django.urls import path, re_path

from benchmarks.sets.views import history

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}history/", history.set_history, name="set-history"),
    re_path(
        r"^sets/(?P<ref>[^/]+)/history\.(?P<extension>csv|jsonl)$",
        history.set_history_file,
        name="set-history-file",
    ),
]
