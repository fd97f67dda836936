"""The registers of a switch or node interface where managers set groups up."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from syncfabric.models.golden.living_switch import LivingSwitchRegister
from syncfabric.models.golden.node_interface import NodeUnit
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.switch_register import PROCESS, TreeRules
from syncfabric.models.golden.switch_unit import Events, SwitchUnit
from syncfabric.models.messages import COMMAND_WORD, Command, Kind
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["LivingNode", "LivingUnit"]


class Told(NamedTuple):
    """What a register was told in this cycle, by GO or BROKEN.

    ``had``: the node's process had arrived.
    """

    register: int
    kind: int
    had: bool


class LivingUnit(SwitchUnit):
    """Registers of one switch, with the life of section S1 of docs/microarchitecture.md.

    Attributes
    ----------
    alarms : set of int
        Where the unit puts its number when a register is freed; shared with the set-up sinks.
    """

    register_type = LivingSwitchRegister
    command_word = COMMAND_WORD

    def __init__(
        self,
        network: IrregularSpec,
        rules: TreeRules,
        target: int,
        credits: list[int],
        events: Events,
    ) -> None:
        super().__init__(network, rules, target, credits, events)
        self._enliven()
        self._turns_in_node = network.turnaround == "node"

    def _enliven(self) -> None:
        self._turns_in_node = False
        self.living = [r for r in self.registers if isinstance(r, LivingSwitchRegister)]
        self.holders = self.living
        self.alarms: set[int] = set()
        self._dying: set[int] = set()
        self._dead: list[int] = []
        self._held: set[int] = set()
        self._told_now: list[Told] = []
        self._ordered: tuple[int, int, bool] | None = None
        self._now = -1

    # What messages do.

    def match(self, message: Message, now: int) -> int | None:
        """Return the register that a message presented in this cycle matches, if any."""
        found = super().match(message, now)
        return None if found is None or self.living[found].dying else found

    def absorb(self, now: int, presented: Mapping[int, Message]) -> list[int]:
        """Take the messages presented, and let registers fire, also those that had to wait."""
        registers, self._now = self.living, now
        self._dead = [r for r in self._dying if not registers[r].pending]
        free = [r for r in self._held if not registers[r].pending]
        taken = super().absorb(now, presented)
        for r in free:
            self._held.discard(r)
            self._fire(r)
        return taken

    def _joins(self, r: int, message: Message) -> bool:
        return self.living[r].joins(message.kind)

    def _join(self, r: int, port: int, message: Message) -> None:
        super()._join(r, port, message)
        if message.kind == Kind.REDUCE:
            self.living[r].last = False

    def _told(self, r: int, message: Message) -> None:
        if message.kind == Kind.DISTRIBUTE:
            super()._told(r, message)
        else:
            self._told_now.append(Told(r, message.kind, self._had_arrived(r)))
            self.restless = True

    def _had_arrived(self, r: int) -> bool:
        """Return whether the node's own process waits for the end of an episode."""
        return False

    def _fire(self, r: int) -> None:
        register = self.living[r]
        if register.pending and register.may_fire():
            self._held.add(r)
            self.restless = True
            return
        if not register.root:
            register.fire()
        super()._fire(r)

    def _finish(self, r: int, result: int) -> None:
        super()._finish(r, result)
        if self.living[r].freed:
            self.alarms.add(self.node)

    def settle(self) -> None:
        """Let GO and BROKEN take effect, after what was sent in this cycle has left."""
        for told in self._told_now:
            if told.kind == Kind.BROKEN:
                self._die(told.register, told.had)
            else:
                self._tell(told.register, self.living[told.register].open())
        self._told_now.clear()
        if self._dead:
            for r in self._dead:
                self.living[r].bury()
                self._dying.discard(r)
            self._dead.clear()
            self._index()
        self.restless = bool(self._dying or self._held)

    # Commands.

    def command(self, r: int, data: int) -> bool:
        """Take a command to a register, for the next ``commit``; return whether it is obeyed."""
        register = self.living[r]
        obeyed = register.valid and data in (Command.GO, Command.KILL)
        if data == Command.GO:
            obeyed = obeyed and not register.is_busy()
        if obeyed:
            self._ordered = (r, data, self._had_arrived(r))
        return obeyed

    def commit(self, now: int = 0) -> None:
        """Let what the config port has written in this cycle take effect."""
        super().commit(now)
        if self._ordered is None:
            return
        (r, command, had), self._ordered = self._ordered, None
        register = self.living[r]
        if not register.valid or register.dying:
            return
        if command == Command.KILL:
            self._die(r, had or self._had_arrived(r))
            self._tell(r, self.above(register, Kind.BROKEN))
        elif not register.go:
            self._tell(r, register.open())
            self._tell(r, self.above(register, Kind.GO))

    def above(self, register: LivingSwitchRegister, kind: Kind) -> frozenset[int]:
        """Have the node in which a barrier turns around told too, by a command.

        Returns
        -------
        frozenset of int
            The port that leads to it, if this may be the switch that has it.
        """
        if not self._turns_in_node or register.root or register.parent >= self.rules.ports:
            return frozenset()
        register.write_to([register.parent], kind)
        return frozenset([register.parent])

    def _tell(self, r: int, ports: Collection[int]) -> None:
        if ports:
            self.registers[r].pending.update(ports)
            self.outbox.sending.add(r)

    def _die(self, r: int, had: bool) -> None:
        register = self.living[r]
        register.pending.clear()
        self.outbox.sending.discard(r)
        self._tell(r, register.die())
        self._held.discard(r)
        self._dying.add(r)
        self.restless = True
        if had:
            self._break(r)

    def _break(self, r: int) -> None:
        """Release the node's process with ``broken``."""


class LivingNode(LivingUnit, NodeUnit):
    """Registers of one node interface, with the life of section S1."""

    def __init__(
        self,
        network: IrregularSpec,
        rules: TreeRules,
        target: int,
        credits: list[int],
        events: Events,
        released: list[tuple[int, int, int]],
    ) -> None:
        NodeUnit.__init__(self, network, rules, target, credits, events, released)
        self._enliven()

    def is_ready(self, r: int, started: bool) -> bool:
        """Return whether a group can be used; ``start`` does not matter."""
        return self.living[r].ready

    def _arrivals(self) -> set[int]:
        for r in self.arriving:
            if r not in self.lasting:
                self.living[r].last = False
        return super()._arrivals()

    def _had_arrived(self, r: int) -> bool:
        register = self.registers[r]
        if register.tripped:
            return False
        waits = PROCESS in register.arrived or register.fired or r in self.arriving
        return waits or self._is_released(r)

    def is_dying(self, r: int) -> bool:
        """Return whether a register dies by a command of this cycle."""
        return self._ordered is not None and self._ordered[:2] == (r, Command.KILL)

    def trip(self, r: int) -> None:
        """Release the process of a register with ``broken``."""
        super().trip(r)
        self._held.discard(r)

    def _is_released(self, r: int) -> bool:
        """Return whether the process will be released in the next cycle."""
        return any(release[:2] == (self.node, r) for release in self.released)

    def _break(self, r: int) -> None:
        register = self.living[r]
        register.broken = register.done = True
        if not self._is_released(r):
            self.released.append((self.node, r, register.result))
