"""Data frames of answers."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from ._words import FrameLibrary


def frame(library: FrameLibrary | None, rows: Sequence[Mapping[str, Any]]) -> Any:
    """A data frame of these rows; what a row lacks is missing there."""
    names = dict.fromkeys(name for row in rows for name in row)
    return columns_frame(library, {name: [row.get(name) for row in rows] for name in names})


def columns_frame(library: FrameLibrary | None, columns: Mapping[str, Any]) -> Any:
    """A data frame of columns of equal length, of this library; without one of pandas, or of polars where there is no pandas."""
    if library not in (None, "pandas", "polars"):
        raise ValueError(f"library is {library!r}, expected 'pandas', 'polars' or None")
    wanted = ["pandas", "polars"] if library is None else [library]
    for name in wanted:
        try:
            made = importlib.import_module(name)
        except ImportError:
            continue
        return made.DataFrame(dict(columns))
    raise ImportError(f"a data frame needs {' or '.join(wanted)}\nhint: pip install {wanted[0]}")
