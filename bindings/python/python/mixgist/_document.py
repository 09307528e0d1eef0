"""What every answer of the posterior functions has: the document that the command line prints for the same question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from . import _core
from ._checks import flag, path as path_of
from ._draws import Path


class Document:
    """An answer as a document."""

    _text: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values: what the command line prints with ``--json``."""
        document: dict[str, Any] = json.loads(self._text)
        return document

    def write(self, path: Path, *, force: bool = False) -> None:
        """Writes the answer as JSON, whole or not at all; `force` replaces a file that exists."""
        _core.write_document(path_of("path", path), self._text, flag("force", force))

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


def html(title: str, sentences: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title, a few sentences and a small table, for a notebook."""
    text = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div><strong>{escape(title)}</strong>{text}<table><tr>{head}</tr>{body}</table></div>"


def plural(number: int, word: str) -> str:
    """3 draws, 1 draw."""
    return f"{number} {word}{'' if number == 1 else 's'}"
