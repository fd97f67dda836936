"""The wires of a guarded link as words (docs/microarchitecture-faults.md, F1)."""

from __future__ import annotations

from typing import NamedTuple

from syncfabric.models.golden.crc import Check
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, RegisterSpec

__all__ = ["LinkForm", "Wires"]


class Wires(NamedTuple):
    """Forward wires of a link, with the check bits; ``sync`` holds a message on a shared link too.

    ``flit`` is 0 where there is none; on a shared link it holds the message.
    """

    flit: int = 0
    valid: int = 0
    sync: int = 0
    sync_valid: int = 0
    probe: int = 0
    check: int = 0
    sync_check: int = 0


class LinkForm:
    """What the links between routers carry.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        With ``check_bits``.

    Attributes
    ----------
    ordinary, classes : int
        Ordinary channels, and classes of synchronization.
    own : bool
        Whether messages have wires of their own.
    places : tuple of int
        By channel, the places that its credits are for: ordinary ones, then those of classes that
        have credits.
    """

    def __init__(self, network: RegisterSpec) -> None:
        layout = network.layout
        self.ordinary = network.link_channels
        mesh = isinstance(network, MeshSpec)
        self.own = isinstance(network, MeshSpec) and network.sync_links == "own"
        self.classes = (2 if mesh else 1) if network.has_messages else 0
        credited = not isinstance(network, IrregularSpec) or network.buffered
        slots = self.classes if credited else 0
        self.places = (network.buffer_flits,) * self.ordinary + (1,) * slots
        self.flit_bits = layout.flit.width if self.ordinary else 0
        self.sync_bits = layout.sync.width
        self.sync_mask = (1 << self.sync_bits) - 1
        shared = 0 if self.own else self.classes
        # Where the parts of the first word stand, and of the second.
        self._valid_at = self.flit_bits
        self._shared_at = self._valid_at + self.ordinary
        self._probe_at = self._shared_at + shared
        self._probes = self.ordinary if self.own else len(self.places)
        self._check_at = self._probe_at + self._probes if self.ordinary else 0
        self._sync_valid_at = self.sync_bits
        self._sync_probe_at = self.sync_bits + self.classes
        second = self._sync_probe_at + slots if self.own else 0
        bits = network.check_bits
        self._bits = bits
        self._check = Check(bits, self._check_at)
        self._sync_check = Check(bits, second)
        self._second_at = self._check_at + (bits if self.ordinary else 0)
        self._second = second
        self.width = self._second_at + (second + bits if second else 0)

    def checked(self, wires: Wires) -> Wires:
        """Return the wires with their check bits."""
        check = self._check.of(self._word(wires)) if self.ordinary else 0
        sync_check = self._sync_check.of(self._sync_word(wires)) if self._second else 0
        return wires._replace(check=check, sync_check=sync_check)

    def is_right(self, wires: Wires) -> tuple[bool, bool]:
        """Return whether the check bits are right: those of flits, and those of messages."""
        known = self.checked(wires)
        flits = known.check == wires.check
        return flits, known.sync_check == wires.sync_check if self.own else flits

    def pack(self, wires: Wires) -> int:
        """Return all forward wires as one word, in the order of ``Fault.mask``."""
        word = self._word(wires) | wires.check << self._check_at if self.ordinary else 0
        if self._second:
            second = self._sync_word(wires) | wires.sync_check << self._second
            word |= second << self._second_at
        return word

    def unpack(self, word: int) -> Wires:
        """Return the forward wires that ``pack`` has made a word of, or that a fault has."""
        flit = _cut(word, 0, self.flit_bits)
        shared = 0 if self.own else self.classes
        sync = flit & self.sync_mask if shared else 0
        sync_valid = _cut(word, self._shared_at, shared) if self.ordinary else 0
        probe = _cut(word, self._probe_at, self._probes) if self.ordinary else 0
        valid = _cut(word, self._valid_at, self.ordinary)
        check = _cut(word, self._check_at, self._bits) if self.ordinary else 0
        sync_check = 0
        if self._second:
            second = word >> self._second_at
            sync = second & self.sync_mask
            sync_valid = _cut(second, self._sync_valid_at, self.classes)
            slots = len(self.places) - self.ordinary
            probe |= _cut(second, self._sync_probe_at, slots) << self.ordinary
            sync_check = _cut(second, self._second, self._bits)
        return Wires(flit, valid, sync, sync_valid, probe, check, sync_check)

    def _word(self, wires: Wires) -> int:
        word = wires.flit | wires.valid << self._valid_at
        if self.own:
            return word | (wires.probe & (1 << self.ordinary) - 1) << self._probe_at
        word |= wires.sync | wires.sync_valid << self._shared_at
        return word | wires.probe << self._probe_at

    def _sync_word(self, wires: Wires) -> int:
        word = wires.sync | wires.sync_valid << self._sync_valid_at
        return word | wires.probe >> self.ordinary << self._sync_probe_at


def _cut(word: int, at: int, width: int) -> int:
    return word >> at & (1 << width) - 1
