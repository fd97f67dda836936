"""Sets of nodes on the command line: ``0,3,8-11``."""

import re

from syncfabric.models.errors import SpecError

__all__ = ["node_list"]

MOST = 100_000
"""Nodes in a list; a number mistyped must not fill the memory."""


def node_list(text: str | None, option: str) -> list[int] | None:
    """Return the nodes that a text names, with ranges written out; None for none.

    Raises
    ------
    SpecError
        It is no such list.
    """
    if text is None:
        return None
    found: list[int] = []
    for word in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", word)
        if match is None:
            raise SpecError(
                f'{option}: "{word.strip()}" is no node; give numbers and ranges, as 0,3,8-11'
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + MOST:
            raise SpecError(f"{option}: range {first}-{last} is empty or too long")
        found += range(first, last + 1)
    return found
