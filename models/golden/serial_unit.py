"""The serial barrier unit of a node: it works on one register a cycle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from syncfabric.models.golden.barrier_register import PARENT
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.letter_box import LetterBox
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["SerialUnit"]


class Hand(NamedTuple):
    """What is worked on in a cycle: a message and its port, or a register's own business.

    ``register`` is None for a message of no group here; ``enters`` tells that the process's own
    arrival is to be combined.
    """

    register: int | None
    message: Message | None = None
    port: int = 0
    enters: bool = False


class SerialUnit(BarrierUnit):
    """The registers of one node (docs/microarchitecture.md, section 4.7).

    Parameters
    ----------
    network, rules, node, credits, released
        As of ``BarrierUnit``.

    Attributes
    ----------
    hand : Hand or None
        What was chosen in the last cycle.
    still : bool
        Whether the config port has the registers, so that nothing is chosen in this cycle.
    willing : set of int
        Registers with something pending.
    """

    def __init__(
        self,
        network: MeshSpec,
        rules: Rules,
        node: int,
        credits: list[int],
        released: list[tuple[int, int, int]],
    ) -> None:
        super().__init__(network, rules, node, credits, released)
        self.outbox = self.letters = LetterBox(credits)
        self.hand: Hand | None = None
        self.still = False
        self.willing: set[int] = set()

    def has_news(self) -> bool:
        """Return whether there is something to do besides taking messages."""
        return self.hand is not None or bool(self.waiting or self.willing)

    def absorb(
        self, here: Mapping[int, Message], sent_up: int | None, for_spill: dict[int, Message]
    ) -> list[int]:
        """Choose what is at hand in the next cycle, and work on what is in this one.

        ``LetterBox.offers`` is to be called before, in every cycle. What is sent in this cycle and
        a spill engine do not matter here.

        Returns
        -------
        list of int
            The port whose message has been chosen, if any.
        """
        hand, self.hand = self.hand, None
        candidates = here.keys() | {4 + r for r in self.waiting | self.willing}
        assert self.serial is not None
        chosen = self.serial.choose(candidates) if candidates and not self.still else None
        if hand is not None:
            self._work(hand)
        if chosen is None:
            return []
        if chosen < 4:
            message = here[chosen]
            self.hand = Hand(self.register_of(message.gid), message, chosen)
            return [chosen]
        self.hand = Hand(chosen - 4, enters=self._enters(chosen - 4))
        return []

    def _enters(self, r: int) -> bool:
        """Let the node's own process in, if it waits; return whether it does."""
        if r not in self.waiting:
            return False
        register = self.registers[r]
        register.waiting, register.local = False, True
        self.waiting.discard(r)
        return True

    def _work(self, hand: Hand) -> None:
        r, message = hand.register, hand.message
        if r is None:
            self.count(Counter.STRAY)
            return
        register = self.registers[r]
        if message is not None:
            if not register.uses(message, hand.port, PARENT in register.pending):
                self.count(Counter.STRAY)
            elif self._joins(r, message):
                register.count_in(hand.port, message.data)
            else:
                self._finish(r, message.data)
        elif hand.enters:
            register.merge(register.kept)
        self._fire(r)
        self._send(r)

    def _send(self, r: int) -> None:
        """Put into letters what the register has for its children, else for its parent."""
        register = self.registers[r]
        places = register.pending - {PARENT} or register.pending
        register.pending -= self.letters.post(r, register, places)
        if not register.pending:
            self.willing.discard(r)

    def _will_send(self, r: int) -> None:
        self.willing.add(r)
