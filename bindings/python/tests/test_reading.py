"""Files of other packages, read without those packages."""

import pathlib
import sys

import numpy as np
import pytest

import mixgist

FIXTURES = pathlib.Path(__file__).parents[3] / "crates/mixgist-io/tests/fixtures/arviz"


@pytest.mark.parametrize("name", ["posterior.nc", "netcdf4.nc", "posterior-v2.zarr", "posterior-v3.zarr"])
def test_arviz_files_are_read_without_arviz(name, monkeypatch):
    for package in ("arviz", "arviz_base", "xarray", "zarr", "netCDF4", "h5netcdf", "h5py"):
        monkeypatch.setitem(sys.modules, package, None)
    draws = mixgist.Draws.read(FIXTURES / name, weights="w", means="mu", covariances="Sigma", labels="z")
    assert draws.chains.tolist() == [0, 0, 0, 1, 1, 1]
    # The formulas of make_arviz.py.
    for i in range(6):
        chain, draw = divmod(i, 3)
        assert draws[i].weights == pytest.approx([0.25 + 0.0625 * draw, 0.75 - 0.0625 * draw])
        assert draws[i].means.tolist() == [[100.0 * chain + 10.0 * draw, 0.0], [100.0 * chain + 10.0 * draw + 1.0, -1.0]]
        assert draws[i].covariances[1].tolist() == [[3.0, 0.5], [0.5, 3.0 + draw]]
    assert draws.labels[1].tolist() == [0, 1, 1, 1]
    with pytest.raises(ValueError, match="no variable 'weights'") as refused:
        mixgist.Draws.read(FIXTURES / name)
    assert "w, mu, Sigma" in str(refused.value) or "mu, w" in str(refused.value)


def test_wide_tables_and_directories_of_chains(tmp_path):
    for chain in (1, 2, 10):
        text = "w[1],w[2],mu[1],mu[2],sd[1],sd[2]\n" + "".join(f"0.25,0.75,{chain},{i},1,2\n" for i in range(3))
        (tmp_path / f"chain-{chain}.csv").write_text(text)
    named = {"format": "wide-csv", "weights": "w", "means": "mu", "covariances": "sd", "covariance_form": "sd"}
    draws = mixgist.Draws.read(tmp_path, **named)
    assert draws.chains.tolist() == np.repeat([0, 1, 2], 3).tolist()
    assert [draws[i].means[0, 0] for i in (0, 3, 6)] == [1.0, 2.0, 10.0]
    assert draws[0].covariances.ravel().tolist() == [1.0, 4.0]
    alias = mixgist.Draws.read(tmp_path, format="wide-csv", stan_weights="w", stan_means="mu", stan_covariances="sd", covariance_form="sd")
    assert np.array_equal(alias.means, draws.means)
    (tmp_path / "chain-2.csv").write_text("w[1],w[2],mu[1],mu[2],sd[1],sd[2]\n0.25,0.75,1,x,1,2\n")
    with pytest.raises(ValueError, match=r"chain-2\.csv:2: column 'mu\[2\]'"):
        mixgist.Draws.read(tmp_path, **named)
