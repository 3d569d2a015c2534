"""Downloads of judgment sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from concord.client.base import ApiMethods, FilePath, drop_none, path_part
from concord.client.documents import JudgmentSet

AnySet = JudgmentSet | str


class SetDownloads(ApiMethods):
    """Methods take a set as its document, or as NAME or NAME@VERSION. Each returns the path of the
    complete file."""

    def download_judgments(self, which: AnySet, to: FilePath) -> Path:
        """Download the set as concord-judgments JSON Lines, or as Parquet by the suffix of `to`.

        Both can be imported without loss.
        """
        ending = ".parquet" if Path(to).suffix.lower() == ".parquet" else ".jsonl"
        return self._download(f"{set_path(which)}/judgments{ending}", to)

    def download_dataset(self, which: AnySet, to: FilePath, *, license: str | None = None) -> Path:
        """Download the set as a zip archive of a dataset folder, in the form of the Hugging Face
        hub. `license`: the hub's identifier, such as cc-by-4.0, for the dataset card."""
        query = drop_none({"license": license})
        return self._download(f"{set_path(which)}/dataset.zip", to, query)

    def download_pairs(self, which: AnySet, to: FilePath) -> Path:
        """Download its minimal pairs as concord-pairs JSON Lines."""
        return self._download(f"{set_path(which)}/pairs.jsonl", to)

    def download_preferences(
        self,
        which: AnySet,
        to: FilePath,
        *,
        by: str | None = None,
        min_gap: float | None = None,
        criterion: str | None = None,
    ) -> Path:
        """Download pairs for preference training as JSON Lines of prompt, chosen and rejected.

        `by`: choices (the default), pairs or scores; `min_gap` and `criterion` are for scores.
        """
        query = drop_none({"by": by, "min_gap": min_gap, "criterion": criterion})
        return self._download(f"{set_path(which)}/preferences.jsonl", to, query)

    def download_label_studio(self, which: AnySet, to: FilePath) -> Path:
        """Download tasks for Label Studio with the ratings as annotations, or by the suffix .xml of
        `to` the labelling configuration for them."""
        ending = ".xml" if Path(to).suffix.lower() == ".xml" else ".json"
        return self._download(f"{set_path(which)}/label-studio{ending}", to)

    def download_potato(self, which: AnySet, to: FilePath) -> Path:
        """Download items for Potato as JSON Lines, without ratings."""
        return self._download(f"{set_path(which)}/potato.jsonl", to)

    def download_ratings(self, which: AnySet, to: FilePath) -> Path:
        """Download all ratings as CSV; workers have pseudonyms."""
        return self._download(f"{set_path(which)}/ratings.csv", to)

    def download_scores(
        self, which: AnySet, to: FilePath, metrics: Sequence[str] | None = None
    ) -> Path:
        """Download scores as JSON Lines, or as CSV or XLSX by the suffix of `to`."""
        suffix = Path(to).suffix.lower()
        ending = suffix if suffix in (".csv", ".xlsx") else ".jsonl"
        query = {"metrics": list(metrics)} if metrics and ending == ".jsonl" else None
        return self._download(f"{set_path(which)}/scores{ending}", to, query)

    def download_items(self, which: AnySet, to: FilePath) -> Path:
        """Download all items that a submission must score, without labels."""
        return self._download(f"{set_path(which)}/items.jsonl", to)

    def download_labels(
        self,
        which: AnySet,
        to: FilePath,
        *,
        metric: str | None = None,
        threshold: float | None = None,
    ) -> Path:
        """Download the unjudged candidates with labels by a run of AVA, as `tsv` for `train`.

        `threshold`: the minimum probability of a correct answer.
        """
        query = drop_none({"metric": metric, "threshold": threshold})
        return self._download(f"{set_path(which)}/labels.tsv", to, query)


def set_path(which: AnySet) -> str:
    """The path of a set below /api/v1."""
    return f"/sets/{path_part(which.ref if isinstance(which, JudgmentSet) else which)}"
