"""The barrier registers of a switch: what they take in, and when they fire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from syncfabric.models.golden.order import RoundRobin
from syncfabric.models.golden.outbox import HastyOutbox, Outbox
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.switch_register import UP, SwitchRegister, TreeRules
from syncfabric.models.messages import Counter, Kind, LinkCounter
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["Events", "LastWrite", "SwitchUnit"]

REDUCE = int(Kind.REDUCE)

Events: TypeAlias = "list[tuple[SwitchUnit, Counter | LinkCounter]]"
"""What has been counted, and where."""


class LastWrite(NamedTuple):
    """When a control word was written last, to which register, and its GID and epoch before.

    ``old`` is None if the register was not valid.
    """

    cycle: int
    register: int
    old: tuple[int, int] | None


class SwitchUnit(RegisterFile[SwitchRegister]):
    """Registers of one switch (docs/microarchitecture.md, section I4).

    Parameters
    ----------
    network : IrregularSpec
        Registers, data and options.
    rules : TreeRules
        Shared by all registers.
    target : int
        Number on the config port.
    credits : list of int, by lane
        The credit counters of the network.
    events : list of (unit, counter)
        What all units count in this cycle, for ``show`` at the end of the next; appended to.

    Attributes
    ----------
    outbox : Outbox
        What the registers have to send.
    arriving : dict of register to data
        The accepted arrives of this cycle; a switch has none.
    late : bool
        Whether a message is matched by the image of the cycle before.
    restless : bool
        Whether there is something to do in the coming cycle without any message.
    """

    register_type: type[SwitchRegister] = SwitchRegister
    restless: bool = False

    def __init__(
        self,
        network: IrregularSpec,
        rules: TreeRules,
        target: int,
        credits: list[int],
        events: Events,
    ) -> None:
        registers = [self.register_type(rules) for _ in range(network.barrier_registers)]
        super().__init__(registers, registers[0].status_bits, network.data_bits)
        self.node, self.rules = target, rules
        self.outbox: Outbox = HastyOutbox(self.registers, credits)
        self.arriving: dict[int, int] = {}
        self.events = events
        self.late = network.cycles_per_hop == 2
        self.last_write = LastWrite(-2, 0, None)
        self.serial: RoundRobin | None = None
        if network.operations == "all":
            self.serial = RoundRobin(rules.ports)

    def count(self, counter: Counter | LinkCounter) -> None:
        """Count an event of this cycle, which shows in the cycle after the next."""
        self.events.append((self, counter))

    def show(self, counter: Counter | LinkCounter) -> None:
        """Let an event of the cycle before show from the next cycle on."""
        super().count(counter)

    def commit(self, now: int = 0) -> None:
        """Let the control word that has been written in this cycle take effect."""
        if self.writing is not None:
            register = self.registers[self.writing]
            old = (register.gid, register.epoch) if register.valid else None
            self.last_write = LastWrite(now, self.writing, old)
        super().commit(now)

    def match(self, message: Message, now: int) -> int | None:
        """Return the register that a message presented in this cycle matches, if any."""
        found, write = self.by_gid.get(message.gid), self.last_write
        if self.late and write.cycle == now - 1:
            if write.old == (message.gid, message.epoch):
                return write.register
            if found == write.register:
                return None
        return found if found is not None and self.registers[found].epoch == message.epoch else None

    def absorb(self, now: int, presented: Mapping[int, Message]) -> list[int]:
        """Take the messages presented, and let registers fire.

        All of them are judged before any takes effect.

        Parameters
        ----------
        now : int
            This cycle.
        presented : mapping of port to message
            In ascending order of the ports.

        Returns
        -------
        list of int
            The ports whose message has been taken.
        """
        rewritten = self.last_write.register if self.last_write.cycle == now - 1 else None
        taken: list[int] = []
        reduces: dict[int, int] = {}
        distributes: dict[int, int] = {}
        for port, message in presented.items():
            r = self.match(message, now)
            if r is None or r == rewritten or not self._uses(r, message, port):
                taken.append(port)
                self.count(Counter.STRAY)
            else:
                (reduces if self._joins(r, message) else distributes)[port] = r
        for port, r in distributes.items():
            taken.append(port)
            self._told(r, presented[port])
        if self.serial is not None and reduces:
            chosen = self.serial.choose(reduces)
            reduces = {chosen: reduces[chosen]}
        for port, r in reduces.items():
            taken.append(port)
            self._join(r, port, presented[port])
        joined = set(reduces.values())
        if self.arriving:
            joined |= self._arrivals()
        for r in joined:
            self._fire(r)
        return taken

    def settle(self) -> None:
        """End the cycle of a unit that is ``restless``, after what it sends has left."""

    def _joins(self, r: int, message: Message) -> bool:
        """Return whether a message that is used comes from a child."""
        return message.kind == REDUCE

    def _join(self, r: int, port: int, message: Message) -> None:
        """Use a message from a child."""
        self.registers[r].count_in(port, message.data)

    def _told(self, r: int, message: Message) -> None:
        """Use a message from the parent."""
        self._finish(r, message.data)

    def _uses(self, r: int, message: Message, port: int) -> bool:
        pending = self.registers[r].pending
        return self.registers[r].uses(message, port, port in pending, UP in pending)

    def _arrivals(self) -> set[int]:
        """Take this cycle's arrivals of a process; return their registers."""
        return set()

    def _fire(self, r: int) -> None:
        register = self.registers[r]
        if register.pending or not register.may_fire():
            return
        if register.root:
            self._finish(r, register.acc)
        else:
            register.fired = True
            register.pending.add(UP)
            self.outbox.sending.add(r)

    def _finish(self, r: int, result: int) -> None:
        register = self.registers[r]
        told = register.finish(result)
        if told:
            register.pending |= told
            self.outbox.sending.add(r)
