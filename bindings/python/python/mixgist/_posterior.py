"""The posterior: draws, data and options bound once; every question is put to it."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, Union

import numpy as np

from . import _core
from ._aligned import Aligned, HowMany, Memberships
from ._arrays import Floats
from ._checks import count as whole_number, flag, number, optional_number
from ._components import Components
from ._credible import Credible
from ._document import Answer
from ._draws import Draws, Path
from ._estimates import EstimateLike, MeasureLike, measure_of
from ._options import AtomCount, Estimating, Question, Slices, Unpack, bound, estimating, takes_slices
from ._progress import ProgressOption, reporter
from ._figure import Figure, figure
from ._report import Parts, report
from ._representatives import Representatives
from ._slices import Distance
from ._stability import Stability
from ._summary import Summary
from ._warnings import warn_all
from ._words import Kind, Loss, Route
from ._work import Executor, courier

_DEFAULTS = _core.DEFAULTS

A = TypeVar("A", bound=Answer)


class Posterior:
    """Posterior draws with data and options, to which all questions are put. Nothing is computed twice.

    Draws are scaled and projected, and the estimate is computed, when a question needs that for the first time. The functions of the same
    names (`mixgist.components` and so on) are the short form for a single question. Draws remember what the last two combinations of data and
    options computed from them, so that ``components(draws)`` after ``summarize(draws)`` does not search for the estimate again.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to label and to take units from; without it, those that the draws contain.
    estimate : str, Measure, Summary or Draws
        Which estimate the answers are about: ``"medoid"``, ``"free"`` or ``"aligned"``, estimated from these draws, or a measure of your own. A
        `Summary` of these draws with the same options is not computed again. ``"usual"`` is the medoid, and for questions about components (`components`,
        `align`, `memberships`, `how_many`) the aligned estimate.
    atoms, candidate, distance, loss, route, threads, executor, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> posterior = mixgist.Posterior(draws, slices=4000)
    >>> posterior.summary().n_components
    2
    >>> [one.existence.value for one in posterior.components()]
    [1.0, 1.0]
    >>> posterior.ball().ball.radius > 0
    True
    """

    @takes_slices
    def __init__(
        self,
        draws: Draws,
        data: Any = None,
        *,
        estimate: EstimateLike | Literal["usual"] = "usual",
        atoms: AtomCount | None = None,
        candidate: MeasureLike | None = None,
        distance: Distance = _DEFAULTS["distance"],
        loss: Loss = _DEFAULTS["loss"],
        route: Route = _DEFAULTS["route"],
        threads: int | None = None,
        executor: Executor = None,
        progress: ProgressOption = False,
        **options: Unpack[Slices],
    ) -> None:
        own = None if candidate is None else measure_of("candidate", candidate)
        check_free(estimate, distance)
        asked = bound(distance, options, data, draws, threads)
        name, given = "medoid", None
        usual = isinstance(estimate, str) and estimate == "usual" and atoms is None
        if isinstance(estimate, str):
            name = "medoid" if estimate == "usual" else estimate
        elif atoms is not None:
            raise ValueError("atoms is for an estimate that is to be found\nhint: leave out atoms, or use estimate=\"free\"")
        else:
            measure = measure_of("estimate", estimate, "'medoid', 'free', 'aligned', ")
            summary = estimate._native if isinstance(estimate, Summary) and estimate._made_from_these(draws) else None
            given = (measure._native, f"given {type(estimate).__name__}", summary)
        if executor is not None and callable(distance):
            raise ValueError("slices by a function of your own are computed in this process\nhint: leave out executor, or use a named distance")
        self._courier = courier(executor, draws)
        self._draws, self._data = draws, data
        self._progress, self._threads = progress, threads
        self._named = not callable(distance)
        self._of_these_draws = given is not None and given[2] is not None
        self._native = _bound(draws, asked, estimating(loss, name, atoms, route, own), given, usual)
        self._summary: Summary | None = None

    @property
    def draws(self) -> Draws:
        """The draws."""
        return self._draws

    @property
    def data(self) -> Any:
        """The observations that were given, or those that the draws contain."""
        return self._draws.data if self._data is None else self._data

    def summary(self) -> Summary:
        """The point estimate with its evidence, see `summarize`. Cost: most of the time that all other answers take is here."""
        if self._summary is None:
            self._expect_found("summary")
            with reporter(self._progress) as report, self._working():
                native = self._native.summary(report)
            warn_all(native.warnings)
            self._summary = Summary._wrap(native)
            self._summary._made_from = weakref.ref(self._draws)
        return self._summary

    def credible(
        self,
        *,
        level: float = 0.95,
        hypothesis: MeasureLike | None = None,
        radius: float | None = None,
        conformal: bool = False,
    ) -> Credible:
        """The credible ball around the estimate, the probability of a region, and a conformal ball, see `mixgist.credible`.

        Cost: none beyond the summary's; a hypothesis takes one more row of distances, a conformal ball an estimate from half of the draws.
        """
        if radius is not None and hypothesis is None:
            raise ValueError("radius is that of a region around a hypothesis\nhint: give the hypothesis")
        if flag("conformal", conformal) and self._of_these_draws and self._native.is_given:
            raise ValueError(
                "the estimate was made from these draws, so that no conformal ball around it is guaranteed\n"
                "hint: leave out estimate: one half of the draws then gives the estimate, the other half calibrates"
            )
        measure = None if hypothesis is None else measure_of("hypothesis", hypothesis)._native
        asked = number("level", level), measure, optional_number("radius", radius), conformal
        return self._ask(Credible, "credible", *asked)

    def ball(self, level: float = 0.95) -> Credible:
        """The credible ball of a level around the estimate: `credible` without more questions."""
        return self.credible(level=level)

    def components(
        self,
        *,
        level: float = 0.95,
        overlap: float | None = None,
        share: float | None = None,
        least_weight: float | None = None,
    ) -> Components:
        """The posterior of every component of the estimate, see `mixgist.components`. Cost: one exact transport per draw."""
        return self._ask(Components, "components", _rules(level, overlap, share, least_weight))

    def align(
        self,
        *,
        names: Sequence[str] | None = None,
        old: Aligned | MeasureLike | None = None,
        overlap: float | None = None,
        share: float | None = None,
        least_weight: float | None = None,
    ) -> Aligned:
        """Every draw aligned with the components, see `mixgist.align`. Cost: some rounds of one exact transport per draw."""
        if names is not None and old is not None:
            raise ValueError("names gives names, and an older fit does too\nhint: leave out names")
        before = None
        if old is not None:
            measure = measure_of("old", old)
            before = (measure._native, old.names if isinstance(old, Aligned) else [str(k) for k in range(len(measure))])
        own = None if names is None else [str(name) for name in names]
        return self._ask(Aligned, "align", _rules(0.95, overlap, share, least_weight), own, before)

    def memberships(
        self,
        *,
        level: float = 0.95,
        overlap: float | None = None,
        share: float | None = None,
        least_weight: float | None = None,
    ) -> Memberships:
        """Which observation belongs to which component, with intervals, see `mixgist.memberships`. Cost: K densities per observation and draw."""
        return self._ask(Memberships, "memberships", _rules(level, overlap, share, least_weight))

    def how_many(self) -> HowMany:
        """How many clusters and components there are, see `mixgist.how_many`. Cost: one exact transport per draw."""
        return self._ask(HowMany, "how_many")

    def representatives(self, *, count: AtomCount = "auto", grid: int = 60) -> Representatives:
        """One draw for each mode, see `mixgist.representatives`. Cost: all distances between at most 1000 draws."""
        wanted = None if isinstance(count, str) and count == "auto" else whole_number("count", count, 1, " or 'auto'")
        return self._ask(Representatives, "representatives", wanted, whole_number("grid", grid))

    def stability(self, *, level: float = 0.95) -> Stability:
        """What moves the estimate, see `mixgist.stability`. Cost: about a dozen more estimates, from at most 1000 draws."""
        if not self._named:
            raise TypeError("stability tries other distances and slices\nhint: slices of your own are for the other questions; use a named distance")
        level = number("level", level)
        self._expect_found("stability")
        return self._ask(Stability, "stability", level)

    def distances(self, measure: MeasureLike | None = None) -> Floats:
        """Distances to every draw (M,): from the estimate, or from another measure. Cost: one row of distances."""
        native = None if measure is None else measure_of("measure", measure)._native
        with reporter(self._progress) as report, self._working():
            return self._native.distances(native, report)

    def report(
        self,
        path: Path | None = None,
        *,
        title: str | None = None,
        without: Parts = (),
        force: bool = False,
    ) -> Any:
        """The report on the summary, see `mixgist.report`: the page, or with `path` the path of the file that was written."""
        return report(
            self.summary(),
            self._draws,
            self._data,
            path=path,
            title=title,
            without=without,
            force=force,
            threads=self._threads,
            progress=self._progress,
        )

    def figure(self, kind: Kind | None = None, *, title: str | None = None) -> Figure:
        """A figure of the summary, of any kind that the command line draws, see `mixgist.figure`."""
        return figure(
            self.summary(), kind, draws=self._draws, data=self._data, title=title, threads=self._threads, progress=self._progress
        )

    def plot(
        self,
        kind: Kind | None = None,
        *,
        ax: Any = None,
        coordinates: Sequence[int | str] | None = None,
        color: Any = None,
        label: str | None = None,
        alpha: float | None = None,
        linewidth: float | None = None,
    ) -> Any:
        """A figure on Matplotlib axes, see `Summary.plot`."""
        look = {"coordinates": coordinates, "color": color, "label": label, "alpha": alpha, "linewidth": linewidth}
        return self.summary().plot(kind, self.data, draws=self._draws, ax=ax, **look)

    def _ask(self, kind: type[A], question: str, *asked: Any) -> A:
        with reporter(self._progress) as report, self._working():
            native = getattr(self._native, question)(*asked, report)
        warn_all(native.warnings)
        answer = kind._of(native)
        object.__setattr__(answer, "_asked", weakref.ref(self._native))
        return answer

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Work on slices goes to the executor meanwhile; what draws remember is asked by others too."""
        self._native.work_by(self._courier)
        try:
            yield
        finally:
            self._native.work_by(None)

    def _expect_found(self, question: str) -> None:
        """Refuses questions about how the estimate was found when it was given."""
        if self._native.is_given:
            raise ValueError(
                f"{question} is about an estimate that is found from these draws, but one was given\n"
                'hint: use estimate="medoid" or estimate="free", or a Summary of these draws with the same options'
            )

    def __repr__(self) -> str:
        return f"Posterior({self._draws!r})"


# So many combinations of data and options are remembered by draws: each takes about as much memory as they do.
_REMEMBERED = 2

Given = tuple[_core.Measure, str, Union[_core.Summary, None]]


def _bound(draws: Draws, asked: Question, estimator: Estimating, given: Given | None, usual: bool) -> _core.Posterior:
    """The posterior as the core has it: the one that was asked before about the same draws, data and options, or a new one."""
    if given is not None or asked["function"] is not None or estimator["candidate"] is not None:
        return _core.Posterior(draws._native, asked, estimator, given, usual)
    slicing, columns = asked["slicing"], asked["columns"]
    key = (
        tuple((name, value) for name, value in slicing.items() if name != "directions"),
        tuple((name, _digest(array)) for name, array in slicing["directions"] or ()),
        _digest(asked["data"]),
        None if columns is None else tuple(columns),
        asked["threads"],
        (estimator["loss"], estimator["route"], estimator["estimate"], usual),
    )
    if draws._kept is None:
        draws._kept = {}
    found = draws._kept.pop(key, None)
    if found is None:
        found = _core.Posterior(draws._native, asked, estimator, None, usual)
    draws._kept[key] = found  # the last in the order of their use
    while len(draws._kept) > _REMEMBERED:
        del draws._kept[next(iter(draws._kept))]
    return found


def _digest(array: Floats | None) -> Any:
    """What tells the numbers of an array from others: they may be changed in place between two questions."""
    return None if array is None else (array.shape, hashlib.blake2b(np.ascontiguousarray(array).data, digest_size=16).digest())


def _rules(
    level: float, overlap: float | None, share: float | None, least_weight: float | None
) -> tuple[float, float | None, float | None, float | None]:
    """When a draw has a component, and the level of intervals, as the core takes them."""
    return (
        number("level", level),
        optional_number("overlap", overlap),
        optional_number("share", share),
        optional_number("least_weight", least_weight),
    )


def check_free(estimate: Any, distance: Any) -> None:
    """Refuses a free estimate over slices without derivatives."""
    if isinstance(estimate, str) and estimate == "free" and callable(distance):
        raise ValueError("a free estimate needs a named distance, whose slices have derivatives\nhint: use estimate=\"medoid\"")
