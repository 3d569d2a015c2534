"""URLs of imports."""

from django.urls import path

from benchmarks.imports import views as imports

urlpatterns = [
    path("imports/", imports.set_imports, name="set-imports"),
    path("imports/<int:pk>/", imports.set_import, name="set-import"),
    path("imports/<int:pk>/columns", imports.import_columns, name="set-import-columns"),
    path("imports/<int:pk>/discard", imports.discard_import, name="discard-set-import"),
    path("imports/<int:pk>/stop", imports.stop_import, name="stop-set-import"),
]
