"""The barrier unit of a node: its registers, what they take in, and what they send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from syncfabric.models.golden.barrier_register import (
    PARENT,
    BarrierRegister,
    Letter,
    Rules,
)
from syncfabric.models.golden.config_port import read_word, write_is_refused
from syncfabric.models.golden.order import RoundRobin
from syncfabric.models.golden.record import Message
from syncfabric.models.messages import (
    COUNTER_BASE,
    COUNTER_BITS,
    REGISTER_WORDS,
    STATUS,
    Counter,
    Kind,
    RegisterWord,
)
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["BarrierUnit", "Offer", "Sender"]

REDUCE = int(Kind.REDUCE)
FULL = (1 << COUNTER_BITS) - 1


class Sender(Protocol):
    """Whatever takes its turn in sending: a barrier register, or the spill engine's."""

    gid: int
    epoch: int
    pending: set[int]
    letters: list[Letter | None]

    def data_for(self, place: int) -> int:
        """Return the data of a pending message."""


class Offer(NamedTuple):
    """A pending message that the unit offers to its output in this cycle."""

    sender: int
    place: int
    letter: Letter


class BarrierUnit:
    """The registers of one node (docs/microarchitecture.md, section 4).

    Parameters
    ----------
    network : MeshSpec
        Registers, data and options.
    rules : Rules
        Shared by all registers.
    node : int
        Index of the node.
    credits : list of int, by lane
        The credit counters of the mesh.
    released : list of (node, register, result)
        What is released in the next cycle, shared by all nodes; appended to.

    Attributes
    ----------
    counters : list of int
        The four event counters.
    fresh : list of int
        Registers whose ``local`` has been set by the last edge.
    writing : int or None
        Register whose control word is being written in this cycle.
    """

    def __init__(
        self,
        network: MeshSpec,
        rules: Rules,
        node: int,
        credits: list[int],
        released: list[tuple[int, int, int]],
    ) -> None:
        count = network.barrier_registers
        self.node, self.mask, self.spills = node, rules.mask, network.spill
        self.data_at = rules.data_at
        self.data_bits = network.data_bits
        self.credits, self.released = credits, released
        self.registers = [BarrierRegister(rules, node) for _ in range(count)]
        self.senders: list[Sender] = [*self.registers]
        self.by_gid: dict[int, int] = {}
        self.counters = [0] * len(Counter)
        self.fresh: list[int] = []
        self.waiting: set[int] = set()
        self.sending: set[int] = set()
        self.writing: int | None = None
        self.control = 0
        self.turn = RoundRobin(count + network.spill)
        self.serial = RoundRobin(4 + count) if network.operations == "all" else None

    def count(self, counter: Counter) -> None:
        """Count an event, up to the counter's last value."""
        if self.counters[counter] < FULL:
            self.counters[counter] += 1

    def register_of(self, gid: int) -> int | None:
        """Return the register that a message matches, if any."""
        found = self.by_gid.get(gid)
        if found is not None and found == self.writing:
            others = range(found + 1, len(self.registers))
            matches = (r for r in others if self._holds(r, gid))
            return next(matches, None)
        return found

    def _holds(self, r: int, gid: int) -> bool:
        return self.registers[r].valid and self.registers[r].gid == gid

    # Arrivals of the node's own process (4.1).

    def accepts(self, r: int, started: bool) -> bool:
        """Return whether an arrive in this cycle is accepted; the state is the edge's before."""
        register = self.registers[r]
        ready = register.valid and started and r != self.writing
        return ready and not register.local and not register.waiting

    def arrive(self, r: int, data: int) -> None:
        """Take an accepted arrive; it shows from the next cycle on."""
        register, data = self.registers[r], data & self.mask
        register.done = False
        if self.serial is None:
            register.local = True
            register.merge(data)
            self.fresh.append(r)
        else:
            register.waiting = True
            register.kept = data
            self.waiting.add(r)

    # Messages for this node (4.2, 4.3).

    def absorb(
        self, here: Mapping[int, Message], sent_up: int | None, for_spill: dict[int, Message]
    ) -> list[int]:
        """Take the messages presented to the unit, and let registers fire.

        Parameters
        ----------
        here : mapping of port to message
            In ascending order of the ports.
        sent_up : int or None
            Register whose message to its parent leaves in this cycle: it was pending at the start.
        for_spill : dict of port to message
            Messages that no register matches, when there is a spill engine; added to.

        Returns
        -------
        list of int
            The ports whose message has been taken.
        """
        touched, self.fresh = self.fresh, []
        candidates: set[int] = set()
        chosen: int | None = None
        if self.serial is not None:
            candidates = self._serial_candidates(here, sent_up)
            if candidates:
                chosen = self.serial.choose(candidates)
                if chosen >= 4:
                    touched.append(self._merge_kept(chosen - 4))
        taken = []
        for port, message in here.items():
            r = self.register_of(message.gid)
            if r is None and self.spills:
                for_spill[port] = message
                continue
            if port in candidates and port != chosen:
                continue
            taken.append(port)
            if r is None or not (
                port == chosen
                if self.serial is not None and message.kind == REDUCE
                else self._uses(r, message, port, sent_up)
            ):
                self.count(Counter.STRAY)
            elif message.kind == REDUCE:
                self.registers[r].count_in(port, message.data)
                touched.append(r)
            else:
                self._finish(r, message.data)
        for r in touched:
            self._fire(r)
        return taken

    def _uses(self, r: int, message: Message, port: int, sent_up: int | None) -> bool:
        register = self.registers[r]
        return register.uses(message, port, PARENT in register.pending or r == sent_up)

    def _serial_candidates(self, here: Mapping[int, Message], sent_up: int | None) -> set[int]:
        """Return the inputs with a REDUCE to combine, and 4 + r for every waiting register r."""
        candidates = {4 + r for r in self.waiting}
        for port, message in here.items():
            r = self.register_of(message.gid) if message.kind == REDUCE else None
            if r is not None and self._uses(r, message, port, sent_up):
                candidates.add(port)
        return candidates

    def _merge_kept(self, r: int) -> int:
        """Combine the data of a waiting arrive; return its register."""
        register = self.registers[r]
        register.merge(register.kept)
        register.waiting, register.local = False, True
        self.waiting.discard(r)
        return r

    def _fire(self, r: int) -> None:
        register = self.registers[r]
        if not register.may_fire():
            return
        if register.root:
            self._finish(r, register.acc)
        else:
            register.fired = True
            register.pending.add(PARENT)
            self.sending.add(r)

    def _finish(self, r: int, result: int) -> None:
        register = self.registers[r]
        register.finish(result)
        self.released.append((self.node, r, result))
        if register.children:
            register.pending |= register.children
            self.sending.add(r)

    # Sending (4.4).

    def offers(self) -> dict[int, Offer]:
        """Choose whose turn it is, and return its messages that have a credit, by output.

        Should a child's message and the parent's want one output, the child's comes first.
        """
        ready: dict[int, list[int]] = {}
        for r in self.sending:
            sender = self.senders[r]
            places = [p for p in sender.pending if self._has_credit(sender.letters[p])]
            if places:
                ready[r] = places
        if not ready:
            return {}
        r = self.turn.choose(ready)
        letters = self.senders[r].letters
        offered: dict[int, Offer] = {}
        for place in sorted(ready[r]):
            letter = letters[place]
            if letter is not None and letter.port not in offered:
                offered[letter.port] = Offer(r, place, letter)
        return offered

    def _has_credit(self, letter: Letter | None) -> bool:
        return letter is not None and self.credits[letter.lane] > 0

    def sent(self, offer: Offer) -> None:
        """Cross off a message that is on its link."""
        sender = self.senders[offer.sender]
        sender.pending.discard(offer.place)
        if not sender.pending:
            self.sending.discard(offer.sender)

    # Config port (4.5) and observation (7).

    def configure(self, address: int, write: bool, data: int) -> tuple[bool, int]:
        """Obey a request for a register or a counter; return whether it is refused, and the data.

        A new control word shows after ``commit``, at the edge; other words at once, for nothing
        looks at them while the register is not valid.
        """
        if write:
            refused = not self._write(address, data)
            if refused:
                self.count(Counter.REFUSED_WRITE)
            return refused, 0
        r, word = divmod(address, REGISTER_WORDS)
        if r < len(self.registers):
            return False, read_word(self.registers[r], word)
        if 0 <= address - COUNTER_BASE < len(Counter):
            return False, self.counters[address - COUNTER_BASE]
        return True, 0

    def _write(self, address: int, data: int) -> bool:
        r, word = divmod(address, REGISTER_WORDS)
        if r >= len(self.registers):
            return False
        register = self.registers[r]
        if write_is_refused(register, word, register.is_busy()):
            return False
        if word == RegisterWord.CONTROL:
            self.writing, self.control = r, data
        else:
            register.write(word, data)
        return True

    def commit(self) -> None:
        """Let the control word that has been written in this cycle take effect."""
        if self.writing is not None:
            self.registers[self.writing].write(RegisterWord.CONTROL, self.control)
            self.writing = None
            self.by_gid = {
                register.gid: r
                for r, register in reversed(list(enumerate(self.registers)))
                if register.valid
            }

    def observe(self) -> int:
        """Return the ``observe`` wires: each register's status, ``acc``, ``result``; counters."""
        word = at = 0
        for register in self.registers:
            image = register.status() | register.acc << STATUS.width
            word |= (image | register.result << STATUS.width + self.data_bits) << at
            at += STATUS.width + 2 * self.data_bits
        for value in self.counters:
            word |= value << at
            at += COUNTER_BITS
        return word
