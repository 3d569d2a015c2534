"""The shipped judges recognise the judgments they were trained on."""

from pathlib import Path

import pytest

from concord import formats
from concord.formats import write_judgments
from scorers.datasets.judgments import Judgment, Split, read_judgments
from scorers.encoders import file_sha256
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.training_items import overlap

# (items, with this answer, with this question) of the judge's own train, dev and test parts, as the
# readers that trained it counted them. Two answers of the test part are answers to a question of
# another part that is spelled the same but for case.
COUNTS = {
    "ava-a2": [(8979, 8979, 8979), (2235, 2235, 2235), (3885, 2, 5)],
    "ava-features": [(8979, 8979, 8979), (2235, 2235, 2235), (3885, 2, 5)],
    "lerc-features": [(8979, 8979, 8979), (2235, 2235, 2235), (3885, 2, 5)],
    "lerc-paper": [(8979, 8979, 8979), (2235, 2235, 2235), (3885, 2, 5)],
}


@pytest.fixture(scope="module")
def evouna(concord_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the judges were trained on: EVOUNA's Natural Questions."""
    file = formats.read_judgments([concord_data / "evouna" / "NQ.json"], "evouna")
    path = tmp_path_factory.mktemp("evouna") / "nq.jsonl"
    with path.open("w", encoding="utf-8") as out:
        judged = [one for one in file.candidates if one.score is not None]
        write_judgments(out, judged, file.scale, str)
    return path


@pytest.fixture(scope="module")
def judgments(evouna: Path) -> list[Judgment]:
    return read_judgments(evouna, "concord")


@pytest.mark.parametrize("checkpoint", COUNTS)
def test_a_shipped_judge_finds_its_training_items(
    evouna: Path, judgments: list[Judgment], checkpoint: str
) -> None:
    card = CheckpointCard.read(checkpoint_folder(checkpoint))
    (source,) = card.data
    assert (source.sha256, source.examples) == (file_sha256(evouna), len(judgments))
    split = Split(**card.options["recipe"]["split"])
    counts = []
    for part in ("train", "dev", "test"):
        seen = overlap(checkpoint, [one.item for one in split.part(judgments, part)])
        counts.append((seen.items, seen.same_candidate, seen.same_question))
    assert counts == COUNTS[checkpoint]
