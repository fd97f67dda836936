"""Links that software has closed (docs/microarchitecture-faults.md, F7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

__all__ = ["Fences", "PortLinks"]

PortLinks: TypeAlias = Callable[[int], Sequence[tuple[int | None, int | None]]]
"""Returns the links away from a place and towards it, by port; None: there is none with guards."""


class Fences:
    """The fence words of all places.

    Parameters
    ----------
    port_links : PortLinks
    awake : set of int
        Links that are looked at in the coming cycle; those that are closed anew are added.

    Attributes
    ----------
    away, towards : set of int
        Links whose sender's, and whose receiver's, guard is fenced in this cycle.
    """

    def __init__(self, port_links: PortLinks, awake: set[int]) -> None:
        self._port_links, self._awake = port_links, awake
        self._words: dict[int, int] = {}
        self._written: dict[int, int] = {}
        self.away: set[int] = set()
        self.towards: set[int] = set()

    def access(self, place: int, write: int | None) -> int:
        """Return a place's word, or write what holds from the next cycle on."""
        if write is not None:
            self._written[place] = write & (1 << len(self._port_links(place))) - 1
        return self._words.get(place, 0)

    def settle(self) -> None:
        """End a cycle."""
        for place, word in self._written.items():
            self._words[place] = word
            for port, (away, towards) in enumerate(self._port_links(place)):
                for links, link in ((self.away, away), (self.towards, towards)):
                    if link is not None and word >> port & 1:
                        links.add(link)
                        self._awake.add(link)
                    elif link is not None:
                        links.discard(link)
        self._written.clear()
