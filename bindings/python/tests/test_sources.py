"""Draws from ArviZ and CmdStan."""

import sys
import warnings

import numpy as np
import pytest

import mixgist
from conftest import optional, posterior


@pytest.fixture
def chains():
    return [x.reshape(2, 60, *x.shape[1:]) for x in posterior()]


def dataset(chains, transposed=False):
    xarray = optional("xarray")
    weights, means, covariances = chains
    coordinates = {"chain": [0, 1], "draw": np.arange(100, 160)}
    mu = (("chain", "draw", "component", "axis"), means)
    if transposed:
        mu = (("draw", "axis", "chain", "component"), means.transpose(1, 3, 0, 2))
    variables = {
        "w": (("chain", "draw", "component"), weights),
        "mu": mu,
        "Sigma": (("chain", "draw", "component", "axis", "other"), covariances),
        "z": (("chain", "draw", "row"), np.zeros((2, 60, 5), int)),
    }
    return xarray.Dataset(variables, coordinates)


def check(draws, chains):
    assert np.array_equal(draws.means, chains[1].reshape(-1, 2))
    assert np.array_equal(draws.chains, np.repeat([0, 1], 60))
    assert np.array_equal(draws.iterations, np.tile(np.arange(100, 160), 2))


def test_inference_data(chains):
    arviz = optional("arviz")
    if not hasattr(arviz, "InferenceData"):
        pytest.skip("this ArviZ has trees only")
    idata = arviz.InferenceData(posterior=dataset(chains))
    check(mixgist.Draws.from_arviz(idata, weights="w", means="mu", covariances="Sigma", covariance_form="cov"), chains)


def test_data_tree_and_dataset(chains):
    xarray = optional("xarray")
    observed = xarray.Dataset({"y": (("row", "axis"), np.arange(10.0).reshape(5, 2))})
    tree = xarray.DataTree.from_dict({"posterior": dataset(chains, transposed=True), "observed_data": observed})
    draws = mixgist.Draws.from_arviz(tree, "w", "mu", "Sigma", labels="z", data="y")
    check(draws, chains)
    assert draws.labels.shape == (120, 5) and draws.data.shape == (5, 2)
    check(mixgist.Draws.from_arviz(dataset(chains), "w", "mu", "Sigma"), chains)
    with pytest.raises(ValueError, match="no variable 'pi'\nhint: the group has: w, mu, Sigma, z"):
        mixgist.Draws.from_arviz(tree, "pi", "mu", "Sigma")
    numbered = dataset(chains).assign_coords(chain=[2, 9])
    assert np.array_equal(mixgist.Draws.from_arviz(numbered, "w", "mu", "Sigma").chains, np.repeat([2, 9], 60))
    named = dataset(chains).assign_coords(chain=["a", "b"])
    assert np.array_equal(mixgist.Draws.from_arviz(named, "w", "mu", "Sigma").chains, np.repeat([0, 1], 60))
    for wrong in (None, "posterior.nc"):
        with pytest.raises(TypeError, match=f"idata is a {type(wrong).__name__}, expected an InferenceData"):
            mixgist.Draws.from_arviz(wrong)
    with pytest.raises(TypeError, match="idata is a dict"):
        mixgist.Draws.from_arviz({"posterior": dict(zip(("w", "mu", "Sigma"), chains))}, "w", "mu", "Sigma")
    with pytest.raises(ValueError, match="no group 'prior'"):
        mixgist.Draws.from_arviz(tree, "w", "mu", "Sigma", group="prior")


def test_coordinate_names_become_column_names(chains):
    xarray = optional("xarray")
    named = dataset(chains).assign_coords(axis=["eruptions", "waiting"])
    x = np.arange(10.0).reshape(5, 2)
    columns = lambda source, data: mixgist.Draws.from_arviz(source, "w", "mu", "Sigma", data=data).columns
    assert columns(named, x) == ["eruptions", "waiting"]
    assert columns(named, None) is None and columns(dataset(chains), x) is None
    assert columns(dataset(chains).assign_coords(axis=[3, 4]), x) is None
    observed = xarray.Dataset({"y": (("row", "col"), x)}, {"col": ["a", "b"]})
    assert columns(xarray.DataTree.from_dict({"posterior": named, "observed_data": observed}), "y") == ["a", "b"]
    pandas = optional("pandas")
    assert columns(named, pandas.DataFrame(x, columns=["p", "q"])) == ["p", "q"]


def test_exchanged_axes_are_told_with_a_remedy_that_works(chains):
    xarray = optional("xarray")
    usual = dataset(chains)
    exchanged = usual.assign(mu=usual["mu"].transpose("chain", "draw", "axis", "component").rename(component="k"))
    sources = [exchanged, xarray.DataTree.from_dict({"posterior": exchanged})]
    arviz = optional("arviz")
    if hasattr(arviz, "InferenceData"):
        sources.append(arviz.InferenceData(posterior=exchanged))
    for idata in sources:
        with pytest.raises(ValueError, match="sizes \\(2, 60, 2, 3\\), but there are 3 weights") as refused:
            mixgist.Draws.from_arviz(idata, "w", "mu", "Sigma")
        where, what = str(refused.value).split("hint: with d = ")[1].split(" in the place of")[0].split(", give ", 1)
        remedy = eval(what, {"d": eval(where, {"idata": idata})})
        assert mixgist.Draws.from_arviz(remedy, "w", "mu", "Sigma") == mixgist.Draws.from_arviz(usual, "w", "mu", "Sigma")


def test_standard_deviations_by_name_are_not_read_as_variances_in_silence(tmp_path):
    xarray = optional("xarray")
    axes = ("chain", "draw", "component")
    rng = np.random.default_rng(0)
    numbers = {"w": np.full((2, 30, 2), 0.5), "mu": rng.normal(size=(2, 30, 2)), "sigma": 1 + rng.random((2, 30, 2))}
    found = xarray.Dataset({name: (axes, values) for name, values in numbers.items()}, {"chain": [0, 1], "draw": np.arange(30)})
    with pytest.warns(mixgist.MixgistWarning, match="'sigma' is read as variances.*\nhint: .*covariance_form=\"sd\"") as caught:
        mixgist.Draws.from_arviz(found, "w", "mu", "sigma")
    assert caught[0].message.name == "deviations-as-variances" and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sd = mixgist.Draws.from_arviz(found, "w", "mu", "sigma", "sd")
        mixgist.Draws.from_arviz(found, "w", "mu", "sigma", "diagonal")
        mixgist.Draws.from_arviz(found.rename(sigma="sigma2"), "w", "mu", "sigma2")
    assert np.array_equal(np.sqrt(sd.covariances.reshape(-1)), numbers["sigma"].reshape(-1))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="ArviZ 1 needs a newer Python")
def test_what_arviz_1_makes(chains, tmp_path):
    """ArviZ 1 holds draws in trees; its package arviz-base makes, writes and reads them, on more versions of Python than all of it."""
    arviz = optional("arviz_base")
    weights, means, covariances = chains
    groups = {"posterior": {"w": weights, "mu": means, "Sigma": covariances}, "observed_data": {"y": np.ones((5, 2))}}
    tree = arviz.from_dict(groups, coords={"draw": np.arange(100, 160)}, dims={"w": ["component"]})
    assert type(tree).__name__ == "DataTree"
    draws = mixgist.Draws.from_arviz(tree, weights="w", means="mu", covariances="Sigma", data="y")
    check(draws, chains)
    assert draws.data.shape == (5, 2)
    with pytest.raises(ValueError, match="there is no group 'prior' in DataTree"):
        mixgist.Draws.from_arviz(tree, "w", "mu", "Sigma", group="prior")
    with pytest.raises(ValueError, match="no variable 'z'"):
        mixgist.Draws.from_arviz(tree, "w", "mu", "Sigma", data="z")


def stan_csv(path, weights, means, sds):
    names = [f"{name}.{k + 1}" for name in ("theta", "mu", "sigma") for k in range(2)]
    lines = ["# model = mixture", ",".join(["lp__", *names])]
    for row in np.concatenate([weights, means, sds], axis=1):
        lines.append(",".join(["-1.5", *map(repr, row.tolist())]))
    path.write_text("\n".join(lines) + "\n")


def test_cmdstan_files_and_fits_agree(tmp_path):
    rng = np.random.default_rng(0)
    weights = np.tile([0.25, 0.75], (40, 1))
    means, sds = rng.standard_normal((40, 2)), 1.0 + rng.random((40, 2))
    paths = []
    for chain in range(2):
        rows = slice(20 * chain, 20 * (chain + 1))
        paths.append(tmp_path / f"chain-{chain}.csv")
        stan_csv(paths[-1], weights[rows], means[rows], sds[rows])
    from_files = mixgist.Draws.from_cmdstan(paths, "theta", "mu", "sigma", "sd")

    class Fit:
        """What CmdStanMCMC offers."""

        chains = 2

        def stan_variable(self, name):
            return {"theta": weights, "mu": means, "sigma": sds}[name]

    from_fit = mixgist.Draws.from_cmdstan(Fit(), "theta", "mu", "sigma", "sd")
    assert from_files == from_fit
    assert np.array_equal(np.bincount(from_fit.chains), [20, 20])
    assert mixgist.Draws.from_cmdstan(paths, "theta", "mu", "sigma", "sd", data=np.ones((3, 1))).data.shape == (3, 1)
    with pytest.raises(ValueError, match="pi"):
        mixgist.Draws.from_cmdstan(Fit(), "pi", "mu", "sigma", "sd")
    with pytest.raises(ValueError, match="pi"):
        mixgist.Draws.from_cmdstan(paths, "pi", "mu", "sigma", "sd")
