"""Numbers by name on the command line: ``--set t_rm=60``."""

import math
from collections.abc import Iterable

from syncfabric.models.errors import SpecError

__all__ = ["number", "settings"]


def settings(texts: Iterable[str], option: str) -> dict[str, int | float]:
    """Return the numbers that ``NAME=VALUE`` texts give; those written whole are whole.

    Raises
    ------
    SpecError
        A text is not of this form, its value is no number, or a name comes twice.
    """
    found: dict[str, int | float] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not name or not sign:
            raise SpecError(f'{option}: it must be NAME=VALUE, as t_rm=60, not "{text}"')
        if name in found:
            raise SpecError(f"{option}: {name} is given twice; leave one out")
        found[name] = number(value, f"{option} {name}")
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
