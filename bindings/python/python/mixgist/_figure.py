"""Figures of a summary, as the command line draws them."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from ._arrays import named_points
from ._checks import count, flag, path as path_of, text, thread_count, word
from ._draws import Draws, Path, expect_draws
from ._progress import ProgressOption, reporter
from ._report import _expect_same
from ._summary import Summary
from ._words import Kind


class Figure:
    """A figure, as `figure` returns it: a notebook shows it, `write` makes a file of it.

    Attributes
    ----------
    svg : str
        The drawing; it needs no fonts.
    caption : str
        What there is to see, in sentences.
    """

    def __init__(self) -> None:
        raise TypeError("a Figure comes from mixgist.figure")

    _native: _core.Drawing

    @classmethod
    def _wrap(cls, native: _core.Drawing) -> Figure:
        drawn = cls.__new__(cls)
        drawn._native = native
        return drawn

    @property
    def svg(self) -> str:
        """The drawing."""
        return self._native.svg

    @property
    def caption(self) -> str:
        """What there is to see, in sentences."""
        return self._native.caption

    @property
    def data(self) -> dict[str, Any]:
        """The figure as data: panels with their axes and layers (dots, lines, areas), in the coordinates of the axes."""
        found: dict[str, Any] = json.loads(self._native.data)
        return found

    def draw(
        self, ax: Any = None, *, color: Any = None, label: str | None = None, alpha: float | None = None, linewidth: float | None = None
    ) -> Any:
        """Draws the figure with Matplotlib: on `ax`, on an array of axes when it has several panels, on new axes without it. Returns the axes.

        The other parameters are those of `Summary.plot`.
        """
        from ._axes import draw

        return draw(self.data, ax, {"color": color, "label": label, "alpha": alpha, "linewidth": linewidth})

    def write(self, path: Path, *, dpi: int = 300, force: bool = False) -> None:
        """Writes the figure to a file (.svg, .pdf or .png), whole or not at all; `force` replaces a file that exists."""
        self._native.write(path_of("path", path), count("dpi", dpi, 20), flag("force", force))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Figure({self.caption!r})"


def figure(
    summary: Summary,
    kind: Kind | None = None,
    *,
    draws: Draws | None = None,
    data: Any = None,
    title: str | None = None,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> Figure:
    """A figure of a summary, of any kind that ``mixgist plot`` draws.

    Parameters
    ----------
    summary : Summary
        The summary.
    kind : str, optional
        ``"density"``, ``"contours"``, ``"pairs"``, ``"bands"``, ``"similarity"``, ``"map"``, ``"losses"``, ``"convergence"``, ``"path"``, ``"components"``,
        ``"memberships"``, ``"how-many"``, ``"axes"``, ``"representatives"``, ``"stability"`` or ``"traces"``; ``mixgist plot --help`` says what each shows.
        Without it, the one that shows the estimate in its dimension.
    draws : Draws, optional
        The draws that were summarised, which most kinds need.
    data : array_like, shape (n, d), optional
        The observations; without it, those that the draws contain.
    title : str, optional
        Written above the figure.
    threads, progress
        As in `summarize`.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> draws = mixgist.Draws(np.full((150, 2), 0.5), np.tile([0.0, 5.0], (150, 1)), np.ones((150, 2)))
    >>> mixgist.figure(mixgist.summarize(draws), draws=draws).svg[:4]
    '<svg'
    """
    if not isinstance(summary, Summary):
        raise TypeError(f"summary is a {type(summary).__name__}, expected a Summary")
    if draws is not None:
        _expect_same(expect_draws("draws", draws, " or None"), [summary])
    x = None if data is None else named_points("data", data, summary.columns)
    with reporter(progress) as tell:
        native = _core.figure(
            None if kind is None else word("kind", kind, otherwise=" or None"),
            summary._native,
            None if draws is None else draws._native,
            x,
            None if title is None else text("title", title),
            thread_count(threads),
            tell,
        )
    return Figure._wrap(native)
