"""Positions on the plane: the paper's, named ones and suggested ones."""

import pytest

from scorers.plane.grid import PlanePoint
from scorers.plane.position import (
    APPLICATIONS,
    GUIDELINES,
    PAPER_EVALUATIONS,
    Position,
    SetTextSizes,
    look_up_position,
    suggest_application,
    suggest_guideline,
)
from scorers.plane.statistics import PlaneError, PlaneSample


def test_every_evaluation_of_the_paper_is_in_its_predicted_region() -> None:
    for name, where, best in PAPER_EVALUATIONS:
        assert best in where.region, name


def test_the_papers_words_for_its_five_predictions() -> None:
    regions = [where.region for _, where, _ in PAPER_EVALUATIONS]
    alphas = [(region.lowest_alpha, region.highest_alpha) for region in regions]
    assert alphas == [(0.8, 1.0), (0.0, 0.2), (0.0, 0.2), (0.0, 0.2), (0.3, 0.7)]
    orders = [(region.lowest_n, region.highest_n) for region in regions]
    assert orders == [(3, 4), (3, 4), (1, 2), (2, 3), (2, 3)]


def test_a_region_is_a_rectangle_of_the_grid() -> None:
    region = look_up_position("correctness", "question answering").region
    assert region.cells.sum() == 5 * 2
    assert (
        region.cells[PlanePoint(0.3, 2).grid_index]
        and not region.cells[PlanePoint(0.2, 2).grid_index]
    )
    assert region.index_ranges == (3, 7, 1, 2)


@pytest.mark.parametrize("guideline", GUIDELINES)
@pytest.mark.parametrize("application", APPLICATIONS)
def test_every_named_position_has_a_region(guideline: str, application: str) -> None:
    assert look_up_position(guideline, application).region.cells.any()


def test_unknown_names_and_positions_are_refused() -> None:
    with pytest.raises(PlaneError, match="'beauty' must be one of adequacy, "):
        look_up_position("beauty", "translation")
    with pytest.raises(PlaneError, match="'poetry' must be one of summarization, "):
        look_up_position("fluency", "poetry")
    with pytest.raises(PlaneError, match="precision must be from 0 to 1"):
        Position(1.2, 0.0)
    with pytest.raises(PlaneError, match="faithfulness must be from 0 to 1"):
        Position(0.0, float("nan"))


@pytest.mark.parametrize(
    ("criterion", "name"),
    [
        ("Fluency", "fluency"),
        ("correctness-rating", "correctness"),
        ("THumB recall", "coverage"),
        ("score", ""),
        ("", ""),
    ],
)
def test_a_criterions_name_suggests_a_guideline(criterion: str, name: str) -> None:
    suggestion = suggest_guideline(criterion)
    assert suggestion.name == name and suggestion.reason


def test_sizes_of_a_set_count_words(sample: PlaneSample) -> None:
    sizes = SetTextSizes.of(sample, references=1.0)
    assert sizes.reference == 12.0
    assert sizes.compression is None
    with pytest.raises(PlaneError, match="share of questions at most 1"):
        SetTextSizes.of(sample, references=1.0, question_share=1.5)


@pytest.mark.parametrize(
    ("sizes", "name"),
    [
        (SetTextSizes(9, 10, 1, question_share=1.0, source=300), "question answering"),
        (SetTextSizes(50, 60, 1, question_share=0.0, source=500), "summarization"),
        (SetTextSizes(18, 20, 1, question_share=0.0, source=21), "paraphrasing"),
        (SetTextSizes(50, 60, 1, question_share=0.0), "summarization"),
        (SetTextSizes(9, 10, 4, question_share=0.0), ""),
    ],
)
def test_a_sets_texts_suggest_an_application(sizes: SetTextSizes, name: str) -> None:
    suggestion = suggest_application(sizes)
    assert suggestion.name == name and suggestion.reason
