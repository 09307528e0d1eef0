"""The report: everything about a summary in one HTML file."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import Any, Union, overload

from . import _core
from ._arrays import named_points
from ._checks import flag, optional_path, text, texts, thread_count
from ._draws import Draws, Path, expect_draws
from ._progress import ProgressOption, reporter
from ._summary import Summary
from ._words import Part


# Parts of a report that can be left out: one name, or several.
Parts = Union[Part, Sequence[Part]]


@overload
def report(
    summary: Summary | Sequence[Summary],
    draws: Draws | None = None,
    data: Any = None,
    *,
    path: None = None,
    title: str | None = None,
    without: Parts = (),
    force: bool = False,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> str: ...


@overload
def report(
    summary: Summary | Sequence[Summary],
    draws: Draws | None = None,
    data: Any = None,
    *,
    path: Path,
    title: str | None = None,
    without: Parts = (),
    force: bool = False,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> pathlib.Path: ...


def report(
    summary: Summary | Sequence[Summary],
    draws: Draws | None = None,
    data: Any = None,
    *,
    path: Path | None = None,
    title: str | None = None,
    without: Parts = (),
    force: bool = False,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> str | pathlib.Path:
    """A report of summaries as one HTML page that needs no network.

    Parameters
    ----------
    summary : Summary or sequence of Summary
        Summaries of the same draws; with several the reader can switch.
    draws : Draws, optional
        The draws that were summarised; without them the figures of the posterior are left out.
    data : array_like, shape (n, d), optional
        The observations; without them, those that the draws contain.
    path : path, optional
        Write the page to this file (.html), whole or not at all.
    title : str, optional
        Title of the page; without it, one that names the columns of the data.
    without : str or sequence of str
        Parts that take time and are left out: ``"components"``, ``"how-many"``, ``"memberships"``, ``"conformal"``, ``"path"``,
        ``"representatives"``, ``"stability"``.
    force : bool
        Replace a file that exists.
    threads, progress
        As in `summarize`.

    Returns
    -------
    str or pathlib.Path
        The page; with `path`, the path of the file, so that a notebook does not show the whole page.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> draws = mixgist.Draws(np.full((150, 2), 0.5), np.tile([0.0, 5.0], (150, 1)), np.ones((150, 2)))
    >>> mixgist.report(mixgist.summarize(draws), draws, title="Two atoms")[:15]
    '<!DOCTYPE html>'
    """
    summaries = [summary] if isinstance(summary, Summary) else summary
    if isinstance(summaries, str) or not isinstance(summaries, Sequence) or not all(isinstance(one, Summary) for one in summaries):
        raise TypeError(f"summary is a {type(summary).__name__}, expected a Summary or a sequence of them")
    if not summaries:
        raise ValueError("there is no summary to report on")
    natives = [each._native for each in summaries]
    if draws is not None:
        _expect_same(expect_draws("draws", draws, " or None"), summaries)
    x = None if data is None else named_points("data", data, summaries[0].columns)
    place = optional_path("path", path)
    with reporter(progress) as tell:
        page = _core.report(
            _title(summaries[0]) if title is None else text("title", title),
            natives,
            None if draws is None else draws._native,
            x,
            [without] if isinstance(without, str) else texts("without", without),
            place,
            flag("force", force),
            thread_count(threads),
            tell,
        )
    return page if place is None else pathlib.Path(place)


def _title(summary: Summary) -> str:
    """What the data are, as far as their columns tell."""
    names = summary.columns or []
    return ": ".join(["Mixture posterior"] + [", ".join(names[:4]) + (", …" if len(names) > 4 else "")] * bool(names))


def _expect_same(draws: Draws, summaries: Sequence[Summary]) -> None:
    """Refuses draws that are not those of the summaries."""
    for one in summaries:
        own, theirs = (len(draws), draws.dim), (len(one.distances), one.estimate.dim)
        if own != theirs:
            raise ValueError(
                f"{own[0]} draws of dimension {own[1]}, the summary is of {theirs[0]} draws of dimension {theirs[1]}\n"
                "hint: give the draws that were summarised"
            )
