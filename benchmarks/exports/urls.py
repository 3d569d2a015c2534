"""URLs of downloads."""

from django.urls import path

from benchmarks.exports import views as downloads
from benchmarks.exports.services import other_tools

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}scores.xlsx", downloads.scores_xlsx, name="scores-xlsx"),
    path(f"{SET}scores.csv", downloads.scores_csv, name="scores-csv"),
    path(f"{SET}ratings.csv", downloads.ratings_csv, name="ratings-csv"),
    path(f"{SET}judgments.jsonl", downloads.judgments_jsonl, name="judgments-jsonl"),
    path(f"{SET}judgments.parquet", downloads.judgments_parquet, name="judgments-parquet"),
    path(f"{SET}dataset.zip", downloads.dataset_zip, name="dataset-zip"),
    path(f"{SET}labels.tsv", downloads.labels_tsv, name="labels-tsv"),
    path(f"{SET}preferences.jsonl", downloads.preferences_jsonl, name="preferences-jsonl"),
    *(
        path(f"{SET}{file.name}", downloads.tool_file, {"format": format}, name=f"{format}-file")
        for format, file in other_tools.FORMATS.items()
    ),
    path(f"{SET}pairs.jsonl", downloads.pairs_jsonl, name="pairs-jsonl"),
]
