"""Curves of trainings: one stroke a run, nothing drawn of what is not there."""

from __future__ import annotations

from concord.plots.training import training_plots

CURVES = [
    {
        "name": "rate-0.1-seed-1",
        "step": 20,
        "loss": [[10, 2.0], [20, 1.0]],
        "dev": [
            {"step": 10, "loss": 1.5, "pearson": None},
            {"step": 20, "loss": 1.0, "pearson": 0.5},
        ],
    },
    {"name": "rate-0.2-seed-1", "step": 10, "loss": [[10, 3.0]], "dev": []},
]  # fmt: skip


def test_losses_and_the_chosen_figure_are_drawn_over_steps() -> None:
    training, dev, pearson = training_plots(CURVES, "pearson")
    assert [plot.title for plot in (training, dev, pearson)] == [
        "Training loss", "Dev loss", "Dev pearson",
    ]  # fmt: skip
    assert [run.stroke for run in training.runs] == [1, 2]
    first = training.runs[0].dots
    assert first[0].x < first[1].x and first[0].y < first[1].y, "a falling loss falls"
    assert first[1].title == "rate-0.1-seed-1, step 20: 1.0000"
    assert len(pearson.runs[0].dots) == 1, "an undefined figure has no point"
    assert training.description == (
        "Training loss, from first to last: rate-0.1-seed-1: 2.000 to 1.000; "
        "rate-0.2-seed-1: 3.000 to 3.000."
    )


def test_what_has_not_begun_has_no_plot_and_a_loss_is_drawn_once() -> None:
    assert training_plots([], "pearson") == []
    assert training_plots([{"name": "", "step": 0, "loss": [], "dev": []}], "pearson") == []
    assert len(training_plots(CURVES, "loss")) == 2
