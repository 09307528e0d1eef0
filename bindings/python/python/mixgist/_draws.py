"""Posterior draws of a mixing measure."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _core, _sources
from ._arrays import Floats, Integers, NarrowIntegers, columns_of, floats, integers, labels as label_array, points
from ._atoms import dense, expect_chains_alike, flat, is_ragged, ragged
from ._checks import count, covariance_form as form_of, flag, path as path_of, text, texts, word
from ._frames import columns_frame
from ._measure import Measure
from ._warnings import warn_all
from ._words import CovarianceForm, Format, FrameLibrary

Path = Union[str, os.PathLike[str]]


class Draws:
    """M posterior draws of a mixing measure, each a set of weighted atoms.

    The arrays are checked and copied once into mixgist's own memory, which outlives them; arrays of float64 in C order are not copied
    before that. Nothing is copied again when draws are summarised.

    Parameters
    ----------
    weights : array_like, shape (M, K) or (chains, draws, K), or a list of M vectors
        Weights of the atoms; those of a draw are scaled to sum 1. Atoms of weight 0 are padding and are dropped. With several chains all three arrays
        have the axis of chains in front.
    means : array_like, shape (M, K, d) or (M, K), or a list
        Means; without the last axis the dimension is 1.
    covariances : array_like, shape (M, K, d, d), (M, K, d) or (M, K), or a list
        Covariances in the form that `covariance_form` says. In dimension 1 they are variances with the shape (M, K). Without the axis K the atoms of a draw share one.
    covariance_form : str
        ``"covariance"`` (also ``"full"``, ``"tied"``), ``"precision"``, ``"cholesky"`` (lower triangular), ``"diagonal"`` or ``"diag"`` (d variances),
        ``"spherical"`` (one variance), ``"sd"`` or ``"std"`` (d standard deviations). With ``"tied"`` the atoms of a draw share one covariance.
    offsets : array_like, shape (M + 1,), optional
        Draws with different numbers of atoms in flat arrays: draw m has the atoms ``offsets[m]:offsets[m + 1]``.
    chains, iterations : array_like, shape (M,), optional
        Where each draw comes from; one chain, counted from 0, without them.
    draw_weights : array_like, shape (M,), optional
        Weights of the draws themselves (importance sampling, SMC).
    labels : array_like, shape (M, n), optional
        The partition of the observations in each draw; the numbers are kept.
    data : array_like, shape (n, d), optional
        The observations; the columns of a data frame (pandas, polars, a table of PyArrow) keep their names.
    columns : sequence of str, optional
        Names of the columns of the data, which must be given; without it, those of the data frame.

    Examples
    --------
    Three draws of two atoms on the line; the second has its labels switched.

    >>> import mixgist
    >>> weights = [[0.4, 0.6], [0.6, 0.4], [0.5, 0.5]]
    >>> means = [[0.0, 5.0], [5.1, 0.1], [-0.2, 4.8]]
    >>> variances = [[1.0, 1.0], [1.1, 0.9], [1.0, 1.2]]
    >>> draws = mixgist.Draws(weights, means, variances)
    >>> draws
    Draws(3 draws of 2 atoms, dimension 1)
    >>> draws[1].means
    array([[5.1],
           [0.1]])

    Draws with different numbers of atoms are lists:

    >>> mixgist.Draws([[1.0], [0.5, 0.5]], [[0.0], [0.0, 3.0]], [[1.0], [1.0, 1.0]])
    Draws(2 draws of 1 to 2 atoms, dimension 1)
    """

    _native: _core.Draws
    # What the last questions about these draws computed, see `Posterior`.
    _kept: dict[Any, _core.Posterior] | None = None

    def __init__(
        self,
        weights: Any,
        means: Any,
        covariances: Any,
        covariance_form: CovarianceForm = "covariance",
        *,
        offsets: ArrayLike | None = None,
        chains: ArrayLike | None = None,
        iterations: ArrayLike | None = None,
        draw_weights: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        data: Any = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        form = form_of(covariance_form)
        if columns is not None and data is None:
            raise ValueError("columns names the columns of the data, but there are no data\nhint: give data, or leave out columns")
        if offsets is not None:
            atoms = flat(weights, means, covariances, form, offsets)
        elif is_ragged(weights):
            atoms = ragged(weights, means, covariances, form)
        else:
            expect_chains_alike(weights)
            atoms = dense(weights, means, covariances, form)
        draws = len(atoms.offsets) - 1
        x = None if data is None else points("data", data)
        if columns is None:
            columns = columns_of(data)
        if x is not None and x.shape[1] != atoms.dim:
            raise ValueError(f"data has {x.shape[1]} columns, the means have dimension {atoms.dim}")
        partitions = None if labels is None else label_array("labels", labels)
        if partitions is not None:
            if partitions.ndim not in (2, 3) or int(np.prod(partitions.shape[:-1])) != draws:
                raise ValueError(f"labels has shape {partitions.shape}, expected ({draws}, observations)")
        self._native = _core.Draws(
            atoms.dim,
            atoms.offsets,
            atoms.weights,
            atoms.means,
            atoms.covariances,
            form,
            atoms.chains if chains is None else integers("chains", chains).reshape(-1),
            atoms.iterations if iterations is None else integers("iterations", iterations).reshape(-1),
            None if draw_weights is None else floats("draw_weights", draw_weights).reshape(-1),
            partitions,
            x,
            None if columns is None else texts("columns", columns),
        )

    @classmethod
    def _wrap(cls, native: _core.Draws) -> Draws:
        draws = cls.__new__(cls)
        draws._native = native
        return draws

    def _named(self, covariances: str, form: str) -> Draws:
        """The same; warns where the name of their variable says that variances are standard deviations."""
        doubt = _core.deviations_by_name(covariances, form_of(form), self.dim)
        if doubt is not None:
            warn_all([("deviations-as-variances", *doubt)])
        return self

    @classmethod
    def from_arviz(
        cls,
        idata: Any,
        weights: str = "weights",
        means: str = "means",
        covariances: str = "covariances",
        covariance_form: CovarianceForm = "covariance",
        *,
        labels: str | None = None,
        data: Any = None,
        draw_weights: ArrayLike | None = None,
        group: str = "posterior",
    ) -> Draws:
        """Draws from ArviZ: an ``InferenceData``, a ``DataTree``, or an xarray ``Dataset``; chains and draw numbers are kept.

        Parameters
        ----------
        idata : InferenceData, DataTree or Dataset
            The posterior, with the dimensions ``chain`` and ``draw``.
        weights, means, covariances : str
            Names of the variables.
        covariance_form : str
            The form of the covariances, see `Draws`.
        labels : str, optional
            Name of the variable that holds the labels of the observations.
        data : str or array_like, optional
            The observations, or the name of the variable of the group ``observed_data`` that holds them. Columns without names get those of the coordinates of
            their last axis, or of that of the means.
        draw_weights : array_like, optional
            Weights of the draws.
        group : str
            The group that holds the draws.

        Returns
        -------
        Draws

        Examples
        --------
        ``mixgist.Draws.from_arviz(idata, weights="w", means="mu", covariances="Sigma")``
        """
        arrays = _sources.arviz(idata, group, weights, means, covariances, labels, data)
        return cls(**arrays, covariance_form=covariance_form, draw_weights=draw_weights)._named(covariances, covariance_form)

    @classmethod
    def from_cmdstan(
        cls,
        source: Any,
        weights: str = "weights",
        means: str = "means",
        covariances: str = "covariances",
        covariance_form: CovarianceForm = "covariance",
        *,
        labels: str | None = None,
        data: Any = None,
    ) -> Draws:
        """Draws from CmdStan: its CSV files, one per chain, or the fit that CmdStanPy returned.

        Parameters
        ----------
        source : path, sequence of paths, or CmdStanMCMC
            Where the draws are.
        weights, means, covariances : str
            Names of the Stan variables, such as ``theta``, ``mu``, ``Sigma``.
        covariance_form : str
            The form of the covariances, see `Draws`.
        labels : str, optional
            Name of the Stan variable that holds the labels of the observations.
        data : array_like, optional
            The observations.

        Returns
        -------
        Draws
        """
        if hasattr(source, "stan_variable"):
            arrays = _sources.cmdstan(source, weights, means, covariances, labels)
            return cls(**arrays, covariance_form=covariance_form, data=data)._named(covariances, covariance_form)
        draws = cls.read(
            source,
            format="stan-csv",
            covariance_form=covariance_form,
            weights=weights,
            means=means,
            covariances=covariances,
            labels=labels,
        )
        return draws if data is None else draws.with_data(data)

    @classmethod
    def read(
        cls,
        paths: Path | Sequence[Path],
        *,
        format: Format | None = None,
        weights: str = "weights",
        means: str = "means",
        covariances: str = "covariances",
        labels: str | None = None,
        covariance_form: CovarianceForm = "covariance",
        burn_in: int = 0,
        thin: int = 1,
        stan_weights: str | None = None,
        stan_means: str | None = None,
        stan_covariances: str | None = None,
        stan_labels: str | None = None,
    ) -> Draws:
        """Reads draws from files, as the command line does; several files, or a directory of files, are several chains. Needs no other package.

        Parameters
        ----------
        paths : path or sequence of paths
            Files (.npz, .parquet, .csv, .nc, .recordio, ``STEM_psi.txt`` of PReMiuM) or Zarr stores.
        format : str, optional
            ``"wide-csv"`` for a table with one draw per row (``mu[1,2]``, ``mu.1.2``), ``"stan-csv"`` for CmdStan; any other, when the extension does not
            tell: ``"npz"``, ``"csv"``, ``"parquet"``, ``"netcdf"``, ``"zarr"``, ``"bayesmix"``, ``"premium"``.
        weights, means, covariances, labels : str
            Names of the variables, in files with variables of any name; ``mixgist inspect FILE`` proposes them.
        covariance_form : str
            The form of the covariances in the files, see `Draws`.
        burn_in : int
            Drop the first draws of each chain.
        thin : int
            Keep every ``thin``-th of the others.
        stan_weights, stan_means, stan_covariances, stan_labels : str, optional
            Other names of `weights`, `means`, `covariances` and `labels`.

        Returns
        -------
        Draws
        """
        labels = labels if stan_labels is None else stan_labels
        variables = (
            text("weights", weights if stan_weights is None else stan_weights),
            text("means", means if stan_means is None else stan_means),
            text("covariances", covariances if stan_covariances is None else stan_covariances),
            None if labels is None else text("labels", labels),
        )
        form = form_of(covariance_form)
        draws = cls._wrap(_core.Draws.read(_paths(paths), _format(format), form, variables))._named(variables[2], form)
        return draws if burn_in == 0 and thin == 1 else draws.thinned(burn_in, thin)

    def write(self, path: Path, *, format: Format | None = None, force: bool = False) -> None:
        """Writes the draws to a file, whole or not at all.

        Parameters
        ----------
        path : path
            The file; its extension names the format (.npz, .parquet, .csv). Labels and data need .npz.
        format : str, optional
            The format, when the extension does not tell.
        force : bool
            Replace a file that exists.
        """
        self._native.write(path_of("path", path), _format(format), flag("force", force))

    def thinned(self, burn_in: int = 0, thin: int = 1) -> Draws:
        """The draws that are left when the first `burn_in` of each chain are dropped and every `thin`-th is kept."""
        kept = self._native.thinned(count("burn_in", burn_in), count("thin", thin, 1))
        return self._wrap(kept)

    @classmethod
    def concat(cls, parts: Sequence[Draws]) -> Draws:
        """Draws of several runs together, as further chains: the chains of each part are counted on after those of the parts before it.

        Labels are kept when all parts have them, data when all parts have the same. Draws with weights cannot be put together, because their
        weights are known within a part alone.

        Examples
        --------
        >>> import mixgist
        >>> one = mixgist.Draws([[1.0], [1.0]], [[0.0], [3.0]], [[1.0], [1.0]])
        >>> mixgist.Draws.concat([one, one]).chains
        array([0, 0, 1, 1])
        """
        parts = [expect_draws("an entry of parts", part) for part in parts]
        if not parts:
            raise ValueError("there are no draws to put together")
        if any(part.dim != parts[0].dim for part in parts):
            raise ValueError(f"the parts have dimensions {', '.join(str(part.dim) for part in parts)}, expected the same")
        if any(part.draw_weights is not None for part in parts):
            raise ValueError("draws with weights cannot be put together\nhint: give all of them with their weights: Draws(..., draw_weights=...)")
        chains: list[Integers] = []
        for part in parts:
            start = 0 if not chains else int(chains[-1].max()) + 1
            chains.append(start + np.unique(part.chains, return_inverse=True)[1].reshape(-1))
        starts = np.cumsum([0, *(len(part.weights) for part in parts[:-1])])
        first, arrays = parts[0], [part._arrays() for part in parts]
        same_data = all(np.array_equal(one["data"], arrays[0]["data"]) and one["columns"] == first.columns for one in arrays)
        labelled = all(one["labels"] is not None and one["labels"].shape[1] == arrays[0]["labels"].shape[1] for one in arrays)
        joined = {name: np.concatenate([one[name] for one in arrays]) for name in ("weights", "means", "covariances")}
        return cls(
            joined["weights"],
            joined["means"],
            joined["covariances"],
            iterations=np.concatenate([one["iterations"] for one in arrays]),
            offsets=np.concatenate([[0], *(start + part.offsets[1:] for start, part in zip(starts, parts))]),
            chains=np.concatenate(chains),
            labels=np.concatenate([one["labels"] for one in arrays]) if labelled else None,
            data=first.data if same_data else None,
            columns=first.columns if same_data and first.data is not None else None,
        )

    @classmethod
    def from_measures(cls, measures: Iterable[Measure], *, chains: ArrayLike | None = None, data: Any = None) -> Draws:
        """Draws from mixing measures, one draw each.

        Examples
        --------
        >>> import mixgist
        >>> mixgist.Draws.from_measures([mixgist.Measure([1.0], [0.0], [1.0]), mixgist.Measure([0.5, 0.5], [0.0, 3.0], [1.0, 1.0])])
        Draws(2 draws of 1 to 2 atoms, dimension 1)
        """
        each = list(measures)
        if not each or not all(isinstance(one, Measure) for one in each):
            raise TypeError("measures must be one or more of mixgist.Measure")
        if any(one.dim != each[0].dim for one in each):
            raise ValueError(f"the measures have dimensions {', '.join(str(one.dim) for one in each)}, expected the same")
        return cls(
            np.concatenate([one.weights for one in each]),
            np.concatenate([one.means for one in each]),
            np.concatenate([one.covariances for one in each]),
            offsets=np.cumsum([0, *(len(one) for one in each)]),
            chains=chains,
            data=data,
        )

    @classmethod
    def from_sklearn(cls, mixtures: Any, *, data: Any = None) -> Draws:
        """Draws from fitted mixtures of scikit-learn (``GaussianMixture``, ``BayesianGaussianMixture``), one draw each: of bootstrap samples, say.

        Parameters
        ----------
        mixtures : a fitted mixture, or several
            Any `covariance_type`.
        data : array_like, shape (n, d), optional
            The observations.
        """
        several = [mixtures] if hasattr(mixtures, "weights_") else list(mixtures)
        return cls.from_measures([_sources.sklearn(one) for one in several], data=data)

    def to_pandas(self) -> Any:
        """The table of `to_frame`, of pandas."""
        return self.to_frame("pandas")

    def to_frame(self, library: FrameLibrary | None = None) -> Any:
        """A row for each atom, as files have them: chain, draw, atom, weight, mean_1, …, cov_1_1, ….

        Parameters
        ----------
        library : str, optional
            ``"pandas"`` or ``"polars"``; without it pandas, or polars where there is no pandas. The method `to_frame` of every answer takes it.
        """
        sizes = np.diff(self.offsets)
        d = self.dim
        table: dict[str, Any] = {
            "chain": np.repeat(self.chains, sizes),
            "draw": np.repeat(self.iterations, sizes),
            "atom": np.arange(len(self.weights)) - np.repeat(self.offsets[:-1], sizes),
            "weight": self.weights,
        }
        means, covariances = self.means, self.covariances
        table |= {f"mean_{a + 1}": means[:, a] for a in range(d)}
        table |= {f"cov_{a + 1}_{b + 1}": covariances[:, a, b] for a in range(d) for b in range(d)}
        return columns_frame(library, table)

    def to_arviz(self) -> Any:
        """The draws as ArviZ has them, with variables ``weights``, ``means`` and ``covariances``; atoms that a draw lacks have weight 0.

        Needs ArviZ, and chains of the same length.
        """
        try:
            import arviz
        except ImportError as error:
            raise ImportError("to_arviz needs ArviZ\nhint: pip install arviz") from error
        numbers, lengths = np.unique(self.chains, return_counts=True)
        if len(set(lengths.tolist())) > 1:
            raise ValueError(f"the chains have {', '.join(map(str, lengths))} draws, ArviZ needs the same number\nhint: choose draws first")
        sizes = np.diff(self.offsets)
        most, d = int(sizes.max()), self.dim
        rows = np.repeat(np.arange(len(self)), sizes)
        places = np.arange(len(self.weights)) - np.repeat(self.offsets[:-1], sizes)
        weights, means = np.zeros((len(self), most)), np.zeros((len(self), most, d))
        covariances = np.tile(np.eye(d), (len(self), most, 1, 1))
        weights[rows, places], means[rows, places], covariances[rows, places] = self.weights, self.means, self.covariances
        order = np.argsort(self.chains, kind="stable")
        shape = (len(numbers), int(lengths[0]), most)
        posterior = {
            "weights": weights[order].reshape(shape),
            "means": means[order].reshape(*shape, d),
            "covariances": covariances[order].reshape(*shape, d, d),
        }
        try:
            return arviz.from_dict(posterior=posterior)
        except TypeError:  # from version 1 on the groups are one dictionary
            return arviz.from_dict({"posterior": posterior})

    def with_data(self, data: Any, columns: Sequence[str] | None = None) -> Draws:
        """The same draws with these observations, whose columns have these names, or else those of the data frame."""
        x = points("data", data)
        return self._wrap(self._native.with_data(x, columns_of(data) if columns is None else texts("columns", columns)))

    @property
    def weights(self) -> Floats:
        """Weights of the atoms of all draws, draw after draw, (atoms,)."""
        return self._native.weights

    @property
    def means(self) -> Floats:
        """Means of the atoms of all draws, (atoms, d)."""
        return self._native.means

    @property
    def covariances(self) -> Floats:
        """Covariances of the atoms of all draws, (atoms, d, d)."""
        return self._native.covariances

    @property
    def offsets(self) -> Integers:
        """M + 1 numbers: draw m owns the atoms ``offsets[m]:offsets[m + 1]``."""
        return self._native.offsets

    @property
    def chains(self) -> Integers:
        """Chain of each draw."""
        return self._native.chains

    @property
    def iterations(self) -> Integers:
        """Iteration of each draw within its chain."""
        return self._native.iterations

    @property
    def draw_weights(self) -> Floats | None:
        """Weights of the draws, summing to 1, when they were given."""
        return self._native.draw_weights

    @property
    def labels(self) -> NarrowIntegers | None:
        """The partition of the observations in each draw, (M, n): the numbers that were given, in the narrowest integers that hold them.

        That is ``uint8`` up to 255, then ``uint16``, ``uint32`` and, for larger or negative ones, ``int64``. Before you calculate with them, convert
        them with ``astype(int)``: NumPy's narrow integers wrap around.
        """
        return self._native.labels

    @property
    def has_labels(self) -> bool:
        """Whether there are labels; they are not copied to find out."""
        return self._native.has_labels

    def without_labels(self) -> Draws:
        """The same draws without their labels, which take much memory where there are many observations."""
        return self._wrap(self._native.without_labels())

    @property
    def data(self) -> Floats | None:
        """The observations (n, d)."""
        return self._native.data

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns of the data."""
        return self._native.columns

    @property
    def dim(self) -> int:
        """Dimension d."""
        return self._native.dim

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, index: int) -> Measure: ...

    @overload
    def __getitem__(self, index: slice | Sequence[int] | Integers) -> Draws: ...

    def __getitem__(self, index: Any) -> Measure | Draws:
        """One draw as a `Measure`; several (a slice, indices or a mask) as `Draws`."""
        draws = len(self)
        if isinstance(index, slice):
            chosen = np.arange(draws)[index]
        elif isinstance(index, (int, np.integer)) and not isinstance(index, bool):
            if not -draws <= index < draws:
                raise IndexError(f"draw {index} of {draws} draws")
            return Measure._wrap(self._native.draw(int(index) % draws))
        else:
            chosen = np.arange(draws)[np.asarray(index)]
        return self._wrap(self._native.select(np.ascontiguousarray(chosen, dtype=np.int64)))

    def __iter__(self) -> Iterator[Measure]:
        return (self[m] for m in range(len(self)))

    def _arrays(self) -> dict[str, Any]:
        names = ("weights", "means", "covariances", "offsets", "chains", "iterations", "draw_weights", "labels", "data")
        return {name: getattr(self, name) for name in (*names, "columns")}

    def __reduce__(self) -> tuple[Any, ...]:
        native = self._native
        return _restored, (self._arrays(), native.renormalization, native.padding, native.lost_chains)

    def __copy__(self) -> Draws:
        return self  # they never change

    def __deepcopy__(self, memo: Any) -> Draws:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Draws):
            return NotImplemented
        mine, theirs = self._arrays(), other._arrays()
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = np.diff(self.offsets)
        least, most = int(sizes.min()), int(sizes.max())
        atoms = f"{most} atom{'s' * (most != 1)}" if least == most else f"{least} to {most} atoms"
        parts = [f"{len(self)} draw{'s' * (len(self) != 1)} of {atoms}", f"dimension {self.dim}"]
        chains = len(np.unique(self.chains))
        if chains > 1:
            parts.append(f"{chains} chains")
        if self.draw_weights is not None:
            parts.append("weighted")
        observations = self._native.observations
        if observations is not None:
            parts.append(f"{'labels of ' * self.has_labels}{observations} observations")
        return f"Draws({', '.join(parts)})"

    def _repr_html_(self) -> str:
        sizes = np.diff(self.offsets)
        rows: list[tuple[str, Any]] = [("draws", len(self)), ("chains", len(np.unique(self.chains))), ("dimension", self.dim)]
        rows += [("atoms per draw, least", sizes.min()), ("median", f"{np.median(sizes):g}"), ("most", sizes.max())]
        if self._native.observations is not None:
            rows.append(("observations", self._native.observations))
        if self.columns is not None:
            rows.append(("columns", ", ".join(self.columns)))
        rows.append(("labels", "yes" if self.has_labels else "no"))
        body = "".join(f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
        return f"<div><strong>Posterior draws</strong><table>{body}</table></div>"


def expect_draws(name: str, value: Any, otherwise: str = "") -> Draws:
    """Draws and nothing else."""
    if isinstance(value, Draws):
        return value
    hint = ""
    if isinstance(getattr(value, "draws", None), Draws):
        hint = "\nhint: it has them as its attribute draws"
    elif isinstance(value, np.ndarray) or hasattr(value, "to_numpy"):
        hint = "\nhint: Draws(weights, means, covariances) makes them of arrays; if these are observations, fit a model to them first: fit(X).draws"
    elif type(value).__name__ == "DrawBlocks":
        hint = "\nhint: only summarize takes draws in blocks; Draws.read(…, thin=…) keeps every thin-th draw, so that they fit into memory"
    elif hasattr(value, "posterior"):
        hint = "\nhint: Draws.from_arviz(…, weights=…, means=…, covariances=…) takes them from it"
    raise TypeError(f"{name} is a {type(value).__name__}, expected Draws{otherwise}{hint}")


def _restored(arrays: Mapping[str, Any], renormalization: float, padding: int, lost_chains: list[int]) -> Draws:
    """Draws from arrays that were draws before: what was done to them then is not forgotten."""
    return Draws._wrap(Draws(**arrays)._native.with_history(renormalization, padding, lost_chains))


def _format(format: Any) -> str | None:
    return None if format is None else word("format", format, otherwise=" or None")


def _paths(paths: Any) -> list[str]:
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [path_of("paths", paths)]
    if not isinstance(paths, Iterable):
        raise TypeError(f"paths is {paths!r}, expected a path or a sequence of paths")
    return [path_of("an entry of paths", path) for path in paths]
