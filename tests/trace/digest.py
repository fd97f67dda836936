"""Digests of texts: enough to see that a text has changed, and where first."""

from __future__ import annotations

import hashlib
from itertools import zip_longest
from typing import NamedTuple

WHOLE, CHUNK = 24, 4
"""Hexadecimal digits of the digest of a whole text, and of a chunk."""


class Digest(NamedTuple):
    """A text's digest.

    Parameters
    ----------
    whole : str
        Of all lines.
    size : int
        Lines of a chunk.
    chunks : str
        Of each chunk, one after the other.
    """

    whole: str
    size: int
    chunks: str

    @classmethod
    def of(cls, text: str, size: int) -> Digest:
        """Return the digest of a text."""
        lines = text.splitlines()
        parts = (lines[first : first + size] for first in range(0, len(lines), size))
        return cls(_sha(lines)[:WHOLE], size, "".join(_sha(part)[:CHUNK] for part in parts))

    @classmethod
    def read(cls, line: str) -> Digest:
        """Read what ``str`` wrote."""
        whole, size, chunks = line.split(" ")
        return cls(whole, int(size), chunks)

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def differs(self, text: str) -> int | None:
        """Return the first line, from 1, of the first chunk in which a text differs, or None."""
        new = Digest.of(text, self.size)
        if new.whole == self.whole:
            return None
        ours, theirs = (
            [chunks[first : first + CHUNK] for first in range(0, len(chunks), CHUNK)]
            for chunks in (self.chunks, new.chunks)
        )
        pairs = enumerate(zip_longest(ours, theirs))
        return next((number for number, (a, b) in pairs if a != b), 0) * self.size + 1


def _sha(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
