"""What limits the trust in an answer, as Python warnings."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class MixgistWarning(UserWarning):
    """Something that limits how far an answer can be trusted.

    Attributes
    ----------
    name : str
        Short name, such as ``"too-few-slices"``.
    message : str
        What is the matter.
    advice : str
        What helps.
    """

    def __init__(self, name: str, message: str, advice: str) -> None:
        super().__init__(name, message, advice)
        self.name = name
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.advice}"


# Warnings that were said already and need not be said again.
_said: ContextVar[frozenset[str]] = ContextVar("_said", default=frozenset())


@contextmanager
def without(names: Iterable[str]) -> Iterator[None]:
    """Leaves out warnings of these names."""
    token = _said.set(_said.get() | frozenset(names))
    try:
        yield
    finally:
        _said.reset(token)


def warn_all(found: list[tuple[str, str, str]]) -> None:
    """Warns of each at the line of the user's program that called mixgist."""
    level = _outside()
    for name, message, advice in found:
        if name in _said.get():
            continue
        warnings.warn(MixgistWarning(name, message, advice), stacklevel=level)


def _outside() -> int:
    """The stack level, counted from `warn_all`, of the nearest caller that is not a part of the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    return level
