"""The letters of a serial barrier unit: one for each output, each on its way by itself."""

from __future__ import annotations

from collections.abc import Collection

from syncfabric.models.golden.barrier_register import BarrierRegister
from syncfabric.models.golden.outbox import Offer, Outbox
from syncfabric.models.golden.spill_parts import SendRegister

__all__ = ["LetterBox"]


class LetterBox(Outbox):
    """Four letters, full or empty (docs/microarchitecture.md, section 4.7).

    A letter is the sender of its output's number.

    Parameters
    ----------
    credits : list of int, by lane
        The credit counters of the mesh.

    Attributes
    ----------
    full : frozenset of int
        The outputs whose letters were not empty at the start of the cycle in which ``offers`` was
        last called.
    kept : list of (int or None), by output
        The register that is to fill a letter next, if one has found it full.
    """

    def __init__(self, credits: list[int]) -> None:
        super().__init__([SendRegister() for _ in range(4)], credits, spill=False)
        self.full: frozenset[int] = frozenset()
        self.kept: list[int | None] = [None] * 4

    def offers(self) -> dict[int, Offer]:
        """Return all letters that have a credit, by output."""
        self.full = frozenset(self.sending)
        found: dict[int, Offer] = {}
        for output in sorted(self.full):
            found |= self._offered(output)
        return found

    def post(self, r: int, register: BarrierRegister, places: Collection[int]) -> set[int]:
        """Put a register's messages into the letters of their outputs, where these are empty.

        Parameters
        ----------
        r : int
            Number of the register.
        register : BarrierRegister
            The sender.
        places : collection of int
            Which of its messages; one to a parent that is here goes nowhere.

        Returns
        -------
        set of int
            Those that are done with.
        """
        done = set()
        for place in places:
            letter = register.letters[place]
            if letter is None or self._fill(r, register, place, letter.port):
                done.add(place)
        return done

    def _fill(self, r: int, register: BarrierRegister, place: int, output: int) -> bool:
        """Fill a letter, or see that it is kept for somebody; return whether it is filled."""
        keeper = self.kept[output]
        if output in self.full:
            self.kept[output] = r if keeper is None else keeper
            return False
        if keeper not in (None, r):
            return False
        self.kept[output] = None
        sender = self.senders[output]
        assert isinstance(sender, SendRegister)
        sender.gid, sender.epoch = register.gid, register.epoch
        sender.data = register.data_for(place)
        sender.letters, sender.pending = list(register.letters), {place}
        self.sending.add(output)
        return True
