"""Draws from other packages: the variables that make a mixture, as arrays. None of the packages is imported."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._arrays import columns_of
from ._measure import Measure


def arviz(
    idata: Any, group: str, weights: str, means: str, covariances: str, labels: str | None, data: Any
) -> dict[str, Any]:
    """Arrays of an InferenceData, a DataTree or a Dataset, with the axes chain and draw first."""
    dataset = _group(idata, group)
    w = _variable(dataset, weights, None)
    atom = w.dims[-1]
    if w.ndim != 3:
        raise ValueError(f"variable {weights!r} has dimensions {tuple(w.dims)}, expected chain, draw and the atoms")
    places = _variable(dataset, means, atom)
    if places.ndim == 4 and places.shape[2] != w.shape[2] and places.shape[3] == w.shape[2]:
        chain, draw, one, other = places.dims
        within = "idata" if dataset is idata else f"idata[{group!r}]" + ".to_dataset()" * hasattr(idata, "children")
        raise ValueError(
            f"variable {means!r} has the dimensions {tuple(places.dims)} of sizes {places.shape}, but there are {w.shape[2]} weights: "
            f"the atoms must come before the coordinates\nhint: with d = {within}, give "
            f"d.assign({{{means!r}: d[{means!r}].transpose({chain!r}, {draw!r}, {other!r}, {one!r})}}) in the place of idata"
        )
    arrays: dict[str, Any] = {
        "weights": w.values,
        "means": places.values,
        "covariances": _variable(dataset, covariances, atom).values,
    }
    chains, draws = w.shape[:2]
    arrays["chains"] = np.repeat(_coordinates(dataset, "chain", chains), draws)
    arrays["iterations"] = np.tile(_coordinates(dataset, "draw", draws), chains)
    if labels is not None:
        z = _variable(dataset, labels, None).values
        arrays["labels"] = z.reshape(chains * draws, -1)
    names = _names(places) if places.ndim == 4 else None
    if isinstance(data, str):
        observed = _find(_group(idata, "observed_data"), data)
        names = (_names(observed) if observed.ndim == 2 else None) or names
        data = observed.values
    arrays["data"] = data
    arrays["columns"] = None if data is None else columns_of(data) or names
    return arrays


def _names(variable: Any) -> list[str] | None:
    """The coordinates of the last axis, where they are names."""
    axis = variable.dims[-1]
    found = np.asarray(variable[axis].values) if axis in variable.coords else np.empty(0)
    return [str(name) for name in found] if found.dtype.kind in "UOT" and found.size > 0 else None


def _group(idata: Any, group: str) -> Any:
    """The Dataset of a group."""
    if idata is None or isinstance(idata, (dict, str, os.PathLike)):
        hint = "from_dict makes one of it" if isinstance(idata, dict) else "from_netcdf reads one from a file"
        kind = type(idata).__name__
        raise TypeError(f"idata is a {kind}, expected an InferenceData, a DataTree or a Dataset\nhint: arviz.{hint}")
    if hasattr(idata, "data_vars") and not hasattr(idata, "children"):
        return idata
    try:
        found = idata[group]
    except (KeyError, AttributeError, TypeError):
        raise ValueError(f"there is no group {group!r} in {type(idata).__name__}") from None
    for attribute in ("dataset", "ds"):
        if hasattr(found, "children") and hasattr(found, attribute):
            return getattr(found, attribute)
    return found


def _find(dataset: Any, name: str) -> Any:
    """The variable of that name."""
    if name not in dataset:
        known = ", ".join(map(str, dataset.data_vars))
        raise ValueError(f"there is no variable {name!r}\nhint: the group has: {known}")
    return dataset[name]


def _variable(dataset: Any, name: str, atom: Any) -> Any:
    """The variable with the axes chain, draw and, where it is known by its name, the atoms first."""
    variable = _find(dataset, name)
    missing = {"chain", "draw"} - set(variable.dims)
    if missing:
        raise ValueError(f"variable {name!r} has dimensions {tuple(variable.dims)}, expected chain and draw among them")
    first = ["chain", "draw"] + ([atom] if atom in variable.dims else [])
    return variable.transpose(*first, ...)


def _coordinates(dataset: Any, axis: str, count: int) -> np.ndarray[Any, Any]:
    """The numbers of the chains or draws, where they have numbers; otherwise they are counted."""
    numbers = np.asarray(dataset[axis].values)
    if numbers.dtype.kind in "iu" and numbers.size == count and (numbers >= 0).all():
        return numbers.astype(np.int64)
    return np.arange(count)


def cmdstan(fit: Any, weights: str, means: str, covariances: str, labels: str | None) -> dict[str, Any]:
    """Arrays of a CmdStanMCMC: the draws of its chains one after the other."""
    names = {"weights": weights, "means": means, "covariances": covariances}
    if labels is not None:
        names["labels"] = labels
    arrays: dict[str, Any] = {}
    for argument, name in names.items():
        try:
            arrays[argument] = np.asarray(fit.stan_variable(name))
        except (KeyError, ValueError) as error:
            raise ValueError(f"there is no Stan variable {name!r} ({error})") from None
    draws = len(arrays["weights"])
    chains = int(fit.chains)
    if chains > 0 and draws % chains == 0:
        arrays["chains"] = np.repeat(np.arange(chains), draws // chains)
        arrays["iterations"] = np.tile(np.arange(draws // chains), chains)
    return arrays


def sklearn(mixture: Any) -> Measure:
    """A fitted mixture of scikit-learn as a measure."""
    missing = [name for name in ("weights_", "means_", "covariances_", "covariance_type") if not hasattr(mixture, name)]
    if missing:
        raise TypeError(f"{type(mixture).__name__} has no {missing[0]}, expected a fitted mixture of scikit-learn\nhint: call its method fit first")
    weights, means, covariances = (np.asarray(getattr(mixture, name)) for name in ("weights_", "means_", "covariances_"))
    atoms, d = means.shape
    if mixture.covariance_type == "tied":
        covariances = np.broadcast_to(covariances, (atoms, d, d))
    elif mixture.covariance_type == "diag":
        covariances = covariances[:, :, None] * np.eye(d)
    elif mixture.covariance_type == "spherical":
        covariances = covariances[:, None, None] * np.eye(d)
    return Measure(weights, means, covariances)
