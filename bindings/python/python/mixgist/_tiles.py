"""Points that stay on Dask's workers: parts of whole tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import Floats, points
from ._work import Pending, Post, _threads, is_dask


def points_away(name: str, values: Any, executor: Any) -> Any:
    """The Dask array whose rows stay where they are; none where they fit into a tile or where there is no client."""
    if not is_dask(executor):
        return None
    if callable(getattr(values, "to_dask_array", None)):
        values = values.to_dask_array(lengths=True)
    if not hasattr(values, "dask") or not hasattr(values, "rechunk"):
        return None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"{name} has shape {values.shape}, expected (observations, dimension)")
    if any(size != size for size in values.shape):
        raise ValueError(f"{name} has chunks of unknown size\nhint: call its method compute_chunk_sizes() first")
    if values.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {values.dtype}, expected numbers")
    return values if values.shape[0] > _core.TILE_ROWS else None


class Part:
    """Rows that a worker holds, with what it has made of them, which does not travel."""

    def __init__(self, rows: Any, first: int) -> None:
        self.rows: Floats = points("X", rows)
        self.first = first
        self._held = _core.HeldPoints()

    def __reduce__(self) -> tuple[Any, ...]:
        return Part, (self.rows, self.first)

    def __sizeof__(self) -> int:
        """Dask moves what is small without a thought."""
        return 3 * self.rows.nbytes

    def answer(self, job: bytes, threads: int) -> bytes:
        """What these rows answer."""
        return self._held.answer(job, self.rows, self.first, threads)


def _answer(part: Part, job: bytes) -> bytes:
    """Runs on a worker: answers a job about rows that it holds."""
    return part.answer(job, _threads())


class TileCourier:
    """Carries jobs about tiles of points to the workers that hold them, and answers back."""

    most_jobs = 0

    def __init__(self, client: Any, array: Any) -> None:
        self._post = Post(client)
        rows, self.dim = array.shape
        tiles = -(-rows // _core.TILE_ROWS)
        # A job costs Dask as much as thousands of points: each worker has one, for all of its threads.
        count = min(tiles, self._post.workers)
        #: Where each part ends.
        self.ends = [min(rows, tiles * (i + 1) // count * _core.TILE_ROWS) for i in range(count)]
        lengths = tuple(np.diff([0, *self.ends]).tolist())
        self._rows = array.rechunk({0: lengths, 1: -1}).to_delayed().ravel().tolist()
        self._held: list[Any] = [None] * count

    def ask(self, parts: list[int], jobs: list[bytes]) -> Pending:
        """Sends a job about each of these parts; the core calls this."""

        def call(place: int) -> tuple[Any, ...]:
            return _answer, self._part(parts[place]), jobs[place]

        calls = [call(place) for place in range(len(jobs))]
        return Pending(self._post, calls, lambda place, error: call(place), near=False)

    def _part(self, part: int) -> Any:
        """A part, which Dask makes again from the array when its worker is lost."""
        held = self._held[part]
        if held is None or self._post.lost(held):
            rows, first = self._rows[part], self.ends[part - 1] if part else 0
            if self._post.broken:
                return Part(rows.compute(), first)
            held = self._held[part] = self._post.make(part * self._post.workers // len(self.ends), Part, rows, first)
        return held
