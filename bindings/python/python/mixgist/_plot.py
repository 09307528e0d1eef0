"""Pictures of an estimate on matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import named_points
from ._checks import count
from ._measure import Measure

if TYPE_CHECKING:
    from ._summary import Summary

# Standard deviations at which an ellipse is drawn: it holds 90 % of its atom.
_RADIUS = float(np.sqrt(-2.0 * np.log(0.1)))
# Lighter atoms are not drawn.
_LIGHTEST = 1e-3


def plot(
    summary: Summary, data: Any, ax: Any, coordinates: Any, color: Any, label: str | None, alpha: float | None, linewidth: float | None
) -> Any:
    """The estimate over the data, in one or two of its coordinates."""
    import matplotlib.pyplot as plt

    dim = summary.means_.shape[1]
    shown = tuple(range(min(dim, 2))) if coordinates is None else coordinates
    if not isinstance(shown, (tuple, list)):
        raise TypeError(f"coordinates is {shown!r}, expected one or two numbers from 0 to {dim - 1}, or names of columns")
    shown = tuple(_place(c, summary.columns) for c in shown)
    if len(shown) not in (1, 2) or max(shown) >= dim:
        raise ValueError(f"coordinates is {shown}, expected one or two numbers from 0 to {dim - 1}")
    if ax is None:
        _, ax = plt.subplots()
    x = None if data is None else named_points("data", data, summary.columns)
    if x is not None and x.shape[1] != dim:
        raise ValueError(f"data has {x.shape[1]} columns, the estimate has dimension {dim}")
    names = summary.columns or [f"x{c + 1}" for c in range(dim)]
    if len(shown) == 1:
        _line(summary, x, ax, shown[0], color, label, alpha, linewidth)
        ax.set_ylabel("density")
    else:
        _plane(summary, x, ax, shown, color, label, alpha, linewidth)
        ax.set_ylabel(names[shown[1]])
    ax.set_xlabel(names[shown[0]])
    name = f"draw {summary.draw}" if summary.estimator == "medoid" else f"{summary.estimator} estimate"
    if not ax.get_title():
        ax.set_title(f"{name}, {summary.settings['distance']}")
    return ax


def _place(coordinate: Any, columns: list[str] | None) -> int:
    """The number of a coordinate that is given by its number or name."""
    if not isinstance(coordinate, str):
        return count("an entry of coordinates", coordinate)
    if columns is None or coordinate not in columns:
        known = "the columns have no names" if columns is None else f"the columns are {', '.join(columns)}"
        raise ValueError(f"there is no column {coordinate!r}\nhint: {known}")
    return columns.index(coordinate)


def _line(summary: Summary, x: Any, ax: Any, c: int, color: Any, label: str | None, alpha: float | None, width: float | None) -> None:
    marginal = Measure(summary.weights_, summary.means_[:, [c]], summary.covariances_[:, [c], :][:, :, [c]])
    centres, sds = marginal.means[:, 0], np.sqrt(marginal.covariances[:, 0, 0])
    heavy = marginal.weights >= min(_LIGHTEST, marginal.weights.max())
    low, high = (centres - 4 * sds)[heavy].min(), (centres + 4 * sds)[heavy].max()
    if color is None:
        color = f"C{sum(line.get_linestyle() == '-' for line in ax.lines)}"  # another one for each summary on the same axes
    if x is not None:
        ax.hist(x[:, c], bins="auto", density=True, color="0.85", label="data")
        low, high = min(low, x[:, c].min()), max(high, x[:, c].max())
    grid = np.linspace(low, high, 500)
    ax.plot(grid, np.exp(marginal.score_samples(grid[:, None])), color=color, alpha=alpha, linewidth=width, label="estimate" if label is None else label)
    for k in np.flatnonzero(heavy):
        z = (grid - centres[k]) / sds[k]
        part = marginal.weights[k] * np.exp(-0.5 * z * z) / (sds[k] * np.sqrt(2 * np.pi))
        ax.plot(grid, part, color=color, linewidth=0.8, linestyle="--", alpha=0.6)
    ax.legend(frameon=False)


def _plane(
    summary: Summary, x: Any, ax: Any, shown: tuple[int, ...], color: Any, label: str | None, alpha: float | None, width: float | None
) -> None:
    from matplotlib.patches import Ellipse

    weights = summary.weights_
    means = summary.means_[:, shown]
    covariances = summary.covariances_[np.ix_(range(len(weights)), shown, shown)]
    if x is not None:
        colours = [f"C{k % 10}" for k in summary.predict(x)]
        ax.scatter(x[:, shown[0]], x[:, shown[1]], c=colours, s=12, alpha=0.6, linewidths=0)
    heavy = np.flatnonzero(weights >= min(_LIGHTEST, weights.max()))
    for k in heavy:
        sizes, axes = np.linalg.eigh(covariances[k])
        angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
        long, short = 2 * _RADIUS * np.sqrt(sizes[::-1])
        style = {"facecolor": "none", "edgecolor": f"C{k % 10}" if color is None else color, "alpha": alpha}
        style["linewidth"] = 0.5 + 2.5 * float(weights[k]) if width is None else width
        ax.add_patch(Ellipse(means[k], long, short, angle=angle, **style))
    ax.scatter(*means[heavy].T, marker="+", color="black" if color is None else color, s=30 + 170 * weights[heavy], alpha=alpha, label=label)
    if label is not None:
        ax.legend(frameon=False)
    ax.autoscale_view()
