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
    with pytest.raises(ImportError, match="a data frame needs pandas\nhint: pip install pandas"):
        summary.to_frame("pandas")


def test_frames_of_either_library_hold_the_same(posterior):
    pandas, polars = optional("pandas"), optional("polars")
    summary, draws, data = posterior
    asked = mixgist.Posterior(draws, data, slices=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mixgist.MixgistWarning)
        labels = np.arange(6) // [[2], [3]]
        answers = [
            *(summary, draws, summary.estimate, asked.components(), asked.align(), asked.memberships(), asked.how_many(), asked.ball()),
            *(asked.representatives(), asked.stability(), mixgist.partition(labels), mixgist.partition(labels).ball),
            *(mixgist.distance(draws[0], draws[1]), mixgist.distance_matrix(draws[:4])),
        ]
    for answer in answers:
        one, other = answer.to_frame("pandas"), answer.to_frame("polars")
        assert isinstance(one, pandas.DataFrame) and isinstance(other, polars.DataFrame)
        assert list(one.columns) == other.columns and one.shape == other.shape, type(answer)
        for name in other.columns:
            if other[name].dtype.is_numeric():
                assert np.array_equal(one[name].to_numpy(float), other[name].cast(polars.Float64).fill_null(np.nan).to_numpy(), equal_nan=True), name
        assert isinstance(answer.to_frame(), pandas.DataFrame)
    with pytest.raises(ValueError, match="library is 'dask', expected 'pandas', 'polars' or None"):
        summary.to_frame("dask")


def test_a_kind_on_given_axes(posterior):
    optional("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    summary, draws, x = posterior
    figure, (left, right) = plt.subplots(1, 2)
    assert summary.plot("contours", ax=left) is left and left.collections
    # Kinds that need draws find those that were summarised, as long as they are there.
    assert summary.plot("map", ax=right) is right and right.collections
    plt.close(figure)
    assert mixgist.Posterior(draws, slices=50).plot("contours").collections
    alone = mixgist.Summary._wrap(summary._native)
    with pytest.raises(ValueError, match="needs the draws"):
        alone.plot("map")
    assert alone.plot("map", draws=draws).collections
    # Observations in the first place are data, as ever.
    assert len(summary.plot(x).collections) == len(summary.plot(data=x).collections)
    with pytest.raises(ValueError, match="coordinates is for the figure of the estimate"):
        summary.plot("contours", coordinates=(0,))
    with pytest.raises(TypeError, match="kind is a"):
        summary.plot(x, x)
    plt.close("all")


def test_several_summaries_on_the_same_axes(posterior):
    matplotlib = optional("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    summary, draws, _ = posterior
    hex_of = matplotlib.colors.to_hex
    for kind in ("contours", "map", "losses", "components", "how-many"):
        panels = len(summary.figure_data(kind)["panels"])
        figure, axes = plt.subplots(1, panels, squeeze=False)
        ax = axes[0, 0]
        summary.plot(kind, ax=axes, label="one")
        alone = ax.get_xlim()
        summary.plot(kind, ax=axes, label="two", alpha=0.5, linewidth=3)
        assert ax.get_xlim() == alone
        handles, names = ax.get_legend_handles_labels()
        assert names == ["one", "two"] and [hex_of(one.get_color()) for one in handles] == [hex_of("C0"), hex_of("C1")], kind
        plt.close(figure)
    axes = np.ravel(summary.plot("losses", color="red"))
    colours = {hex_of(colour) for ax in axes for part in ax.collections for colour in part.get_facecolor()}
    assert hex_of("red") in colours
    grey = lambda colour: max(colour[:3]) - min(colour[:3]) < 0.2
    assert all(grey(matplotlib.colors.to_rgb(colour)) or colour == hex_of("red") for colour in colours)
    # A figure in black and grey takes the colour for its lines and areas.
    ax = np.ravel(summary.plot("bands", color="red"))[0]
    assert hex_of("red") in {hex_of(line.get_color()) for line in ax.lines} and hex_of(ax.patches[0].get_facecolor()) == hex_of("red")
    plt.close("all")


def test_a_notebook_shows_the_main_figure_of_every_answer(posterior):
    summary, draws, x = posterior
    labels = np.tile(np.arange(80) // 40, (5, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = [ask(draws, slices=50) for ask in (mixgist.credible, mixgist.components, mixgist.align, mixgist.memberships)]
        answers += [ask(draws, slices=50) for ask in (mixgist.how_many, mixgist.representatives, mixgist.stability)]
        answers += [summary, mixgist.partition(labels), mixgist.fit(x, chains=1, iterations=40, burn_in=20)]
    for answer in answers:
        page = answer._repr_html_()
        assert "</svg>" in page and page.count("<div") == page.count("</div"), type(answer)
        assert "<script" not in page


def test_answers_outlive_their_draws(posterior):
    _, draws, _ = posterior
    own = draws.thinned(burn_in=1)
    answer = mixgist.components(own, slices=50)
    assert "</svg>" in answer._repr_html_()
    del own
    assert "</svg>" not in answer._repr_html_() and "<table" in answer._repr_html_()
