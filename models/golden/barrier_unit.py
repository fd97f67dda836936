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

REDUCE, DISTRIBUTE = int(Kind.REDUCE), int(Kind.DISTRIBUTE)
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
        merged = self._combine_one(here, touched) if self.serial is not None else None
        taken = []
        for port, message in here.items():
            r = self.register_of(message.gid)
            if r is None and self.spills:
                for_spill[port] = message
                continue
            if merged is not None and port in merged:
                if merged[port]:
                    taken.append(port)
                continue
            taken.append(port)
            register = None if r is None else self.registers[r]
            parent_pending = r == sent_up if register is None or not register.pending else True
            if register is not None and register.pending and r != sent_up:
                parent_pending = PARENT in register.pending
            if r is None or register is None or not register.uses(message, port, parent_pending):
                self.count(Counter.STRAY)
            elif message.kind == REDUCE:
                register.count_in(port, message.data)
                touched.append(r)
            else:
                self._finish(r, message.data)
        for r in touched:
            self._fire(r)
        return taken
