"""The wires of a directed link as one word (docs/microarchitecture-wires.md, W1)."""

from __future__ import annotations

from functools import lru_cache

from syncfabric.models.networks.wires import WirePlane

__all__ = ["WireFormat"]


class WireFormat:
    """Where each wire stands in a word: `up` of all slots, `down`, their data, then parity.

    With shared wires there are no `down` and `down_data`: they stand where `up` and `up_data` do.

    Parameters
    ----------
    plane : WirePlane

    Attributes
    ----------
    slots, data_bits : int
        Of the plane.
    slot_mask, data_mask : int
        All slots, a bit each; the data of all slots, low slot first.
    down_at, up_data_at, down_data_at : int
        Lowest bit of each run.
    width : int
        Bits without the parity, whose bit comes next.
    """

    def __init__(self, plane: WirePlane) -> None:
        slots, bits = self.slots, self.data_bits = plane.slots, plane.data_bits
        self.slot_mask = (1 << slots) - 1
        self.data_mask = (1 << slots * bits) - 1
        self.shared, self.parity = plane.shared, plane.parity
        self.down_at = 0 if plane.shared else slots
        self.up_data_at = self.down_at + slots
        self.down_data_at = self.up_data_at + (0 if plane.shared else slots * bits)
        self.width = self.down_data_at + slots * bits
        self._datum = (1 << bits) - 1
        data = (1 << self.width) - (1 << self.up_data_at)
        self._bare = ~data  # all wires but those of data
        self.spread = lru_cache(maxsize=4096)(self._spread)

    def up(self, slot: int) -> int:
        """Return the place of a slot's `up`."""
        return slot

    def down(self, slot: int) -> int:
        """Return the place of a slot's `down`."""
        return self.down_at + slot

    def seal(self, word: int) -> int:
        """Return a word with its parity."""
        return word | (word.bit_count() & 1) << self.width if self.parity else word

    def heard(self, kids: int, parents: int) -> int:
        """Return the wires that matter where these slots have a kid, or their parent."""
        if self.parity:
            return -bool(kids | parents)  # all or none
        wires = kids | parents << self.down_at
        data = self.spread(kids) << self.up_data_at | self.spread(parents) << self.down_data_at
        return wires | data

    def mask(self, word: int) -> int:
        """Return a word as it is shown (W7): data of a wire that is 0 count as 0."""
        if not self.data_bits:
            return word
        shown = self.spread(word & self.slot_mask) << self.up_data_at
        if not self.shared:
            shown |= self.spread(word >> self.down_at & self.slot_mask) << self.down_data_at
        return word & (shown | self._bare)

    def _spread(self, slots: int) -> int:
        """Return the data bits of the slots whose bit is set; kept, as ``spread``."""
        mask, at = 0, 0
        while slots:
            if slots & 1:
                mask |= self._datum << at
            slots >>= 1
            at += self.data_bits
        return mask
