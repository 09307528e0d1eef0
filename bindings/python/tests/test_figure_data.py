"""Figures as data, on Matplotlib axes, and frames without pandas."""

import sys
import warnings

import numpy as np
import pytest

import mixgist
from conftest import optional


@pytest.fixture(scope="module")
def posterior():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(5, 1, (40, 2))])
    means = np.array([[0.0, 0.0], [5.0, 5.0]]) + 0.1 * rng.normal(size=(2, 60, 2, 2))
    draws = mixgist.Draws(rng.dirichlet([50, 50], size=(2, 60)), means, np.tile(np.eye(2), (2, 60, 2, 1, 1)), data=x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixgist.summarize(draws, slices=50), draws, x


def test_a_figure_is_data(posterior):
    summary, draws, x = posterior
    data = summary.figure_data("contours", draws=draws)
    (panel,) = data["panels"]
    dots = [layer for layer in panel["layers"] if layer["layer"] == "dots"]
    shown = np.concatenate([layer["at"] for layer in dots])
    # Every observation is among the dots.
    assert all(np.isclose(shown, point).all(axis=1).any() for point in x)
    assert panel["x"]["low"] < x[:, 0].min() and panel["x"]["high"] > x[:, 0].max()
    assert data == mixgist.figure(summary, "contours", draws=draws).data
    assert {entry["text"] for entry in data["legend"]} and data["caption"]


def test_every_kind_is_drawn_with_matplotlib(posterior):
    matplotlib = optional("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    summary, draws, x = posterior
    with pytest.raises(ValueError) as refused:
        mixgist.figure(summary, "nonsense")
    kinds = str(refused.value).split("one of: ")[1].split(", ")
    drawn = 0
    for kind in kinds:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                figure = mixgist.figure(summary, kind, draws=draws)
        except ValueError:
            continue  # a figure of one coordinate, of labels, …
        axes = figure.draw()
        panels = [panel for panel in figure.data["panels"] if panel is not None]
        on = [ax for ax in np.ravel(axes) if ax.has_data() or ax.patches or ax.images]
        assert len(on) >= len(panels) - 1, kind
        plt.close("all")
        drawn += 1
    assert drawn >= 6
    _, (left, right) = plt.subplots(1, 2)
    figure = mixgist.figure(summary, "contours", draws=draws)
    assert figure.draw(left) is left and left.has_data() and not right.has_data()
    assert left.get_xlim() == (figure.data["panels"][0]["x"]["low"], figure.data["panels"][0]["x"]["high"])
    with pytest.raises(ValueError, match="panels, ax has 1"):
        mixgist.figure(summary, "pairs", draws=draws).draw(left)
    plt.close("all")


def test_frames_come_from_polars_where_there_is_no_pandas(posterior, monkeypatch):
    polars = optional("polars")
    summary, _, _ = posterior
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame = summary.to_frame()
    assert isinstance(frame, polars.DataFrame)
    assert frame["weight"].to_numpy() == pytest.approx(summary.weights_)
