"""The report: everything about a summary in one HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _core
from ._arrays import points, thread_count
from ._draws import Draws, Path
from ._progress import ProgressOption, reporter
from ._summary import Summary


def report(
    summary: Summary | Sequence[Summary],
    draws: Draws | None = None,
    data: Any = None,
    *,
    path: Path | None = None,
    title: str = "Summary",
    force: bool = False,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> str:
    """A report of summaries as one HTML page that needs no network.

    Parameters
    ----------
    summary : Summary or sequence of Summary
        Summaries of the same draws; with several the reader can switch.
    draws : Draws, optional
        The draws that were summarised; without them the figures of the posterior are left out.
    data : array_like, shape (n, d), optional
        The observations; without them, those that came with the draws.
    path : path, optional
        Write the page to this file, whole or not at all.
    title : str
        Title of the page.
    force : bool
        Replace a file that exists.
    threads, progress
        As in `summarize`.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> draws = mixgist.Draws(np.full((150, 2), 0.5), np.tile([0.0, 5.0], (150, 1)), np.ones((150, 2)))
    >>> mixgist.report(mixgist.summarize(draws), draws, title="Two atoms")[:15]
    '<!DOCTYPE html>'
    """
    summaries = [summary] if isinstance(summary, Summary) else list(summary)
    if not summaries:
        raise ValueError("there is no summary to report on")
    natives = [each._native for each in summaries]
    x = None if data is None else points("data", data)
    target = None if path is None else os.fspath(path)
    native_draws = None if draws is None else draws._native
    with reporter(progress) as tell:
        return _core.report(title, natives, native_draws, x, target, force, thread_count(threads), tell)
