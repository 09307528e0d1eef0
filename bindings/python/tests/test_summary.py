"""The point estimate and what it implies."""

import copy
import dataclasses
import pickle
import re
import warnings

import numpy as np
import pytest

import mixgist
from conftest import optional


@pytest.fixture(scope="module")
def summary(draws, observations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mixgist.MixgistWarning)
        return mixgist.summarize(draws, observations, slices=200)


def test_the_estimate_is_the_draw_that_it_names(summary, draws):
    chosen = draws[summary.draw]
    order = np.argsort(-chosen.weights, kind="stable")  # the draw keeps its order, every estimate has the heaviest atom first
    assert np.array_equal(summary.weights_, chosen.weights[order]) and np.array_equal(summary.means_, chosen.means[order])
    assert np.array_equal(summary.covariances_, chosen.covariances[order]) and summary.n_components == 3
    assert summary.distances[summary.draw] == 0.0
    assert summary.expected_loss == pytest.approx(summary.distances.mean(), rel=1e-12)


def test_it_is_the_medoid_of_the_matrix(draws):
    matrix = mixgist.distance_matrix(draws, slices=150, seed=2).values
    with pytest.warns() as caught:
        warnings.warn("so that there is one")
        chosen = mixgist.summarize(draws, slices=150, seed=2)
    assert len(caught) >= 1
    assert chosen.draw == matrix.mean(axis=0).argmin()
    np.testing.assert_allclose(chosen.distances, matrix[chosen.draw], rtol=1e-9)


def test_densities_and_labels_are_those_of_the_mixture(summary, observations):
    x = observations
    terms = []
    for w, mu, sigma in zip(summary.weights_, summary.means_, summary.covariances_):
        z = x - mu
        quadratic = np.einsum("ni,ij,nj->n", z, np.linalg.inv(sigma), z)
        terms.append(np.log(w) - 0.5 * (quadratic + np.log(np.linalg.det(2 * np.pi * sigma))))
    terms = np.array(terms).T
    log_density = np.logaddexp.reduce(terms, axis=1)
    np.testing.assert_allclose(summary.score_samples(x), log_density, rtol=1e-10)
    np.testing.assert_allclose(summary.predict_proba(x), np.exp(terms - log_density[:, None]), atol=1e-12)
    assert np.array_equal(summary.predict(x), terms.argmax(axis=1))
    assert np.array_equal(summary.labels_, summary.predict(x))
    np.testing.assert_allclose(summary.membership_probability_, summary.predict_proba(x).max(axis=1), rtol=1e-12)
    assert summary.score(x) == pytest.approx(log_density.mean())


def test_samples_come_from_the_estimate(summary):
    x, labels = summary.sample(4000, seed=1)
    assert x.shape == (4000, 2)
    # Five standard errors: false alarms below 1e-5 under another seed.
    shares = np.bincount(labels, minlength=3) / 4000
    assert (np.abs(shares - summary.weights_) < 5 * np.sqrt(summary.weights_ / 4000)).all()
    assert np.array_equal(summary.sample(10, seed=1)[0], x[:10])


def test_documents_pickles_and_files(summary, tmp_path):
    document = summary.to_dict()
    assert document["schema"] == "mixgist.summary" and document["draw"] == summary.draw
    assert np.array_equal(document["estimate"]["means"], summary.means_)
    assert pickle.loads(pickle.dumps(summary)).to_dict() == document
    summary.write(tmp_path / "summary.json")
    assert mixgist.Summary.read(tmp_path / "summary.json").to_dict() == document
    with pytest.raises(FileExistsError):
        summary.write(tmp_path / "summary.json")


def test_what_people_see(summary):
    assert repr(summary).startswith(f"Summary(draw {summary.draw} of 120, 3 atoms, expected loss ")
    html = summary._repr_html_()
    assert f"raw {summary.draw} of 120" in html and html.count("<tr>") >= 4 and "<script" not in html
    assert f"draw {summary.draw} of 120" in str(summary) and "--" not in str(summary)
    assert summary.settings["units"] == "sd" and summary.settings["distance"] == "smix-w"
    other = summary.to_dict()["runner_up"]
    assert (summary.runner_up, summary.separation) == (other["draw"], other["separation"])
    margin = summary.margin
    assert margin is not None and margin._asdict() == summary.to_dict()["margin"] and margin.verdict in ("safe", "alike", "few-draws")
    with pytest.raises(TypeError):
        mixgist.Summary()


def test_plots(summary, observations):
    matplotlib = optional("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = summary.plot(observations)
    assert len(ax.patches) == 3 and ax.get_xlabel() == "x1"
    line = summary.plot(observations, coordinates=(1,))
    grid, density = line.lines[0].get_data()
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=5e-3)
    _, own = pyplot.subplots()
    assert summary.plot(ax=own) is own
    with pytest.raises(ValueError, match="coordinates"):
        summary.plot(coordinates=(2,))
    pyplot.close("all")


def test_warnings_are_python_warnings(arrays):
    stretched = mixgist.Draws(arrays[0][:20], arrays[1][:20] * [1.0, 100.0], arrays[2][:20])
    with pytest.warns(mixgist.MixgistWarning) as caught:
        summary = mixgist.summarize(stretched, slices=20, units="none")
    names = {warning.message.name for warning in caught}
    assert {"few-draws", "unequal-units"} <= names
    assert {warning.name for warning in summary.warnings} == names
    assert caught[0].filename == __file__
    assert "units=\"sd\"" in str([str(w.message) for w in caught])


def test_without_data_there_are_no_labels(draws):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = mixgist.summarize(draws, slices=50)
    with pytest.raises(AttributeError, match="predict"):
        summary.labels_


@pytest.mark.parametrize(
    "options, message",
    [
        ({"distance": "euclid"}, "one of: sw, mix-sw"),
        ({"slices": 0}, "slices is 0, must be at least 1"),
        ({"slices": "many"}, "slices is 'many'"),
        ({"loss": "square"}, "one of: distance, power"),
        ({"units": "metres"}, "unknown units"),
        ({"units": [1.0]}, "units give 1 numbers"),
        ({"order": 0.5}, "0.5"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"route": "sweep"}, 'use loss="power", or route="auto"'),
        ({"prune": 2.0}, "prune is '2.0'"),
        ({"directions": {"smix_w_v": [[1.0, 0.0]]}}, "smix_w_w"),
        ({"data": np.ones((4, 3))}, "data have 3 columns"),
    ],
)
def test_bad_options_are_value_errors(draws, options, message):
    with pytest.raises(ValueError, match=message):
        mixgist.summarize(draws, **options)


def test_what_cannot_fit_is_a_memory_error(draws):
    with pytest.raises(MemoryError, match="GB"):
        mixgist.summarize(draws, slices=100_000_000)


def test_columns_must_be_those_that_were_summarised(arrays, observations):
    pandas = optional("pandas")
    frame = pandas.DataFrame(observations, columns=["length", "pause"])
    draws = mixgist.Draws(*arrays, data=frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = mixgist.summarize(draws, slices=20)
    assert summary.columns == ["length", "pause"]
    asked = [
        summary.predict,
        summary.predict_proba,
        summary.score_samples,
        summary.score,
        summary.plot,
        lambda x: mixgist.report(summary, draws, x),
        lambda x: mixgist.summarize(draws, x),
        lambda x: mixgist.distance_matrix(draws, data=x),
    ]
    for ask in asked:
        for wrong, message in [
            (frame[["pause", "length"]], "columns pause, length; the fitted ones are length, pause: the order differs"),
            (frame.rename(columns={"pause": "break"}), "columns length, break; .*: 'break' is in one of them alone"),
            (frame[["length"]], "columns length; .*: 'pause' is in one of them alone"),
        ]:
            with pytest.raises(ValueError, match=message):
                ask(wrong)
    # Arrays, and frames whose columns are merely counted, have no names to compare.
    for same in (frame, frame.to_numpy(), pandas.DataFrame(observations)):
        np.testing.assert_array_equal(summary.predict(same), summary.labels_)
    copied = pickle.loads(pickle.dumps(summary))
    with pytest.raises(ValueError, match="the order differs"):
        copied.predict(frame[["pause", "length"]])


def public(result):
    """All public attributes that are no methods."""
    names = [name for name in dir(result) if not name.startswith("_")]
    return {name: getattr(result, name) for name in names if not callable(getattr(result, name))}


def alike(mine, theirs):
    """Whether two values are the same in all their parts, NaN being NaN."""
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, (list, tuple)):
        return len(mine) == len(theirs) and all(map(alike, mine, theirs))
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(alike(mine[key], theirs[key]) for key in mine)
    if dataclasses.is_dataclass(mine) or isinstance(mine, mixgist.MixgistWarning):
        return alike(vars(mine), vars(theirs))
    if isinstance(mine, (np.ndarray, float)):
        return np.array_equal(mine, theirs, equal_nan=True)
    return mine == theirs


def words(result):
    """What a notebook shows, without the figure: a copy does not have the draws that figures are drawn from."""
    return re.sub("<svg.*</svg>|<[^>]*>", "", result._repr_html_(), flags=re.DOTALL).split()


def test_copies_of_every_result_are_equal(draws, observations, arrays):
    labels = np.random.default_rng(0).integers(0, 3, (120, 60))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [
            mixgist.summarize(draws, observations, slices=20),
            mixgist.summarize(draws, observations, slices=20, estimate="free", candidate=draws[3]),
            mixgist.summarize(mixgist.Draws(*(x[:1] for x in arrays)), observations, slices=1),
            mixgist.credible(draws, slices=20, hypothesis=draws[0], conformal=True),
            mixgist.components(draws, slices=20),
            mixgist.representatives(draws, observations, slices=20, grid=5),
            mixgist.stability(draws, slices=20),
            mixgist.partition(labels, runs=2),
            mixgist.partition_ball(labels[0], labels),
            mixgist.distance_matrix(draws[:4], slices=20),
            mixgist.distance(draws[0], draws[1], slices=20),
            mixgist.fit(observations, chains=1, iterations=40, burn_in=20),
            draws[0],
        ]
        results += [results[0].warnings, results[1].path, results[1].judgement]
    for result in results:
        for same in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
            assert type(same) is type(result) and repr(same) == repr(result)
            mine, theirs = public(result), public(same)
            assert mine.keys() == theirs.keys()
            for name in mine:
                assert alike(mine[name], theirs[name]), (type(result), name)
            if hasattr(result, "_repr_html_"):
                assert words(same) == words(result)


def test_directions_of_ones_own(draws):
    rng = np.random.default_rng(0)
    unit = lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)
    v, w = unit(rng.standard_normal((64, 2))), unit(rng.standard_normal((64, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = mixgist.summarize(draws, directions={"smix_w_v": v, "smix_w_w": w})

        def same(atoms):
            spread = np.einsum("li,kij,lj->lk", v, atoms.covariances, v)
            return w[:, :1] * (v @ atoms.means.T) + w[:, 1:] * 0.5 * np.log(spread)

        own = mixgist.summarize(draws, distance=same)
    assert given.slices == own.slices == 64
    assert given.draw == own.draw
    assert own.expected_loss == pytest.approx(given.expected_loss, rel=1e-9)
    assert own.to_dict()["settings"]["distance"] == "same"
