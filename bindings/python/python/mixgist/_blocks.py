"""Draws that are not in memory together: files that are read in blocks, and Dask arrays."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Sequence
from typing import Any

from . import _core
from ._checks import count, covariance_form as form_of, text
from ._draws import Draws, Path, _format, _paths
from ._work import _JOBS_PER_WORKER, Bytes, Pending, Post, check_executor
from ._words import CovarianceForm, Format


class DrawBlocks:
    """Posterior draws in blocks, of which one at a time is in memory: more draws than memory.

    `summarize` takes them in place of `Draws`, with ``loss="power"``: the medoid, free estimates, floor and chains are those of ``route="blocks"`` for the same draws in
    memory, to the last bit, however the draws are cut. With ``executor=`` the blocks are read and worked on elsewhere. Other questions need `Draws`.

    Make them with `DrawBlocks.open` or `DrawBlocks.from_dask`.
    """

    _source: Any
    _shape: tuple[int, int]
    #: Number of blocks.
    blocks: int

    def __init__(self) -> None:
        raise TypeError("blocks of draws come from DrawBlocks.open or DrawBlocks.from_dask")

    @classmethod
    def open(
        cls,
        paths: Path | Sequence[Path],
        *,
        format: Format | None = None,
        weights: str = "weights",
        means: str = "means",
        covariances: str = "covariances",
        covariance_form: CovarianceForm = "covariance",
        burn_in: int = 0,
        thin: int = 1,
    ) -> DrawBlocks:
        """Files of draws, such as a partitioned Parquet data set: row groups of Parquet, chunks of Zarr and whole files of other formats are blocks.

        The parameters are those of `Draws.read`. With ``executor=`` the workers read the files, which must have the same names there.
        """
        blocks = cls.__new__(cls)
        names = (text("weights", weights), text("means", means), text("covariances", covariances))
        form = form_of(covariance_form)
        how = (tuple(_paths(paths)), _format(format), form, names, count("burn_in", burn_in), count("thin", thin, 1))
        # Files that are opened again may have changed: what workers keep open is of this call alone.
        blocks._source = _Files(*how, uuid.uuid4().hex)
        native = blocks._source.native()
        blocks.blocks = native.blocks
        blocks._shape = (native.draws, native.dim)
        return blocks

    @classmethod
    def from_dask(
        cls, weights: Any, means: Any, covariances: Any, *, covariance_form: CovarianceForm = "covariance", chains: Any = None
    ) -> DrawBlocks:
        """Dask arrays with draws along the first axis: each chunk along it is a block, and stays where it is computed.

        Parameters
        ----------
        weights, means, covariances : dask.array.Array, shapes (M, K), (M, K, d), (M, K, d, d)
            As in `Draws`; only the first axis may be cut into chunks. Means and covariances are cut as the weights are.
        covariance_form : str
            As in `Draws`.
        chains : array_like, shape (M,), optional
            Chain of each draw; one chain without it.
        """
        import numpy as np

        for name, array in (("weights", weights), ("means", means), ("covariances", covariances)):
            if not hasattr(array, "dask") or not hasattr(array, "rechunk"):
                raise TypeError(f"{name} is {type(array).__name__}, expected a Dask array\nhint: mixgist.Draws takes arrays in memory")
            if array.ndim < 2 or array.shape[0] != weights.shape[0]:
                raise ValueError(f"{name} has shape {array.shape}, expected draws along the first axis, as the weights of shape {weights.shape}")
            if any(size != size for size in array.shape):
                raise ValueError(f"{name} has chunks of unknown size\nhint: call its method compute_chunk_sizes() first")
        along = weights.chunks[0]

        def cut(array: Any) -> Any:
            return array.rechunk({0: along, **{axis: -1 for axis in range(1, array.ndim)}}).to_delayed().ravel()

        starts = np.concatenate([[0], np.cumsum(along)]).astype(int)
        every = np.zeros(int(starts[-1]), dtype=np.int64) if chains is None else np.asarray(chains)
        if every.shape != (int(starts[-1]),):
            raise ValueError(f"chains has shape {every.shape}, expected ({int(starts[-1])},)")
        form = form_of(covariance_form)
        blocks = cls.__new__(cls)
        parts = zip(cut(weights), cut(means), cut(covariances), starts[:-1], starts[1:])
        blocks._source = _Delayed([(w, m, c, form, every[a:b], int(a)) for w, m, c, a, b in parts])
        blocks.blocks = len(along)
        blocks._shape = (int(starts[-1]), 1 if means.ndim == 2 else int(means.shape[2]))
        return blocks

    def __len__(self) -> int:
        return int(self._shape[0])

    @property
    def dim(self) -> int:
        """Dimension of the means."""
        return int(self._shape[1])

    def __repr__(self) -> str:
        return f"DrawBlocks({len(self)} draws in {self.blocks} blocks, dimension {self.dim})"

    def _summary(self, executor: Any, asked: Any, estimating: Any, report: Any) -> _core.Summary:
        """The native summary."""
        check_executor(executor)
        files = self._source.native() if isinstance(self._source, _Files) and executor is None else None
        if files is None and executor is None:
            executor = _Here()
        courier = None if files is not None else BlockCourier(executor, self._source, self.blocks)
        return _core.summarize_blocks(files, courier, asked, estimating, report)


class _Here:
    """This process as an executor that works when it is asked."""

    _max_workers = 1

    def submit(self, function: Any, /, *arguments: Any) -> Any:
        from concurrent.futures import Future

        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        return future


class _Files:
    """How files are opened, here and on workers."""

    def __init__(self, *how: Any) -> None:
        self.how = how

    def native(self) -> _core.FileBlocks:
        return _opened(self.how)

    def call(self, post: Post, question: Any, blocks: list[int]) -> tuple[Any, ...]:
        return _answer_files, self.how, question, blocks


@functools.lru_cache(maxsize=4)
def _opened(how: tuple[Any, ...]) -> _core.FileBlocks:
    paths, format, form, names, burn_in, thin, _ = how
    return _core.FileBlocks(list(paths), format, form, list(names), burn_in, thin)


def _content(question: Any) -> bytes:
    return question.content if isinstance(question, Bytes) else question


def _answer_files(how: tuple[Any, ...], question: Any, blocks: list[int]) -> bytes:
    """Runs on a worker: reads blocks and answers."""
    return _opened(how).answer(_content(question), blocks)


class _Delayed:
    """Blocks that Dask computes."""

    def __init__(self, parts: list[tuple[Any, ...]]) -> None:
        self.parts = parts
        self._held: dict[int, list[Any]] = {}

    def call(self, post: Post, question: Any, blocks: list[int]) -> tuple[Any, ...]:
        arrays: list[Any] = []
        for block in blocks:
            arrays.extend(self._arrays(post, block))
        rest = [self.parts[block][3:] for block in blocks]
        return _answer_arrays, question, blocks, rest, *arrays

    def _arrays(self, post: Post, block: int) -> list[Any]:
        three = self.parts[block][:3]
        if not post.dask:
            return [one.compute() for one in three]
        held = self._held.get(block)
        if held is None or any(post.lost(one) for one in held):
            # Computed once, where Dask likes, and kept there.
            held = self._held[block] = list(post.executor.compute(list(three)))
        return held


def _answer_arrays(question: Any, blocks: list[int], rest: list[Any], *arrays: Any) -> bytes:
    """Runs on a worker: answers for blocks whose arrays have come."""
    import numpy as np

    draws = []
    for place, (form, chains, start) in enumerate(rest):
        weights, means, covariances = (np.asarray(one) for one in arrays[3 * place : 3 * place + 3])
        iterations = np.arange(start, start + len(weights))
        draws.append(Draws(weights, means, covariances, covariance_form=form, chains=chains, iterations=iterations)._native)
    return _core.answer_blocks(_content(question), blocks, draws)


class BlockCourier:
    """Carries questions about blocks to an executor, and answers back."""

    def __init__(self, executor: Any, source: Any, blocks: int) -> None:
        self._post = Post(executor)
        self._source = source
        self.blocks = blocks
        self.most_jobs = _JOBS_PER_WORKER * self._post.workers

    def ask(self, question: bytes, jobs: list[list[int]]) -> Pending:
        """Sends a question about some blocks each; the core calls this."""
        held = [self._post.hold(Bytes(question))]

        def call(place: int) -> tuple[Any, ...]:
            if self._post.broken:
                held[0] = Bytes(question)
            elif self._post.lost(held[0]):
                held[0] = self._post.hold(Bytes(question))
            job: tuple[Any, ...] = self._source.call(self._post, held[0], jobs[place])
            return job

        return Pending(self._post, [call(place) for place in range(len(jobs))], lambda place, error: call(place))
