"""What every answer has: the document that the command line prints for the same question, and what there is to say about it."""

from __future__ import annotations

import json
import weakref
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, ClassVar, TypeVar

from . import _core
from ._checks import flag, path as path_of
from ._draws import Path

T = TypeVar("T")
A = TypeVar("A", bound="Answer")


class Document:
    """A result as a document."""

    _text: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values: what the command line prints with ``--json``, but for the files that it read."""
        document: dict[str, Any] = json.loads(self._text)
        return document

    def write(self, path: Path, *, force: bool = False) -> None:
        """Writes the answer as JSON, whole or not at all; `force` replaces a file that exists."""
        _core.write_document(path_of("path", path), self._text, flag("force", force))

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


class Answer(Document):
    """An answer of the posterior: ``print`` shows what there is to say about it, a notebook shows it as a table."""

    # The name of its function.
    _kind: ClassVar[str]
    _plain: str
    _html: str
    # The posterior that was asked, while it is there; unknown for an answer that was read.
    _asked: weakref.ref[_core.Posterior] | None = None

    @classmethod
    def _of(cls: type[A], native: _core.Answer) -> A:
        """The answer as an object."""
        document, said = json.loads(native.text), json.loads(native.said) or {}
        told = {"_text": native.text, "_plain": native.plain, "_html": native.html}
        return cls(**cls._fields(document, said), **told)

    @classmethod
    def _fields(cls, document: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
        """The attributes, from the document and from what it holds in neutral words or not at all."""
        raise NotImplementedError

    @classmethod
    def read(cls: type[A], path: Path) -> A:
        """Reads an answer that `write` or the command line wrote."""
        return cls._of(_core.Answer.read(cls._kind, path_of("path", path)))

    @property
    def settings(self) -> dict[str, Any]:
        """How it was computed: distance, order, slices, units and the rest."""
        settings: dict[str, Any] = self.to_dict()["settings"]
        return settings

    def __str__(self) -> str:
        return self._plain

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_asked"}  # a copy elsewhere has no draws

    def _repr_html_(self) -> str:
        posterior = None if self._asked is None else self._asked()
        return with_picture(self._html, None if posterior is None else posterior.picture(self._kind, self._text))


def fields(kind: type[T], document: Mapping[str, Any], **others: Any) -> T:
    """An object of that kind from the entries of a document that it has, None where there is no such entry; `others` replace entries."""
    names = getattr(kind, "_fields", None) or getattr(kind, "__dataclass_fields__")
    return kind(**{name: others[name] if name in others else document.get(name) for name in names})


def html(title: str, sentences: Sequence[str], header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title, a few sentences and a small table, for a notebook."""
    text = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div><strong>{escape(title)}</strong>{text}<table><tr>{head}</tr>{body}</table></div>"


def with_picture(page: str, svg: str | None) -> str:
    """A result for a notebook with its main figure, when it has one."""
    return page if svg is None else f'<div>{page}<div style="max-width: 60em">{svg}</div></div>'


def plural(number: int, word: str) -> str:
    """3 draws, 1 draw."""
    return f"{number} {word}{'' if number == 1 else 's'}"
