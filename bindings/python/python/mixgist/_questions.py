"""Questions to a posterior in their short form: one function each, which binds draws, data and options and asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._aligned import Aligned, HowMany, Memberships
from ._blocks import DrawBlocks
from ._checks import word
from ._components import Components
from ._credible import Credible
from ._draws import Draws
from ._estimates import EstimateLike, MeasureLike, measure_of
from ._measure import Measure
from ._options import AtomCount, Slices, Unpack, bound, estimating, takes_slices
from ._posterior import Posterior, check_free
from ._progress import ProgressOption, reporter
from ._representatives import Representatives
from ._slices import Distance
from ._stability import Stability
from ._summary import Summary
from ._warnings import warn_all
from ._words import Estimator, Loss, Route, SlicedDistance
from ._work import Executor

_DEFAULTS = _core.DEFAULTS


@takes_slices
def summarize(
    draws: Draws | DrawBlocks,
    data: Any = None,
    *,
    estimate: Estimator = _DEFAULTS["estimate"],
    atoms: AtomCount | None = None,
    candidate: MeasureLike | None = None,
    distance: Distance = _DEFAULTS["distance"],
    loss: Loss = _DEFAULTS["loss"],
    route: Route = _DEFAULTS["route"],
    threads: int | None = None,
    executor: Executor = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Summary:
    """Summarises posterior draws by one measure: the draw with the smallest expected loss, or a free one with few atoms.

    The answer depends on the draws, the options and the seed, never on the number of threads; the command line gives the same for the
    same options.

    Cost: the search for the medoid, a second or so for thousands of draws; a free estimate takes a few times as long. Other questions about the
    same draws with the same data and options start from its result.

    Parameters
    ----------
    draws : Draws or DrawBlocks
        The posterior; `DrawBlocks` are draws that do not fit into memory, for ``loss="power"``.
    data : array_like, shape (n, d), optional
        Observations to label and to take units from; without it, those that the draws contain.
    estimate : str
        ``"medoid"``, one of the draws; ``"free"``, a mixture with few atoms that need not be a draw; or ``"aligned"``, the components that
        at least half of the draws have.
    atoms : int or "auto", optional
        Number of atoms of the free estimate; ``"auto"``, the default, takes the smallest that cannot be distinguished from the best on slices that
        nothing was fitted to.
    candidate : Measure, Summary or Draws, optional
        Your own mixture, to be judged together with the estimate; draws must contain a single draw.
    distance : str or callable
        The sliced distance: ``"sw"``, ``"mix-sw"``, ``"mix-sw-frobenius"`` or ``"smix-w"``; or a function that maps `Atoms` of K atoms to
        an array (L, K): their positions on L lines. A function is called a few times, with all atoms of all draws at once; Ctrl-C waits
        until such a call has ended.
    loss : str
        What is averaged over the posterior: the ``"distance"``, or its p-th ``"power"``.
    route : str
        How the best draw is found: ``"auto"``, ``"pairs"``, ``"certified"`` (order 2 and ``loss="distance"``), ``"sweep"`` or ``"blocks"`` (order 2 and
        ``loss="power"``; `DrawBlocks` take the latter). Every route that can be taken finds the same draw.
    threads : int, optional
        Threads to use; all cores without it.
    executor : Executor or dask.distributed.Client, optional
        Works on the slices instead of the threads of this process: anything with the ``submit`` of `concurrent.futures.Executor`, or a Dask client, on whose
        workers the draws stay. The answer has the same bits. Worth it where the work takes minutes: many draws or many slices.
    progress : bool or callable
        Show progress; a function is called with (phase, done, total, remark).
    slices : int or "auto", optional
        Number of slices; ``"auto"`` adds slices until there are enough.
    order : float, optional
        Order p of the transport cost, at least 1; 2 without it.
    units : str, sequence of float, or None
        Units in which distances are computed: ``"sd"`` divides each coordinate by its standard deviation in the data (or by its scale in
        the draws), ``"whiten"`` removes correlations too, ``"none"`` or None uses the coordinates unchanged; or one number per
        coordinate, to divide by.
    scheme : str
        How directions are spread: ``"balanced"``, ``"iid"``, ``"orthogonal"`` or ``"qmc"``.
    directions : mapping of str to array_like, optional
        Directions to use instead: ``sw_theta``; ``mix_sw_v``, ``mix_sw_a``, ``mix_sw_w``; ``smix_w_v``, ``smix_w_w``.
    prune : str or float
        Which light atoms are dropped: ``"off"``, ``"rounding"`` (no result changes), or a tolerance.
    seed : int
        Seed of the directions.

    Returns
    -------
    Summary
        The estimate with its evidence.

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, with the option that helps.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> summary = mixgist.summarize(draws, slices="auto")
    >>> summary.n_components
    2
    >>> summary.predict([[0.3], [4.0]]).tolist()
    [0, 1]

    An estimate that need not be a draw, with a proof of how good it is: no estimate of any kind is better by more than `excess`.

    >>> free = mixgist.summarize(draws, estimate="free")
    >>> free.n_components, free.excess < summary.excess
    (2, True)
    """
    word("estimate", estimate)
    if isinstance(draws, DrawBlocks):
        check_free(estimate, distance)
        if callable(distance):
            raise ValueError("slices by a function of your own need all draws in memory\nhint: use a named distance, or mixgist.Draws")
        own = None if candidate is None else measure_of("candidate", candidate)
        asked = bound(distance, options, data, Measure([1.0], [0.0], [1.0]), threads)
        with reporter(progress) as report:
            native = draws._summary(executor, asked, estimating(loss, estimate, atoms, route, own), report)
        warn_all(native.warnings)
        return Summary._wrap(native)
    posterior = Posterior(
        draws,
        data,
        estimate=_usual(estimate, atoms, "medoid"),
        atoms=atoms,
        candidate=candidate,
        distance=distance,
        loss=loss,
        route=route,
        threads=threads,
        executor=executor,
        progress=progress,
        **options,
    )
    return posterior.summary()


def _usual(estimate: Any, atoms: AtomCount | None, usual: Estimator) -> Any:
    """The estimate; what is usual for the question is named so, so that all questions share what they compute."""
    return "usual" if atoms is None and isinstance(estimate, str) and estimate == usual else estimate


def check_summarize(*, estimate: Any, atoms: Any, distance: Any, loss: Any, threads: Any, **options: Any) -> None:
    """Refuses what `summarize` would refuse of its options, before long work that comes first."""
    check_free(estimate, distance)
    name = _DEFAULTS["distance"] if callable(distance) else distance
    asked = bound(name, options, None, Measure([1.0], [0.0], [1.0]), threads)  # type: ignore[arg-type]
    _core.check_settings(asked, estimating(loss, estimate, atoms))


@takes_slices
def credible(
    draws: Draws,
    data: Any = None,
    *,
    estimate: EstimateLike = "medoid",
    atoms: AtomCount | None = None,
    level: float = 0.95,
    hypothesis: MeasureLike | None = None,
    radius: float | None = None,
    conformal: bool = False,
    distance: Distance = _DEFAULTS["distance"],
    loss: Loss = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Credible:
    """The credible ball around an estimate, the probability of a region, and a conformal ball.

    Cost: the search for the estimate, unless `summarize` or another question with the same data and options came before;
    then next to nothing. A hypothesis takes one more row of distances, a conformal ball an estimate from half of the draws.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to take units from; without it, those that the draws contain.
    estimate : str, Measure, Summary or Draws
        The centre of the ball: ``"medoid"`` or ``"free"``, estimated from these draws, or a measure of your own. A `Summary` of these draws
        with the same options is not computed again.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    level : float
        Posterior probability of the ball.
    hypothesis : Measure, Summary or Draws, optional
        A hypothesised measure: the posterior probability of a region around it is given.
    radius : float, optional
        Radius of that region; without it, that of the ball.
    conformal : bool
        Add a ball that holds the next draw with a probability guaranteed for this number of draws. Without an estimate of your own its
        centre is estimated from one half of the draws, and the other half calibrates. The guarantee for an estimate of your own holds only if
        it was made without these draws.
    distance, loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`.

    Returns
    -------
    Credible

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> truth = mixgist.Measure([0.5, 0.5], [0.0, 5.0], [1.0, 1.0])
    >>> found = mixgist.credible(draws, hypothesis=truth, conformal=True)
    >>> found.ball.probability.value >= 0.95, found.region.inside_ball
    (True, True)
    >>> bool((found.distances <= found.ball.radius).mean() >= 0.95)
    True
    """
    posterior = Posterior(
        draws, data, estimate=_usual(estimate, atoms, "medoid"), atoms=atoms, distance=distance, loss=loss, threads=threads, progress=progress, **options
    )
    return posterior.credible(level=level, hypothesis=hypothesis, radius=radius, conformal=conformal)


@takes_slices
def components(
    draws: Draws,
    data: Any = None,
    *,
    estimate: EstimateLike = "aligned",
    atoms: AtomCount | None = None,
    level: float = 0.95,
    overlap: float | None = None,
    share: float | None = None,
    least_weight: float | None = None,
    distance: Distance = _DEFAULTS["distance"],
    loss: Loss = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Components:
    """The posterior of every component of an estimate: does it exist, and where. No labels are switched anywhere.

    Which atoms of a draw belong to which component is found by exact optimal transport. Components that cannot be separated are reported as such, without an interval.

    Cost: the search for the estimate, unless `summarize` or another question with the same data and options came before;
    then one exact transport per draw.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to take units from; without it, those that the draws contain.
    estimate : str, Measure, Summary or Draws
        ``"aligned"``, the components that at least half of the draws have; ``"medoid"`` or ``"free"``; or a measure of your own. A `Summary` of
        these draws with the same options is not computed again.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    level : float
        Level of the intervals.
    overlap : float, optional
        Atoms are near when their Gaussians overlap by this much (Bhattacharyya).
    share : float, optional
        A draw has a component when it holds this share of its weight.
    least_weight : float, optional
        Lighter atoms of the estimate are not reported.
    distance, loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`. All but the units matter for the estimate alone.

    Returns
    -------
    Components

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> found = mixgist.components(draws)
    >>> found.existence
    array([1., 1.])
    >>> mean = found.components[0].intervals.mean
    >>> bool(mean.high[0] - mean.low[0] < 0.5)
    True
    """
    posterior = Posterior(
        draws, data, estimate=_usual(estimate, atoms, "aligned"), atoms=atoms, distance=distance, loss=loss, threads=threads, progress=progress, **options
    )
    return posterior.components(level=level, overlap=overlap, share=share, least_weight=least_weight)


@takes_slices
def align(
    draws: Draws,
    data: Any = None,
    *,
    names: Sequence[str] | None = None,
    old: Aligned | MeasureLike | None = None,
    estimate: EstimateLike = "aligned",
    atoms: AtomCount | None = None,
    overlap: float | None = None,
    share: float | None = None,
    least_weight: float | None = None,
    distance: Distance = _DEFAULTS["distance"],
    loss: Loss = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Aligned:
    """Every draw aligned with the components that the draws have in common: arrays for traces, R-hat and forest plots.

    No label is sorted or permuted: which atoms of a draw belong to which component is found by exact optimal transport. What a draw lacks is NaN.

    Cost: the search for the estimate, unless `summarize` or another question with the same data and options came before;
    then some rounds of one exact transport per draw.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to take units from; without it, those that the draws contain.
    names : sequence of str, optional
        Names of the components, heaviest first.
    old : Aligned, Measure, Summary or Draws, optional
        An older fit, the names of whose components are carried over; `Aligned.carried` and `Aligned.gone` say what is new and gone.
    estimate : str, Measure, Summary or Draws
        ``"aligned"``, the components that at least half of the draws have; or another estimate, with whose atoms the draws are aligned.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    overlap, share, least_weight
        As in `components`.
    distance, loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`. All but the units matter for the estimate alone.

    Returns
    -------
    Aligned

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = rng.permuted(np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2)), axis=1)
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> found = mixgist.align(draws, names=["a", "b"])
    >>> found.means.shape, bool(np.ptp(found.means[:, 0, 0]) < 1)
    ((200, 2, 1), True)
    >>> later = mixgist.align(draws, old=found)
    >>> later.names, later.gone
    (['a', 'b'], [])
    """
    posterior = Posterior(
        draws, data, estimate=_usual(estimate, atoms, "aligned"), atoms=atoms, distance=distance, loss=loss, threads=threads, progress=progress, **options
    )
    return posterior.align(names=names, old=old, overlap=overlap, share=share, least_weight=least_weight)


@takes_slices
def memberships(
    draws: Draws,
    data: Any = None,
    *,
    estimate: EstimateLike = "aligned",
    atoms: AtomCount | None = None,
    level: float = 0.95,
    overlap: float | None = None,
    share: float | None = None,
    least_weight: float | None = None,
    distance: Distance = _DEFAULTS["distance"],
    loss: Loss = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Memberships:
    """Which observation belongs to which component: the posterior mean of each membership probability, and its interval over the draws.

    Cost: the search for the estimate, unless `summarize` or another question with the same data and options came before;
    then one exact transport per draw, and K densities per observation and draw.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        The observations; without it, those that the draws contain.
    estimate : str, Measure, Summary or Draws
        Whose atoms the components are; ``"aligned"``, those that at least half of the draws have.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    level : float
        Level of the intervals.
    overlap, share, least_weight
        As in `components`.
    distance, loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`. All but the units matter for the estimate alone.

    Returns
    -------
    Memberships

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> who = mixgist.memberships(draws, [[0.1], [2.5], [5.2]])
    >>> who.uncertain.tolist(), bool(who.low[1, 0] < 0.5 < who.high[1, 0])
    ([1], True)
    """
    posterior = Posterior(
        draws, data, estimate=_usual(estimate, atoms, "aligned"), atoms=atoms, distance=distance, loss=loss, threads=threads, progress=progress, **options
    )
    return posterior.memberships(level=level, overlap=overlap, share=share, least_weight=least_weight)


@takes_slices
def how_many(
    draws: Draws,
    data: Any = None,
    *,
    estimate: EstimateLike = "aligned",
    atoms: AtomCount | None = None,
    distance: Distance = _DEFAULTS["distance"],
    loss: Loss = _DEFAULTS["loss"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> HowMany:
    """How many clusters and components there are, with and without merging similar ones.

    Atoms of a draw that are nearer than about ω are merged, those lighter than ω² left out, and the others merged again (the merge-truncate-merge rule of Guha,
    Ho and Nguyen, arXiv 1901.05078). ω is (log n / n)^¼ for n observations, or without data half of the median distance between draws and estimate; the answer
    covers a range of ω.

    Cost: the search for the estimate, unless `summarize` or another question with the same data and options came before;
    then one exact transport per draw.

    Parameters
    ----------
    draws : Draws
        The posterior. Occupied clusters are counted from its labels.
    data : array_like, shape (n, d), optional
        Observations; where the draws have no labels, labels are drawn for them, given each draw.
    estimate : str, Measure, Summary or Draws
        The estimate whose distance to the draws gives ω where there are no data.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    distance, loss, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`. All but units and seed matter for the estimate alone.

    Returns
    -------
    HowMany

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> mixgist.how_many(draws).components
    2
    """
    posterior = Posterior(
        draws, data, estimate=_usual(estimate, atoms, "aligned"), atoms=atoms, distance=distance, loss=loss, threads=threads, progress=progress, **options
    )
    return posterior.how_many()


@takes_slices
def representatives(
    draws: Draws,
    data: Any = None,
    *,
    count: AtomCount = "auto",
    grid: int = 60,
    distance: Distance = _DEFAULTS["distance"],
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Representatives:
    """One representative draw for each mode of the posterior, with its probability, partition and density.

    Cost: the search for the estimate, unless `summarize` or another question with the same data and options came before;
    then all distances between at most 1000 draws.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to label and to take units from; without it, those that the draws contain.
    count : int or "auto"
        How many; ``"auto"`` finds as many as the posterior has modes. Draws are split in two when there is a valley between the groups that is
        at most half as high as the lower peak (p <= 0.004 under one mode), and each group has at least 5 % of the posterior.
    grid : int
        Grid points per axis of the densities; 0 leaves them out.
    distance, threads, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`.

    Returns
    -------
    Representatives

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    A posterior that has not decided between one component and two:

    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> noise = 0.1 * rng.standard_normal((300, 2))
    >>> means = np.where(np.arange(300)[:, None] % 3 == 0, [0.0, 0.0], [-4.0, 4.0]) + noise
    >>> draws = mixgist.Draws(np.full((300, 2), 0.5), means, np.ones((300, 2)))
    >>> found = mixgist.representatives(draws)
    >>> len(found), found.weights.round(2).tolist()
    (2, [0.67, 0.33])
    """
    posterior = Posterior(draws, data, distance=distance, threads=threads, progress=progress, **options)
    return posterior.representatives(count=count, grid=grid)


@takes_slices
def stability(
    draws: Draws,
    data: Any = None,
    *,
    estimate: EstimateLike = _DEFAULTS["estimate"],
    atoms: AtomCount | None = None,
    level: float = 0.95,
    distance: SlicedDistance = _DEFAULTS["distance"],
    loss: Loss = _DEFAULTS["loss"],
    threads: int | None = None,
    executor: Executor = None,
    progress: ProgressOption = False,
    **options: Unpack[Slices],
) -> Stability:
    """How far the estimate moves when slices, seed, units, loss, distance, burn-in or chains change.

    Movements are in radii of the credible ball. Up to 0.5 a choice hardly matters; beyond 1 it moves the estimate by more than the posterior's own
    uncertainty.

    Cost: the search for the estimate, unless `summarize` or another question with the same data and options came before;
    then about a dozen more estimates, from at most 1000 draws.

    Parameters
    ----------
    draws : Draws
        The posterior.
    data : array_like, shape (n, d), optional
        Observations to label and to take units from; without it, those that the draws contain.
    estimate : str or Summary
        ``"medoid"`` or ``"free"``, or a `Summary` of these draws with the same options, which is not computed again.
    atoms : int or "auto", optional
        Number of atoms of the free estimate.
    level : float
        Posterior probability of the ball.
    distance, loss, threads, executor, progress, slices, order, units, scheme, directions, prune, seed
        As in `summarize`.

    Returns
    -------
    Stability

    Warns
    -----
    MixgistWarning
        What limits the trust in the answer, such as chains that disagree.

    Examples
    --------
    >>> import numpy as np, mixgist
    >>> rng = np.random.default_rng(1)
    >>> means = np.array([0.0, 5.0]) + 0.1 * rng.standard_normal((200, 2))
    >>> draws = mixgist.Draws(np.full((200, 2), 0.5), means, np.ones((200, 2)))
    >>> card = mixgist.stability(draws, slices=100)
    >>> card.verdict in ("stable", "inside", "outside"), len(card.radii) == len(card.checks)
    (True, True)
    """
    posterior = Posterior(
        draws, data, estimate=_usual(estimate, atoms, "medoid"), atoms=atoms, distance=distance, loss=loss, threads=threads, executor=executor,
        progress=progress, **options
    )
    return posterior.stability(level=level)
