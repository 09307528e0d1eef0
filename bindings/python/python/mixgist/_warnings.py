"""What limits the trust in an answer, as Python warnings."""

from __future__ import annotations

import warnings


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


def warn_all(found: list[tuple[str, str, str]], stacklevel: int) -> None:
    """Warns of each, as if the caller of the public function had."""
    for name, message, advice in found:
        warnings.warn(MixgistWarning(name, message, advice), stacklevel=stacklevel + 1)
