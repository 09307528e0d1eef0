"""Options that are not what they may be: the error names the option and what it may be."""

import inspect
import typing
import warnings

import numpy as np
import pytest

import mixgist


@pytest.fixture(scope="module")
def few(draws):
    return draws[:12]


ASKED = {
    "summarize": lambda draws, **options: mixgist.summarize(draws, **options),
    "credible": lambda draws, **options: mixgist.credible(draws, **options),
    "components": lambda draws, **options: mixgist.components(draws, **options),
    "representatives": lambda draws, **options: mixgist.representatives(draws, **options),
    "stability": lambda draws, **options: mixgist.stability(draws, **options),
    "distance": lambda draws, **options: mixgist.distance(draws[0], draws[1], **options),
    "distances_to_draws": lambda draws, **options: mixgist.distances_to_draws(draws[0], draws, **options),
    "distance_matrix": lambda draws, **options: mixgist.distance_matrix(draws, **options),
    "expected_losses": lambda draws, **options: mixgist.expected_losses(draws[0], draws, **options),
}

OF_DISTANCES = [
    ("distance", None, TypeError, "distance is None, expected one of 'sw', "),
    ("distance", 3, TypeError, "distance is 3, expected one of 'sw', "),
    ("distance", "euclid", ValueError, "euclid"),
    ("slices", True, TypeError, "slices is True, expected an integer, 'auto' or None"),
    ("slices", 2.5, TypeError, "slices is 2.5, expected an integer, 'auto' or None"),
    ("slices", 0, ValueError, "slices is 0, must be at least 1"),
    ("slices", -3, ValueError, "slices is -3, must be at least 1"),
    ("slices", "many", ValueError, "slices is 'many', must be 'auto' or a number"),
    ("order", "2", TypeError, "order is '2', expected a number or None"),
    ("order", True, TypeError, "order is True, expected a number or None"),
    ("order", 0.5, ValueError, "order"),
    ("order", float("nan"), ValueError, "order"),
    ("units", 5, TypeError, "units is 5, expected 'none', 'sd', 'whiten', None, or one number per coordinate"),
    ("units", ["1", "2"], TypeError, "units is \\['1', '2'\\], expected 'none', 'sd'"),
    ("units", "metres", ValueError, "unknown units 'metres'"),
    ("scheme", None, TypeError, "scheme is None, expected one of 'balanced', 'iid', 'orthogonal', 'qmc'"),
    ("scheme", "grid", ValueError, "grid"),
    ("directions", {1: [[1.0, 0.0]]}, TypeError, "a name in directions is 1, expected text"),
    ("directions", 4, TypeError, "directions is 4, expected a mapping of names to arrays, or None"),
    ("prune", None, TypeError, "prune is None, expected a number from 0 to 1, 'off' or 'rounding'"),
    ("prune", True, TypeError, "prune is True, expected a number"),
    ("prune", 2.0, ValueError, "prune is '2.0', must be off, rounding or a number from 0 to 1"),
    ("seed", -1, ValueError, "seed is -1, must be at least 0"),
    ("seed", 1.5, TypeError, "seed is 1.5, expected an integer"),
    ("seed", None, TypeError, "seed is None, expected an integer"),
    ("seed", 2**64, ValueError, "must be below"),
    ("threads", 0, ValueError, "threads is 0, must be at least 1"),
    ("threads", -1, ValueError, "threads is -1, must be at least 1"),
    ("threads", 1.5, TypeError, "threads is 1.5, expected an integer, or None for all cores"),
    ("threads", 10**9, ValueError, "threads is 1000000000, must be from 1 to"),
    ("colour", 1, TypeError, "there is no option 'colour'"),
]


@pytest.mark.parametrize("name, value, error, message", OF_DISTANCES)
@pytest.mark.parametrize("function", ASKED)
def test_options_of_distances(few, function, name, value, error, message):
    with pytest.raises(error, match=message) as caught:
        ASKED[function](few, **{name: value})
    assert "--" not in str(caught.value)


OF_ESTIMATES = [
    ("summarize", "loss", None, TypeError, "loss is None, expected one of 'distance', 'power'"),
    ("summarize", "route", 3, TypeError, "route is 3, expected one of 'auto', "),
    ("summarize", "estimate", 5, TypeError, "estimate is 5, expected one of 'medoid', 'free'"),
    ("summarize", "atoms", 2.5, TypeError, "atoms is 2.5, expected an integer, 'auto' or None"),
    ("summarize", "atoms", 2, ValueError, 'atoms is for the free estimate.*\n.*estimate="free"'),
    ("summarize", "candidate", 2, TypeError, "candidate is a int, expected a Measure"),
    ("summarize", "progress", "yes", TypeError, "progress is 'yes', expected True, False or a function"),
    ("credible", "estimate", 5, TypeError, "estimate is a int, expected 'medoid', 'free', 'aligned', a Measure"),
    ("credible", "level", "0.9", TypeError, "level is '0.9', expected a number"),
    ("credible", "level", 2, ValueError, "level"),
    ("credible", "conformal", "no", TypeError, "conformal is 'no', expected True or False"),
    ("components", "estimate", None, TypeError, "estimate is a NoneType, expected 'medoid', 'free', 'aligned', a Measure"),
    ("components", "overlap", "1", TypeError, "overlap is '1', expected a number or None"),
    ("components", "share", 3, ValueError, "share"),
    ("representatives", "count", 1.5, TypeError, "count is 1.5, expected an integer or 'auto'"),
    ("representatives", "count", "x", TypeError, "count is 'x', expected an integer or 'auto'"),
    ("representatives", "grid", -1, ValueError, "grid is -1"),
    ("stability", "loss", 1, TypeError, "loss is 1, expected one of"),
    ("stability", "estimate", 5, TypeError, "estimate is a int, expected 'medoid', 'free', 'aligned', a Measure"),
    ("stability", "level", None, TypeError, "level is None, expected a number"),
    ("distance_matrix", "condensed", 1, TypeError, "condensed is 1, expected True or False"),
]


@pytest.mark.parametrize("function, name, value, error, message", OF_ESTIMATES)
def test_options_of_estimates(few, function, name, value, error, message):
    with pytest.raises(error, match=message) as caught:
        ASKED[function](few, **{name: value})
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("function", [name for name in ASKED if name not in ("distance", "distances_to_draws", "expected_losses")])
def test_what_are_no_draws(function):
    with pytest.raises(TypeError, match="draws is a str, expected Draws"):
        ASKED[function]("draws.npz")


def test_arrays_in_place_of_draws_get_a_hint():
    with pytest.raises(TypeError, match="draws is a ndarray, expected Draws\nhint: .*if these are observations, fit a model"):
        mixgist.summarize(np.zeros((5, 2)))


def test_a_fit_has_the_draws_that_are_wanted(few):
    fitted = mixgist.fit(np.arange(20.0), chains=1, iterations=20, burn_in=10)
    for ask in (mixgist.summarize, mixgist.stability, mixgist.distance_matrix, mixgist.partition):
        with pytest.raises(TypeError, match="is a Fit, expected Draws.*\nhint: it has them as its attribute draws"):
            ask(fitted)
    with pytest.raises(TypeError, match="labels is a Measure, expected an array"):
        mixgist.partition(few[0])


OF_FITS = [
    ("alpha", "1", TypeError, "alpha is '1', expected a number, or shape and rate"),
    ("alpha", (1.0,), ValueError, "alpha is \\(1.0,\\), expected a number, or shape and rate"),
    ("alpha", -1.0, ValueError, "-1"),
    ("discount", None, TypeError, "discount is None, expected a number"),
    ("components", 2.0, TypeError, "components is 2.0, expected an integer or None"),
    ("components", 0, ValueError, "components is 0"),
    ("covariance", None, TypeError, "covariance is None, expected one of 'full', 'diagonal', 'common'"),
    ("covariance", "round", ValueError, "round"),
    ("scales", None, TypeError, "scales is None, expected one of 'auto', 'fixed', 'learned'"),
    ("scales", "wide", ValueError, "wide"),
    ("algorithm", 1, TypeError, "algorithm is 1, expected one of 'blocked'"),
    ("mu0", "x", TypeError, "mu0"),
    ("psi", [["x"]], TypeError, "psi"),
    ("nu", "3", TypeError, "nu is '3', expected a number or None"),
    ("lambda_", "3", TypeError, "lambda_ is '3', expected a number or None"),
    ("chains", 0, ValueError, "chain"),
    ("chains", 2**32, ValueError, "chains is 4294967296, must be below 2\\*\\*32"),
    ("checkpoint", 5, TypeError, "checkpoint is 5, expected a path"),
    ("iterations", 1.5, TypeError, "iterations is 1.5, expected an integer"),
    ("thin", 0, ValueError, "thin"),
    ("seed", -1, ValueError, "seed is -1"),
    ("threads", 0, ValueError, "threads is 0"),
]


@pytest.mark.parametrize("name, value, error, message", OF_FITS)
def test_options_of_fits(name, value, error, message):
    with pytest.raises(error, match=message):
        mixgist.fit(np.arange(20.0), **{"iterations": 10, "burn_in": 5, name: value})


OF_PARTITIONS = [
    ("loss", None, TypeError, "loss is None, expected one of 'binder', 'vi'"),
    ("loss", "square", ValueError, "square"),
    ("a", "1", TypeError, "a is '1', expected a number or None"),
    ("omari", None, TypeError, "omari is None, expected 'identical' or 'salso'"),
    ("runs", 0, ValueError, "run"),
    ("clusters", 1.5, TypeError, "clusters is 1.5, expected an integer or None"),
    ("ball", "x", TypeError, "ball is 'x', expected a number"),
    ("ball", 2.0, ValueError, "ball is 2"),
    ("seed", -1, ValueError, "seed is -1"),
]


@pytest.mark.parametrize("name, value, error, message", OF_PARTITIONS)
def test_options_of_partitions(name, value, error, message):
    with pytest.raises(error, match=message):
        mixgist.partition([[0, 0, 1], [0, 1, 1]], **{name: value})


def test_options_of_files_and_reports(few, tmp_path):
    with pytest.raises(TypeError, match="summary is a str, expected a Summary or a sequence of them"):
        mixgist.report("x")
    with pytest.raises(TypeError, match="summary is a Draws, expected a Summary"):
        mixgist.report(few)
    with pytest.raises(TypeError, match="format is 1, expected one of 'npz'"):
        mixgist.Draws.read(tmp_path / "a.npz", format=1)
    with pytest.raises(TypeError, match="paths is 5, expected a path or a sequence of paths"):
        mixgist.Draws.read(5)
    with pytest.raises(TypeError, match="an entry of paths is 5, expected a path"):
        mixgist.Draws.read([5])
    with pytest.raises(TypeError, match="path is None, expected a path"):
        few.write(None)
    with pytest.raises(ValueError, match="no file can have such a name"):
        few.write("a\0b.npz")
    few.write(bytes(tmp_path / "bytes.npz"))
    assert mixgist.Draws.read(bytes(tmp_path / "bytes.npz")) == few
    with pytest.raises(TypeError, match="force is 'yes', expected True or False"):
        few.write(tmp_path / "a.npz", force="yes")
    with pytest.raises(TypeError, match="covariance_form is None, expected one of 'covariance'"):
        mixgist.Draws([[1.0]], [[0.0]], [[1.0]], None)
    with pytest.raises(TypeError, match="n_samples is 1.5, expected an integer"):
        few[0].sample(1.5)


def test_hints_name_options_as_python_writes_them(few):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        card = mixgist.stability(few, slices=20)
    assert {"slices=40", 'loss="power"', 'units="whiten"'} <= {check.change for check in card.checks}
    said = [*card.advice, *(check.change for check in card.checks), *(check.error or "" for check in card.checks), card._repr_html_()]
    assert not any("--" in sentence for sentence in said)
    assert "slices = 40" in [check["change"] for check in card.to_dict()["checks"]]


def test_numbers_of_numpy_are_numbers(few):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = mixgist.summarize(few, slices=20, seed=3, order=2.0, units=[2.0, 1.0], prune=0.0)
        same = mixgist.summarize(
            few, slices=np.int64(20), seed=np.uint8(3), order=np.array(2), units=np.array([2.0, 1.0]), prune=np.float32(0.0)
        )
    assert same.to_dict() == expected.to_dict()


def test_options_are_spelled_as_python_writes_them(few, tmp_path):
    """Words in quotes, numbers bare, flags as True: never as the command line has them."""
    few.write(tmp_path / "few.npz")
    with pytest.raises(FileExistsError, match="force=True"):
        few.write(tmp_path / "few.npz")
    with pytest.raises(ValueError, match='use loss="power", or route="auto"'):
        mixgist.summarize(few, route="sweep")
    assert mixgist.distance(few[0], few[1], slices="auto") == mixgist.distance(few[0], few[1])
    with pytest.raises(ValueError, match="got order=1.0|got order=1\n"):
        mixgist.distance(few[0], few[1], "mw", order=1)


def test_type_hints_can_be_evaluated():
    for name in mixgist.__all__:
        one = getattr(mixgist, name)
        if inspect.isfunction(one):
            assert typing.get_type_hints(one), name
        elif inspect.isclass(one) and one.__module__.startswith("mixgist") and name != "MixtureSummary":
            typing.get_type_hints(one)
            for own in vars(one).values():
                if inspect.isfunction(own):
                    typing.get_type_hints(own)


def test_words_for_type_checkers_are_those_of_the_core():
    """Literals cannot be made from lists at run time: they are written down, and held to what the core knows."""
    from mixgist import _core, _words

    def words(literal):
        inner = typing.get_args(literal)
        return [word for one in inner for word in (words(one) if typing.get_args(one) else [one])]

    aliases = [alias for alias, _ in _core.CHOICES["covariance_form aliases"]]
    for literal, known in [
        (_words.DistanceName, _core.CHOICES["distance"]),
        (_words.Scheme, _core.CHOICES["scheme"]),
        (_words.Loss, _core.CHOICES["loss"]),
        (_words.Route, _core.CHOICES["route"]),
        (_words.Estimator, _core.CHOICES["estimate"]),
        (_words.CovarianceForm, _core.CHOICES["covariance_form"] + aliases),
        (_words.CovarianceModel, _core.CHOICES["covariance"] + ["diag", "tied"]),
        (_words.ScaleChoice, _core.CHOICES["scales"]),
        (_words.Algorithm, _core.CHOICES["algorithm"]),
        (_words.PartitionLoss, _core.CHOICES["partition loss"]),
        (_words.Part, _core.CHOICES["without"]),
        (_words.Kind, _core.CHOICES["kind"]),
        (_words.Format, _core.CHOICES["format"]),
    ]:
        assert sorted(words(literal)) == sorted(known)


def test_options_are_literals():
    """An editor offers the words: no option that is one of a few is plain text."""
    plain = {"weights", "means", "covariances", "labels", "group", "title", "label", "name"}
    for name in mixgist.__all__:
        one = getattr(mixgist, name)
        if inspect.isfunction(one):
            for option, annotation in typing.get_type_hints(one).items():
                assert annotation is not str or option in plain or option == "return", (name, option)
    hints = typing.get_type_hints(mixgist.summarize)
    assert "medoid" in typing.get_args(hints["estimate"]) and "power" in typing.get_args(hints["loss"])
    shown = inspect.signature(mixgist.summarize).parameters["scheme"]
    assert "Scheme" in str(shown.annotation)


def test_what_is_public_is_listed():
    assert dir(mixgist) == sorted(mixgist.__all__)
    assert {"Posterior", "summarize", "Draws", "report"} <= set(dir(mixgist))
