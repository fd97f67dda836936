"""What the links of barrier wires carry, as compared (docs/microarchitecture-wires.md, W5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.golden.wire_format import WireFormat
from syncfabric.models.golden.wire_wiring import WireWiring

__all__ = ["Shown", "WireRecord"]


class WireRecord(NamedTuple):
    """What section W5 compares in one cycle; links are numbered as in ``WireWiring``.

    Attributes
    ----------
    up, down : int
        Bit ``link * slots + slot``, as driven. With shared wires `down` is 0.
    parity : int
        Bit ``link``.
    up_data, down_data : int
        Data of a wire that is 1, from bit ``(link * slots + slot) * data_bits``; else 0.
    release : int
        Bit ``node * slots + slot`` for every slot that is released.
    results : tuple of int
        The result of each, in ascending order of the bits.
    """

    up: int
    down: int
    parity: int
    up_data: int
    down_data: int
    release: int = 0
    results: tuple[int, ...] = ()


class Shown:
    """Keeps what all links are driven with, and sums it up when it has changed.

    Parameters
    ----------
    wiring : WireWiring
    form : WireFormat

    Attributes
    ----------
    driven : list of int, by link
        The word that it is driven with.
    """

    def __init__(self, wiring: WireWiring, form: WireFormat) -> None:
        self._wiring, self._form = wiring, form
        self.driven = [0] * len(wiring.ends)
        self._sums = [0] * 5
        self._wires: WireRecord | None = None
        self._old = False

    def drive(self, link: int, word: int) -> None:
        """Drive a link with another word than before."""
        if self._wiring.ends[link] is not None:
            new = self._parts(word)
            slots, bits = self._form.slots, self._form.data_bits
            shift = link * slots
            shifts = shift, shift, link, shift * bits, shift * bits
            # What a link has in a sum is its own, so exchanging it is an exclusive or.
            for place, old in enumerate(self._parts(self.driven[link])):
                if old != new[place]:
                    self._sums[place] ^= (old ^ new[place]) << shifts[place]
                    self._old = True
        self.driven[link] = word

    def wires(self) -> WireRecord | None:
        """Return what is on the wires, None if that is nothing; the same as long as it is."""
        if self._old:
            self._wires = WireRecord._make([*self._sums, 0, ()]) if any(self._sums) else None
            self._old = False
        return self._wires

    def released(self, release: Sequence[tuple[int, int, int]], first: int) -> WireRecord:
        """Return what is on the wires, and these releases, rising."""
        slots = self._form.slots
        bits = sum(1 << node * slots + register - first for node, register, _ in release)
        results = tuple(result for _, _, result in release)
        return WireRecord._make([*self._sums, bits, results])

    def _parts(self, word: int) -> tuple[int, int, int, int, int]:
        form = self._form
        up, down = word & form.slot_mask, 0
        up_data = word >> form.up_data_at & form.spread(up)
        down_data = 0
        if not form.shared:
            down = word >> form.down_at & form.slot_mask
            down_data = word >> form.down_data_at & form.spread(down)
        return up, down, word >> form.width, up_data, down_data
