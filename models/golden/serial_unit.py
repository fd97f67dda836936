"""The serial barrier unit of a node: it works on one register a cycle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.letter_box import LetterBox
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["SerialUnit"]

MOST_STAYS = 14
"""Visits in vain, but for one, after which a turn goes on."""


class Chosen(NamedTuple):
    """What has been chosen: a message and the port it came by, or a register's own business."""

    place: int
    message: Message | None


class Hand(NamedTuple):
    """What is worked on in a cycle; ``register`` is None for a message of no group here."""

    register: int | None
    port: int
    message: Message | None


class SerialUnit(BarrierUnit):
    """The registers of one node (docs/microarchitecture.md, section 4.7).

    Parameters
    ----------
    network, rules, node, credits, released
        As of ``BarrierUnit``.

    Attributes
    ----------
    served : set of int
        Candidates that have been chosen in this round: ports, and 4 + register.
    passed : set of int
        Those that had been at the start of the last cycle, if the round went on in it.
    chosen : Chosen or None
        What is read in this cycle.
    hand : Hand or None
        What is worked on in this cycle.
    still : bool
        Whether the config port has the registers, so that nothing is chosen in this cycle.
    willing : set of int
        Registers with something to send.
    down : set of int
        Those of them that have been released since they last sent to their children, if any.
    turn, stays : int
        Whose turn it is to send if it has to wait, and how often it could not.
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
        self.served: set[int] = set()
        self.passed: set[int] = set()
        self.chosen: Chosen | None = None
        self.hand: Hand | None = None
        self.still = False
        self.willing: set[int] = set()
        self.down: set[int] = set()
        self.turn = self.stays = 0

    def has_news(self) -> bool:
        """Return whether there is something to do besides taking messages."""
        busy = self.still or self.chosen is not None or self.hand is not None
        return busy or bool(self.served or self.waiting or self.willing)

    def arrive(self, r: int, data: int) -> None:
        """Take an accepted arrive; it shows from the next cycle on."""
        register = self.registers[r]
        register.done, register.waiting, register.kept = False, True, data & self.mask
        self.waiting.add(r)

    def absorb(
        self, here: Mapping[int, Message], sent_up: int | None, for_spill: dict[int, Message]
    ) -> list[int]:
        """Choose, read what was chosen in the last cycle, and work on what was read in it.

        ``LetterBox.offers`` is to be called before, in every cycle. What is sent in this cycle and
        a spill engine do not matter here.

        Returns
        -------
        list of int
            The port whose message has been chosen, if any.
        """
        hand, self.hand = self.hand, self._read()
        holds = self.turn in self.willing
        self.passed = set(self.served)
        self.chosen = None if self.still else self._choose(here, holds)
        in_vain, waits = False, bool(self.willing)
        if hand is not None:
            in_vain = not self._work(hand, holds) and hand.register == self.turn
        if waits:
            self._pass_turn(holds, in_vain)
        return [] if self.chosen is None or self.chosen.message is None else [self.chosen.place]

    def _read(self) -> Hand | None:
        """Return what was chosen, with the register it is for."""
        if self.chosen is None:
            return None
        place, message = self.chosen
        register = place - 4 if message is None else self.register_of(message.gid)
        return Hand(register, place, message)

    def _choose(self, here: Mapping[int, Message], holds: bool) -> Chosen | None:
        registers = self.waiting | ({self.turn} if holds else set())
        candidates = (here.keys() | {4 + r for r in registers}) - self.served
        if not candidates:
            self.served.clear()
            self.passed.clear()
            return None
        first = min(candidates)
        self.served.add(first)
        return Chosen(first, here.get(first))

    def _pass_turn(self, holds: bool, in_vain: bool) -> None:
        """Let the turn go on, unless who has it waits, and not too long."""
        if holds and self.stays < MOST_STAYS:
            self.stays += in_vain
        else:
            self.turn, self.stays = (self.turn + 1) % len(self.registers), 0

    def _work(self, hand: Hand, holds: bool) -> bool:
        """Do what is at hand; return whether the register has nothing left to send."""
        r, message = hand.register, hand.message
        if r is None:
            self.count(Counter.STRAY)
            return True
        register = self.registers[r]
        if message is None:
            self._enter(r, register)
        elif not register.uses(message, hand.port, PARENT in register.pending):
            self.count(Counter.STRAY)
        elif self._joins(r, message):
            register.count_in(hand.port, message.data)
        else:
            self._finish(r, message.data)
        self._fire(r)
        return (not holds or r == self.turn) and self._send(r, register)

    def _enter(self, r: int, register: BarrierRegister) -> None:
        """Let the node's own process in, if it waits."""
        if register.waiting:
            register.waiting, register.local = False, True
            register.merge(register.kept)
            self.waiting.discard(r)

    def _send(self, r: int, register: BarrierRegister) -> bool:
        """Put what the register has for its children, else for its parent, into letters.

        Return whether that was possible.
        """
        down = r in self.down
        places = register.pending - {PARENT} if down else register.pending
        if not self.letters.post(register, places):
            return False
        register.pending -= places
        self.down.discard(r)
        if not register.pending:
            self.willing.discard(r)
        return True

    def _finish(self, r: int, result: int) -> None:
        super()._finish(r, result)
        self.down.add(r)
        self.willing.add(r)

    def _will_send(self, r: int) -> None:
        self.willing.add(r)
