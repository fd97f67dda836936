"""The barrier registers of a mesh's node where managers set groups up."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.life import Living
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.messages import CONTROL, LIFE, STATUS, Command, Kind, RegisterWord
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["LivingBarrierRegister", "LivingBarrierUnit"]

VALID = CONTROL.pack({"valid": 1})


class LivingBarrierRegister(Living, BarrierRegister):
    """A register of section 4 with the life of section S1."""

    def __init__(self, rules: Rules, node: int) -> None:
        self.reset_life()
        self.kind_at = rules.layout.sync.offsets["kind"]
        super().__init__(rules, node)

    def write(self, word: int, data: int) -> None:
        """Change a word of the image; a new control word begins a new life."""
        super().write(word, data)
        if word == RegisterWord.CONTROL:
            self.renew()

    def _read_image(self) -> None:
        super()._read_image()
        self.manager = CONTROL.unpack(self.words[RegisterWord.CONTROL])["manager"]

    def is_busy(self) -> bool:
        """Return whether the image must stay as it is."""
        return self.dying or super().is_busy()

    def status(self) -> int:
        """Return the status word, with its life."""
        above = self.life | self.tripped << LIFE.width
        return self.state() | above << STATUS.width

    @property
    def status_bits(self) -> int:
        """Width of ``status``."""
        return super().status_bits + LIFE.width

    @property
    def ready(self) -> bool:
        """Whether the node's process may arrive."""
        return self.valid and self.go and not (self.dying or self.tripped or self.relay)

    def joins(self, kind: int) -> bool:
        """Return whether a message of this kind comes from a child, as REDUCE or LAST."""
        return kind == Kind.REDUCE or (kind == Kind.GO and self.go)

    def uses(self, message: Message, port: int, parent_pending: bool) -> bool:
        """Return whether a message for this group is used; else it is a stray."""
        if self.dying or self.tripped or message.epoch != self.epoch:
            return False
        if self.joins(message.kind):
            reduce = message._replace(kind=int(Kind.REDUCE))
            return super().uses(reduce, port, parent_pending)
        if message.kind == Kind.DISTRIBUTE:
            return super().uses(message, port, parent_pending)
        free = message.kind == Kind.BROKEN or not self.is_busy()
        return free and self.hears(message, port)

    def fire(self) -> None:
        """Have the parent told that all are in."""
        self.write_to([PARENT], Kind.GO if self.last else Kind.REDUCE)

    def finish(self, result: int) -> frozenset[int]:
        """End the episode; at the root a last one frees the group."""
        self.freed = self.freed or (self.root and self.last)
        self.last = True
        told = super().finish(result)
        self.write_to(told, Kind.DISTRIBUTE)
        return told

    def open(self) -> frozenset[int]:
        """Let members arrive, on GO; return the children that have to be told."""
        self.go = True
        self.write_to(self.below, Kind.GO)
        return self.below

    def die(self) -> frozenset[int]:
        """Drop the episode; return the children that have to be told."""
        self.reset_episode()
        self.go = self.freed = False
        self.dying = True
        self.write_to(self.below, Kind.BROKEN)
        return self.below

    def bury(self) -> None:
        """Become free."""
        self.words[RegisterWord.CONTROL] &= ~VALID
        self.valid = self.go = self.dying = False


class LivingBarrierUnit(BarrierUnit):
    """The registers of one node, with the life of section S1 of docs/microarchitecture.md.

    Attributes
    ----------
    alarms : set of int
        Where the unit puts its number when a register is freed; shared with the set-up sinks.
    """

    register_type = LivingBarrierRegister
    command_word = int(RegisterWord.STATUS)

    def __init__(
        self,
        network: MeshSpec,
        rules: Rules,
        node: int,
        credits: list[int],
        released: list[tuple[int, int, int]],
    ) -> None:
        super().__init__(network, rules, node, credits, released)
        self.living = [r for r in self.registers if isinstance(r, LivingBarrierRegister)]
        self.holders = self.living
        self.alarms: set[int] = set()
        self._dying: set[int] = set()
        self._dead: list[int] = []
        self._told: list[tuple[int, int]] = []
        self._ordered: tuple[int, int] | None = None

    # Arrivals of the node's own process.

    def is_ready(self, r: int, started: bool) -> bool:
        """Return whether a group can be used; ``start`` does not matter."""
        return self.living[r].ready

    def arrive(self, r: int, data: int) -> None:
        """Take an accepted arrive; if the register has died in this cycle, it is over at once."""
        register = self.living[r]
        if r not in self.lasting:
            register.last = False
        super().arrive(r, data)
        if register.dying:
            register.local = register.waiting = False
            self.fresh = [other for other in self.fresh if other != r]
            self.waiting.discard(r)
            self._break(r)

    # What messages do.

    def absorb(self, here: Mapping[int, Message], sent_up: int | None) -> list[int]:
        """Take the messages shown to the unit, and let registers fire; then open or die."""
        taken = super().absorb(here, sent_up)
        for r, kind in self._told:
            if kind == Kind.BROKEN:
                self._die(r)
            else:
                self._open(r)
        self._told.clear()
        return taken

    def _joins(self, r: int | None, message: Message) -> bool:
        return r is not None and self.living[r].joins(message.kind)

    def _take(self, r: int, message: Message, port: int) -> bool:
        if message.kind != Kind.DISTRIBUTE and not self._joins(r, message):
            self._told.append((r, message.kind))
            return True
        taken = super()._take(r, message, port)
        if taken and message.kind == Kind.REDUCE:
            self.living[r].last = False
        return taken

    def _fire(self, r: int) -> None:
        if not self.living[r].root and self.living[r].may_fire():
            self.living[r].fire()
        super()._fire(r)

    def _finish(self, r: int, result: int) -> None:
        super()._finish(r, result)
        if self.living[r].freed:
            self.alarms.add(self.node)

    # The life of registers.

    def begin(self) -> None:
        """Find the registers that have told all their children that they die."""
        self._dead = [r for r in self._dying if not self.living[r].pending]

    def settle(self) -> None:
        """Let them become free."""
        for r in self._dead:
            self.living[r].bury()
            self._dying.discard(r)
        if self._dead:
            self._index()
            self._dead.clear()
        self.restless = bool(self._dying)

    def command(self, r: int, data: int) -> bool:
        """Take a command to a register, for the next ``commit``; return whether it is obeyed."""
        register = self.living[r]
        obeyed = register.valid and data in (Command.GO, Command.KILL)
        if data == Command.GO:
            obeyed = obeyed and not register.is_busy()
        if obeyed:
            self._ordered = r, data
        return obeyed

    def is_dying(self, r: int) -> bool:
        """Return whether a register dies by a command of this cycle."""
        return self._ordered == (r, Command.KILL)

    def commit(self, now: int = 0) -> None:
        """Let what the config port has written in this cycle take effect."""
        super().commit(now)
        if self._ordered is None:
            return
        (r, command), self._ordered = self._ordered, None
        register = self.living[r]
        if not register.valid or register.dying:
            return
        if command == Command.KILL:
            self._die(r)
        elif not register.go:
            self._open(r)

    def _open(self, r: int) -> None:
        self._announce(r, self.living[r].open())

    def _announce(self, r: int, told: Collection[int]) -> None:
        self.registers[r].pending.update(told)
        if self.registers[r].pending:
            self.outbox.sending.add(r)
        else:
            self.outbox.sending.discard(r)

    def _die(self, r: int) -> None:
        register = self.living[r]
        had = register.waits or self._is_released(r)
        register.pending.clear()
        self._announce(r, register.die())
        self.waiting.discard(r)
        self._dying.add(r)
        self.restless = True
        if had:
            self._break(r)

    def _is_released(self, r: int) -> bool:
        """Return whether the process will be released in the next cycle."""
        return any(release[:2] == (self.node, r) for release in self.released)

    def _break(self, r: int) -> None:
        """Release the node's process with ``broken``."""
        register = self.living[r]
        register.broken = register.done = True
        if not self._is_released(r):
            self.released.append((self.node, r, register.result))
