"""Work that goes elsewhere: any executor, and Dask clients."""

from __future__ import annotations

import concurrent.futures
import os
import tempfile
import time
import weakref
from typing import Any, Callable, Protocol, Union

from . import _core
from ._draws import Draws
from ._warnings import warn_all


class Submits(Protocol):
    """Anything with the ``submit`` of `concurrent.futures.Executor`, or a Dask client."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any: ...


Executor = Union[Submits, None]

# A job that is lost so often, with its worker, is given up.
_MOST_TRIES = 20

# Seconds for which an answer of a Dask worker is waited for before it is asked for again.
_FETCHING = 60.0

# Seconds between two looks at the state of a Dask future.
_LOOKING = 0.01

# Jobs for each worker in a pass: more of them even out unequal workers, fewer cost less.
_JOBS_PER_WORKER = 2

_Late = (TimeoutError, concurrent.futures.TimeoutError)


def check_executor(executor: Any) -> Any:
    """Refuses what cannot take work."""
    if executor is None:
        return None
    if not callable(getattr(executor, "submit", None)):
        raise TypeError(
            f"executor is {executor!r}, expected an object with the method submit\n"
            "hint: a concurrent.futures.ProcessPoolExecutor, or a dask.distributed.Client"
        )
    if getattr(executor, "asynchronous", False):
        raise TypeError("executor is an asynchronous Dask client\nhint: use a client that was made with asynchronous=False")
    return executor


def is_dask(executor: Any) -> bool:
    """Whether it is a Dask client, which keeps data on its workers."""
    return callable(getattr(executor, "scatter", None)) and callable(getattr(executor, "nthreads", None))


def courier(executor: Any, draws: Draws) -> Courier | None:
    """What carries work on these draws to the executor."""
    if check_executor(executor) is None:
        return None
    return Courier(executor, draws)


class Outcome:
    """What a job gave, or what it raised: all else that a future raises is about its worker."""

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self.value, self.error = value, error


def _tried(function: Callable[..., Any], *arguments: Any) -> Outcome:
    try:
        return Outcome(function(*arguments))
    except Exception as error:
        return Outcome(error=error)


def _same(value: Any) -> Any:
    return value


def _large() -> Any:
    """Dask does not warn of tasks that hold much: each is sent once."""
    import dask

    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"})


class Bytes:
    """Draws that travel as bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content


class Lacking(Exception):
    """A worker cannot read the file of the draws."""


def _threads() -> int:
    """Threads of this worker: those that Dask has given it."""
    try:
        from distributed import get_worker

        return int(get_worker().state.nthreads)
    except (ImportError, ValueError, AttributeError):
        return 1


def _answer(key: int, draws: Bytes | str, job: bytes, threads: int | None) -> bytes:
    """Runs on a worker: answers a job about draws that came along, or that are in a file."""
    if not _core.knows_draws(key):
        if isinstance(draws, str):
            try:
                with open(draws, "rb") as file:
                    content = file.read()
            except OSError as error:
                raise Lacking(str(error)) from None
        else:
            content = draws.content
        _core.open_draws(key, content, threads or _threads())
    return _core.answer_job(key, job)


class Post:
    """Sends functions to an executor and waits for what they give; a lost worker costs a retry."""

    def __init__(self, executor: Any) -> None:
        self.executor = executor
        self.dask = is_dask(executor)
        self.broken = False

    @property
    def workers(self) -> int:
        """How many jobs can run at the same time."""
        if self.dask:
            return max(1, len(self.executor.nthreads()))
        return int(getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1)

    def submit(self, place: int | None, function: Callable[..., Any], *arguments: Any) -> Any:
        """A future, near the worker of this place if there is one; None when the executor takes no more work."""
        if self.broken:
            return None
        try:
            if not self.dask:
                return self.executor.submit(_tried, function, *arguments)
            # The same pieces go to the same worker, which has kept what it made of them.
            near = {} if place is None else self._near(place)
            with _large():
                return self.executor.submit(_tried, function, *arguments, pure=False, **near)
        except (concurrent.futures.BrokenExecutor, RuntimeError) as error:
            self.give_up(error)
            return None

    def hold(self, value: Any) -> Any:
        """What stays on the workers that need it, for Dask; others get it as it is. It is a task, and no scattered data: those are gone with their worker."""
        if not self.dask or self.broken:
            return value
        with _large():
            return self.executor.submit(_same, value, pure=False)

    def make(self, place: int, function: Callable[..., Any], delayed: Any, *arguments: Any) -> Any:
        """What a function makes of what Dask computes, near the worker of this place, where it stays."""
        return self.executor.submit(function, self.executor.compute(delayed), *arguments, pure=False, **self._near(place))

    def _near(self, place: int) -> dict[str, Any]:
        addresses = sorted(self.executor.nthreads())
        return {"workers": [addresses[place % len(addresses)]], "allow_other_workers": True} if addresses else {}

    def lost(self, held: Any) -> bool:
        """Whether what was held is gone for good."""
        return self.dask and getattr(held, "status", "finished") in ("error", "cancelled", "lost")

    def give_up(self, error: BaseException) -> None:
        """From now on all is done in this process."""
        if not self.broken:
            self.broken = True
            why = f"the executor takes no more work ({error or type(error).__name__}): the rest is computed in this process"
            warn_all([("lost-executor", why, "make a new executor for further work; do its workers have enough memory?")])


class Pending:
    """Jobs that were submitted."""

    def __init__(
        self, post: Post, calls: list[tuple[Any, ...]], renew: Callable[[int, BaseException], tuple[Any, ...]], near: bool = True
    ) -> None:
        self._post, self._calls, self._renew, self._near = post, calls, renew, near
        self._tries = [0] * len(calls)
        self._futures = [self._submit(place) for place in range(len(calls))]

    def _submit(self, place: int) -> Any:
        """A job goes to the same worker every time; or, where what it is about is held, where that is."""
        return self._post.submit(place if self._near else None, *self._calls[place])

    def poll(self, place: int, seconds: float) -> Any:
        """What a job gave; None when it is not there after so many seconds."""
        future = self._futures[place]
        if future is None:
            self._calls[place] = self._renew(place, RuntimeError())
            return self._open(_tried(*self._calls[place]), place)
        if self._post.dask:
            # To look is cheaper than to wait, and what is there has still to be fetched from its worker.
            until = time.monotonic() + seconds
            while not future.done():
                if time.monotonic() >= until:
                    return None
                time.sleep(_LOOKING)
            seconds = _FETCHING
        try:
            outcome = future.result(timeout=seconds)
        except _Late as error:
            if not future.done() or getattr(future, "status", None) == "finished":
                return None
            return self._again(place, error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # CancelledError is none of Exception's
            return self._again(place, error)
        return self._open(outcome, place)

    def _open(self, outcome: Outcome, place: int) -> Any:
        if outcome.error is None:
            self._futures[place] = _Done(outcome)
            return outcome.value
        if isinstance(outcome.error, Lacking):
            return self._again(place, outcome.error)
        raise outcome.error

    def _again(self, place: int, error: BaseException) -> None:
        self._tries[place] += 1
        if self._tries[place] >= _MOST_TRIES:
            raise RuntimeError(f"a job was lost {_MOST_TRIES} times, the last time by {error!r}\nhint: do the workers have enough memory?") from error
        if isinstance(error, concurrent.futures.BrokenExecutor):
            self._post.give_up(error)
        elif self._tries[place] > 1:
            time.sleep(min(0.05 * self._tries[place], 0.5))
        self._calls[place] = self._renew(place, error)
        if self._post.broken:
            self._futures[place] = None
        else:
            self._futures[place] = self._submit(place)

    def cancel(self) -> None:
        """Nobody waits for what has not begun."""
        for future in self._futures:
            if future is not None:
                future.cancel()


class _Done:
    """A future of what is there."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def result(self, timeout: float | None = None) -> Outcome:
        return self._outcome

    def done(self) -> bool:
        return True

    def cancel(self) -> bool:
        return False


class Courier:
    """Carries jobs about draws to an executor, and answers back. Dask's workers get the draws once and keep them; others read them from a file, or with a job where they
    cannot."""

    def __init__(self, executor: Any, draws: Draws) -> None:
        self._post = Post(executor)
        self._native = draws._native
        self._parcel: tuple[int, bytes] | None = None
        self._place: Any = None
        self._threads = self._post.workers if isinstance(executor, concurrent.futures.ThreadPoolExecutor) else None
        self.most_jobs = _JOBS_PER_WORKER * self._post.workers

    def ask(self, jobs: list[bytes]) -> Pending:
        """Sends jobs; the core calls this."""
        return Pending(self._post, [self._call(job) for job in jobs], lambda place, error: self._renewed(jobs[place], error))

    def _call(self, job: bytes) -> tuple[Any, ...]:
        if self._parcel is None:
            self._parcel = _core.draws_parcel(self._native)
        key, content = self._parcel
        if self._place is None:
            self._place = self._post.hold(Bytes(content)) if self._post.dask else self._written(content)
        return _answer, key, self._place, job, self._threads

    def _renewed(self, job: bytes, error: BaseException) -> tuple[Any, ...]:
        """The job again, after an error."""
        if isinstance(error, Lacking) or self._post.broken:
            assert self._parcel is not None
            self._place = Bytes(self._parcel[1])
        elif self._post.lost(self._place):
            self._place = None
        return self._call(job)

    def _written(self, content: bytes) -> str:
        handle, path = tempfile.mkstemp(prefix="mixgist-", suffix=".draws")
        weakref.finalize(self, _remove, path)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        return path


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
