"""Progress of a long call: tqdm where it is installed, a line of text where it is not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable, Union

Report = Callable[[str, int, int, str], None]
ProgressOption = Union[bool, Report]


@contextmanager
def reporter(progress: ProgressOption) -> Iterator[Report | None]:
    """The function that the core calls some twenty times a second, as `progress` says."""
    if progress is False or progress is None:
        yield None
    elif callable(progress):
        yield progress
    elif progress is not True:
        raise TypeError(f"progress is {progress!r}, expected True, False or a function of (phase, done, total, remark)")
    else:
        bar: _Bar | _Line
        try:
            from tqdm.auto import tqdm
        except ImportError:
            bar = _Line()
        else:
            bar = _Bar(tqdm)
        try:
            yield bar.report
        finally:
            bar.close()


class _Bar:
    """A tqdm bar for each phase."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._phase = ("", 0)

    def report(self, phase: str, done: int, total: int, remark: str) -> None:
        if not phase:
            return
        if self._bar is None or self._phase != (phase, total):
            self.close()
            self._phase = (phase, total)
            self._bar = self._tqdm(total=total, desc=phase, leave=False)
        if remark:
            self._bar.set_postfix_str(remark, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """One line on standard error that is written over and over."""

    _WIDTH = 30

    def __init__(self) -> None:
        self._length = 0

    def report(self, phase: str, done: int, total: int, remark: str) -> None:
        if not phase:
            return
        share = done / total if total else 0.0
        bar = "#" * round(share * self._WIDTH)
        self._show(f"{phase:26} |{bar:{self._WIDTH}}| {done}/{total} {remark}".rstrip())

    def _show(self, text: str) -> None:
        sys.stderr.write("\r" + text + " " * (self._length - len(text)))
        sys.stderr.flush()
        self._length = len(text)

    def close(self) -> None:
        if self._length:
            self._show("")
            sys.stderr.write("\r")
            self._length = 0
