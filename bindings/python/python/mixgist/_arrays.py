"""What users hand over, as the contiguous arrays of 64-bit numbers that the core reads."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
NarrowIntegers = NDArray[np.integer[Any]]

# Row-major and aligned: arrays that came over a network or out of a file may not be.
_AS_CORE_READS: tuple[Literal["C", "A"], ...] = ("C", "A")


def _unmasked(name: str, values: Any) -> NDArray[Any]:
    """An array; masked entries are missing ones, what stands under the mask is no value."""
    if np.ma.is_masked(values):
        raise _missing(name, np.ma.getmaskarray(values), "masked")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} cannot be made an array: {error}") from None
    if array.dtype.kind == "O" and array.ndim == 0:
        hint = "\nhint: call its method collect" if hasattr(values, "collect") else ""
        raise TypeError(f"{name} is a {type(values).__name__}, expected an array{hint}")
    return array


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT or pandas' NA: what is missing does not equal itself."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return True


def _missing(name: str, where: NDArray[np.bool_], how: str = "missing") -> ValueError:
    """The error that names the first missing entry."""
    place = ", ".join(map(str, np.argwhere(where)[0]))
    entries = f"{int(where.sum())} {how} entr{'y' if where.sum() == 1 else 'ies'}"
    return ValueError(f"{name} has {entries}, the first at [{place}]\nhint: leave these observations or draws out")


def floats(name: str, values: Any) -> Floats:
    """A contiguous float64 array: the one that was given where it is one already."""
    array = _unmasked(name, values)
    if array.dtype.kind == "O":
        array = _numbers(name, array, values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} has dtype {array.dtype}, expected numbers")
    return np.require(array, dtype=np.float64, requirements=_AS_CORE_READS)


def _numbers(name: str, array: NDArray[Any], values: Any) -> Floats:
    """The numbers of an array of objects, as data frames with nullable columns make them; missing ones become NaN."""
    columns = columns_of(values)
    numbers = np.full(array.shape, np.nan)
    for place, value in np.ndenumerate(array):
        if isinstance(value, (Real, Decimal, np.bool_)):
            numbers[place] = float(value)
        elif not _is_missing(value):
            where = f"entry [{', '.join(map(str, place))}] of {name}"
            if columns is not None and array.ndim == 2:
                where = f"column {columns[place[1]]!r} of {name}"
            raise TypeError(f"{where} holds {value!r}, expected numbers")
    return numbers


def integers(name: str, values: Any) -> Integers:
    """A contiguous int64 array; numbers with a fraction are refused."""
    array = _unmasked(name, values)
    if array.dtype.kind == "O":
        array = _numbers(name, array, values)
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise _missing(name, np.isnan(array))
        if not np.all(np.isfinite(array) & (np.floor(array) == array)):
            raise ValueError(f"{name} has entries that are not integers")
    elif array.dtype.kind not in "iub":
        raise TypeError(f"{name} has dtype {array.dtype}, expected integers")
    return np.require(array, dtype=np.int64, requirements=_AS_CORE_READS)


def points(name: str, values: ArrayLike) -> Floats:
    """Observations (n, d); a vector is n observations in dimension 1."""
    array = floats(name, values)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}, expected (observations, dimension)")
    if array.shape[1] == 0:
        raise ValueError(f"{name} has no columns")
    return array


def columns_of(data: Any) -> list[str] | None:
    """Names of the columns of a data frame or table, or of the one that a series is; columns that are merely counted have none."""
    names = getattr(data, "column_names", None)
    if names is None:
        names = getattr(data, "columns", None)
    if names is None and type(data).__name__ == "Series" and data.name not in (None, ""):
        names = [data.name]
    if names is None or list(names) == list(range(len(names))):
        return None
    return [str(name) for name in names]


def named_points(name: str, values: Any, columns: Sequence[str] | None) -> Floats:
    """Observations whose columns, where they have names, must be those that are known, in their order."""
    array = points(name, values)
    own = columns_of(values)
    if own is not None and columns is not None and own != list(columns):
        strange = [column for column in own if column not in columns] or [column for column in columns if column not in own]
        what = f"{strange[0]!r} is in one of them alone" if strange else "the order differs"
        raise ValueError(
            f"{name} has the columns {', '.join(own)}; the fitted ones are {', '.join(columns)}: {what}\n"
            f"hint: choose them by name: {name}[{list(columns)}]"
        )
    return array


def labels(name: str, values: Any) -> Integers:
    """Labels of any kind (integers, strings) as integers."""
    array = _unmasked(name, values)
    if array.dtype.kind in "USO" and not all(isinstance(value, Integral) for value in array.flat):
        if array.dtype.kind == "O":
            missing = np.reshape([_is_missing(value) for value in array.flat], array.shape)
            if missing.any():
                raise _missing(name, missing)
        _, codes = np.unique(array.astype(str), return_inverse=True)
        array = codes.reshape(array.shape)
    return integers(name, array)


def numbers_text(values: Sequence[float]) -> str:
    """Numbers in digits that are read back to the same bits."""
    return ",".join(repr(float(value)) for value in values)
