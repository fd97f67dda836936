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
    """

    def __init__(self, credits: list[int]) -> None:
        super().__init__([SendRegister() for _ in range(4)], credits, spill=False)
        self.full: frozenset[int] = frozenset()

    def offers(self) -> dict[int, Offer]:
        """Return all letters that have a credit, by output."""
        self.full = frozenset(self.sending)
        found: dict[int, Offer] = {}
        for output in sorted(self.full):
            found |= self._offered(output)
        return found

    def post(self, register: BarrierRegister, places: Collection[int]) -> bool:
        """Put a register's messages into the letters of their outputs, all of them or none.

        Parameters
        ----------
        register : BarrierRegister
            The sender.
        places : collection of int
            Which of its messages; one to a parent that is here goes nowhere.

        Returns
        -------
        bool
            Whether all these letters were empty at the start of the cycle.
        """
        ways = {
            place: letter.port
            for place in places
            if (letter := register.letters[place]) is not None
        }
        if not self.full.isdisjoint(ways.values()):
            return False
        for place, output in ways.items():
            sender = self.senders[output]
            assert isinstance(sender, SendRegister)
            sender.gid, sender.epoch = register.gid, register.epoch
            sender.data = register.data_for(place)
            sender.letters, sender.pending = list(register.letters), {place}
            self.sending.add(output)
        return True
