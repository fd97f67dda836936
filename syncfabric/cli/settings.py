"""Values by name on the command line: ``--set t_rm=60``."""

import math
from collections.abc import Iterable

from syncfabric.models.errors import SpecError

__all__ = ["keys", "number", "settings"]


def settings(texts: Iterable[str], option: str) -> dict[str, int | float]:
    """Return the numbers that ``NAME=VALUE`` texts give; those written whole are whole.

    Raises
    ------
    SpecError
        A text is not of this form, its value is no number, or a name comes twice.
    """
    pairs = _pairs(texts, option, "t_rm=60")
    return {name: number(value, f"{option} {name}") for name, value in pairs.items()}


def keys(texts: Iterable[str], option: str) -> dict[str, object]:
    """Return the keys of a network file that ``NAME=VALUE`` texts give.

    A value is a whole number, ``true`` or ``false``, or else a word.

    Raises
    ------
    SpecError
        A text is not of this form, or a name comes twice.
    """
    pairs = _pairs(texts, option, "data_bits=8")
    return {name: _value(text) for name, text in pairs.items()}


def _value(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isascii() and text.isdigit() else text


def _pairs(texts: Iterable[str], option: str, example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not name or not sign:
            raise SpecError(f'{option}: it must be NAME=VALUE, as {example}, not "{text}"')
        if name in found:
            raise SpecError(f"{option}: {name} is given twice; leave one out")
        found[name] = value
    return found


def number(text: str, what: str) -> int | float:
    """Return the number that a text is.

    Raises
    ------
    SpecError
        It is none, or not finite.
    """
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    raise SpecError(f'{what}: it must be a number, not "{text}"')
