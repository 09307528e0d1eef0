"""Data frames of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A data frame of these rows: of pandas, or of polars where there is no pandas."""
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError as error:
            raise ImportError("to_frame needs pandas or polars\nhint: pip install pandas") from error
        return polars.DataFrame([dict(row) for row in rows])
    return pandas.DataFrame(list(rows))


def columns_frame(columns: Mapping[str, Any]) -> Any:
    """The same of columns of equal length."""
    return frame([dict(zip(columns, row)) for row in zip(*columns.values())])
