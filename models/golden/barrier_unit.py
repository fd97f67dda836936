"""The barrier unit of a node: its registers, what they take in, and what they send."""

from __future__ import annotations

from collections.abc import Mapping

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister
from syncfabric.models.golden.order import RoundRobin
from syncfabric.models.golden.outbox import Outbox, PatientOutbox
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.rules import Rules
from syncfabric.models.messages import Counter, Kind
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["BarrierUnit"]

REDUCE = int(Kind.REDUCE)


class BarrierUnit(RegisterFile[BarrierRegister]):
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
    outbox : Outbox
        What the registers have to send.
    fresh : list of int
        Registers whose ``local`` has been set by the last edge.
    restless : bool
        Whether there is something to do in the coming cycle without any message.
    """

    register_type: type[BarrierRegister] = BarrierRegister
    restless: bool = False

    def __init__(
        self,
        network: MeshSpec,
        rules: Rules,
        node: int,
        credits: list[int],
        released: list[tuple[int, int, int]],
    ) -> None:
        count = network.barrier_registers
        registers = [self.register_type(rules, node) for _ in range(count)]
        super().__init__(registers, registers[0].status_bits, network.data_bits)
        self.node, self.mask = node, rules.mask
        self.data_at = rules.data_at
        self.released = released
        self.lasting: set[int] = set()
        self.outbox: Outbox = PatientOutbox(self.registers, credits)
        self.fresh: list[int] = []
        self.waiting: set[int] = set()
        self.serial = RoundRobin(4 + count) if network.takes_one else None

    def register_of(self, gid: int) -> int | None:
        """Return the register that a message matches, if any."""
        found = self.by_gid.get(gid)
        return None if found == self.writing else found

    # Arrivals of the node's own process (4.1).

    def is_ready(self, r: int, started: bool) -> bool:
        """Return whether a group can be used; ``started``: ``start`` has been high."""
        register = self.registers[r]
        return started and register.valid and not (register.relay or register.tripped)

    def is_broken(self, r: int) -> bool:
        """Return whether the process was released because its group died, or nobody came."""
        return self.registers[r].broken

    def accepts(self, r: int, started: bool) -> bool:
        """Return whether an arrive in this cycle is accepted; the state is the edge's before."""
        register = self.registers[r]
        return self.is_ready(r, started) and r != self.writing and register.admits()

    def arrive(self, r: int, data: int) -> None:
        """Take an accepted arrive; it shows from the next cycle on."""
        register, data = self.registers[r], data & self.mask
        register.done = register.broken = False
        if self.serial is None:
            register.enter(data)
            self.fresh.append(r)
        else:
            register.waiting = True
            register.kept = data
            self.waiting.add(r)

    # Messages for this node (4.2, 4.3).

    def has_news(self) -> bool:
        """Return whether there is something to take in besides messages."""
        return bool(self.fresh or self.waiting)

    def absorb(self, here: Mapping[int, Message], sent_up: int | None) -> list[int]:
        """Take the messages shown to the unit, and let registers fire.

        All of them are judged before any takes effect.

        Parameters
        ----------
        here : mapping of port to message
            In ascending order of the ports.
        sent_up : int or None
            Register whose message to its parent leaves in this cycle: it was pending at the start.

        Returns
        -------
        list of int
            The ports whose message has been taken.
        """
        touched, self.fresh = self.fresh, []
        matched = {port: self.register_of(message.gid) for port, message in here.items()}
        used = {
            port
            for port, r in matched.items()
            if r is not None and self._uses(r, here[port], port, sent_up)
        }
        waits: set[int] = set()
        if self.serial is not None and (used or self.waiting):
            waits = {port for port in used if self._joins(matched[port], here[port])}
            candidates = waits | {4 + r for r in self.waiting}
            if candidates:
                chosen = self.serial.choose(candidates)
                waits.discard(chosen)
                if chosen >= 4:
                    touched.append(self._merge_kept(chosen - 4))
        taken = []
        for port, message in here.items():
            r = matched[port]
            if port not in waits:
                taken.append(port)
                if r is None or port not in used or not self._take(r, message, port):
                    self.count(Counter.STRAY)
                elif self._joins(r, message):
                    touched.append(r)
        for r in touched:
            self._fire(r)
        return taken

    def _uses(self, r: int, message: Message, port: int, sent_up: int | None) -> bool:
        register = self.registers[r]
        return register.uses(message, port, PARENT in register.pending or r == sent_up)

    def _take(self, r: int, message: Message, port: int) -> bool:
        """Use a message, unless one before it in this cycle has left it nothing to do."""
        register = self.registers[r]
        if self._joins(r, message):
            if register.is_complete():
                return False
            register.count_in(port, message.data)
        else:
            if not register.fired:
                return False
            self._finish(r, message.data)
        return True

    def _joins(self, r: int | None, message: Message) -> bool:
        """Return whether a message that is used comes from a child."""
        return message.kind == REDUCE

    def begin(self) -> None:
        """Begin the cycle of a unit that is ``restless``."""

    def settle(self) -> None:
        """End its cycle."""
        self.restless = False

    # The watchdog (docs/microarchitecture-faults.md, F5).

    def is_dying(self, r: int) -> bool:
        """Return whether a register dies by a command of this cycle."""
        return False

    def trip(self, r: int) -> None:
        """Release the process of a register with ``broken``."""
        self.registers[r].trip()
        self.waiting.discard(r)
        self.outbox.sending.discard(r)
        self.restless = True  # the turn of a register that has nothing more to send ends
        self.released.append((self.node, r, self.registers[r].result))
        self.count(Counter.STRAY)

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
            self._will_send(r)

    def _finish(self, r: int, result: int) -> None:
        register = self.registers[r]
        told = register.finish(result)
        if not register.relay:
            self.released.append((self.node, r, result))
        if told:
            register.pending |= told
            self._will_send(r)

    def _will_send(self, r: int) -> None:
        """Note that a register has messages pending."""
        self.outbox.sending.add(r)
