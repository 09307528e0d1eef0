"""Options as users give them: each is what it may be, or the error names it and says what it may be."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, Union

import numpy as np

from . import _core


def count(name: str, value: Any, least: int = 0, otherwise: str = "", bits: int = 64) -> int:
    """A whole number that is at least `least` and has so many bits; `otherwise` says what else the option may be."""
    try:
        if isinstance(value, bool):
            raise TypeError
        whole = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer{otherwise}") from None
    if whole < least:
        raise ValueError(f"{name} is {whole}, must be at least {least}")
    if whole >= 2**bits:
        raise ValueError(f"{name} is {whole}, must be below 2**{bits}")
    return whole


def optional_count(name: str, value: Any, least: int = 0) -> int | None:
    """A whole number, or None."""
    return None if value is None else count(name, value, least, " or None")


def thread_count(threads: Any) -> int | None:
    """A number of threads, or all cores."""
    return None if threads is None else count("threads", threads, 1, ", or None for all cores")


def count_or_auto(name: str, value: Any, otherwise: str = " or 'auto'") -> str | None:
    """A whole number from 1, a word that the core knows, or None, as the core reads it."""
    return value if value is None or isinstance(value, str) else str(count(name, value, 1, otherwise))


def number(name: str, value: Any, otherwise: str = "") -> float:
    """A number; text and truth values are none."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal)):
        raise TypeError(f"{name} is {value!r}, expected a number{otherwise}")
    return float(value)


def optional_number(name: str, value: Any) -> float | None:
    """A number, or None."""
    return None if value is None else number(name, value, " or None")


def word(name: str, value: Any, kind: str | None = None, otherwise: str = "") -> str:
    """A word, which the core looks up among its own; `kind` is what they are called there, unless it is `name`."""
    if isinstance(value, str):
        return value
    known = ", ".join(map(repr, _core.CHOICES[kind or name]))
    raise TypeError(f"{name} is {value!r}, expected one of {known}{otherwise}")


Seed = Union[int, np.random.Generator, np.random.RandomState, None]


def seed_of(seed: Any, name: str = "seed") -> int:
    """A number to start from: the one that was given, one from a generator, or any."""
    if seed is None:
        seed = np.random.default_rng()
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**31))
    return count(name, seed, otherwise=", a Generator or None")


def either(name: str, value: Any, other: str, theirs: Any, usual: Any = None) -> Any:
    """The value of an option that has a second name, that of scikit-learn; one of the two at most may be given."""
    if theirs is None:
        return value
    if value != usual:
        raise ValueError(f"{other} and {name} are the same option\nhint: leave out {name}")
    return theirs


def covariance_form(value: Any) -> str:
    """The form of covariances, by the name that the core has for it."""
    known = _core.CHOICES["covariance_form"]
    aliases: Any = _core.CHOICES["covariance_form aliases"]
    form = dict(aliases).get(value, value) if isinstance(value, str) else value
    if not isinstance(form, str):
        raise TypeError(f"covariance_form is {value!r}, expected one of {', '.join(map(repr, known))}")
    if form not in known:
        raise ValueError(f"unknown covariance form {value!r}\nhint: one of: {', '.join(known)}")
    return form


def text(name: str, value: Any) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, expected text")
    return value


def texts(name: str, values: Any, otherwise: str = "") -> list[str]:
    """Several texts."""
    if isinstance(values, str) or not isinstance(values, (Sequence, np.ndarray)):
        raise TypeError(f"{name} is {values!r}, expected a sequence of text{otherwise}")
    return [text(f"an entry of {name}", value) for value in values]


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, expected True or False")
    return bool(value)


def path(name: str, value: Any) -> str:
    """The name of a file or folder."""
    try:
        place = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected a path") from None
    if "\0" in place:
        raise ValueError(f"{name} is {place!r}: no file can have such a name")
    return place


def optional_path(name: str, value: Any) -> str | None:
    """The name of a file or folder, or None."""
    return None if value is None else path(name, value)
