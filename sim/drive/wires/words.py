"""What links of barrier wires show, cycle by cycle, and what a word says of a slot."""

from __future__ import annotations

from collections import deque

from syncfabric.models.networks.wires import WirePlane

__all__ = ["WordParts", "Words"]

KEPT = 12
"""Changes of a link that are remembered: P + 3 cycles at least."""


class WordParts:
    """Reads the word of a link.

    Parameters
    ----------
    plane : WirePlane
    """

    def __init__(self, plane: WirePlane) -> None:
        offsets, self._bits = plane.link.offsets, plane.data_bits
        self._data = (1 << plane.data_bits) - 1
        self._up = (offsets["up"], offsets.get("up_data", 0))
        self._down = (
            (offsets["down"], offsets.get("down_data", 0)) if "down" in offsets else self._up
        )
        self.slots = (1 << plane.slots) - 1

    def up(self, word: int, slot: int) -> int | None:
        """Return the data that come with `up`; None where it is 0."""
        return self._read(self._up, word, slot)

    def down(self, word: int, slot: int) -> int | None:
        """Return the data that come with the pulse to a child; None without one."""
        return self._read(self._down, word, slot)

    def ups(self, word: int) -> int:
        """Return `up` of all slots."""
        return word >> self._up[0] & self.slots

    def downs(self, word: int) -> int:
        """Return the pulses of all slots."""
        return word >> self._down[0] & self.slots

    def mask(self, slots: int) -> int:
        """Return all wires of some slots, given as bits."""
        total = 0
        for wires, data in {self._up, self._down}:
            total |= slots << wires
            for slot in range(slots.bit_length()):
                if slots >> slot & 1:
                    total |= self._data << data + slot * self._bits
        return total

    def _read(self, places: tuple[int, int], word: int, slot: int) -> int | None:
        if not word >> places[0] + slot & 1:
            return None
        return word >> places[1] + slot * self._bits & self._data


class Words:
    """Remembers what links showed in the last cycles."""

    def __init__(self) -> None:
        self._past: dict[int, deque[tuple[int, int]]] = {}

    def note(self, cycle: int, link: int, word: int) -> None:
        """Take in that a link shows another word from a cycle on."""
        self._past.setdefault(link, deque(maxlen=KEPT)).append((cycle, word))

    def at(self, link: int, cycle: int) -> int:
        """Return what a link showed in a cycle, one of the last few."""
        for since, word in reversed(self._past.get(link, ())):
            if since <= cycle:
                return word
        return 0
