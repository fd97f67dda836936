"""The barrier wires of a whole network, cycle by cycle: only slots that move are looked at."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TypeAlias

from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePortOutputs
from syncfabric.models.golden.movement import RESET
from syncfabric.models.golden.slots import RouterSlots, SlotMessage, SlotPorts, pack, unpack
from syncfabric.models.golden.wiring import OnWires, Wiring
from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.network import NetworkShape

_Answers: TypeAlias = dict[int, dict[int, SlotMessage]]
"""Messages for node ports, by node and slot."""

_Words: TypeAlias = dict[int, dict[int, dict[int, int]]]
"""Words that come, by router, slot and link."""


NONE_FAILED: Mapping[int, Collection[int]] = {}


class SlotMovement:
    """Slots of all routers, their wires, and the registers that processes have for them.

    Parameters
    ----------
    shape : NetworkShape
    wiring : Wiring
    routers : sequence of RouterSlots
        By router.
    ports : sequence of SlotPorts
        By node.
    """

    def __init__(
        self,
        shape: NetworkShape,
        wiring: Wiring,
        routers: Sequence[RouterSlots],
        ports: Sequence[SlotPorts],
    ) -> None:
        layout = shape.router.slots
        assert layout
        self._layout, self._wiring, self._homes = layout, wiring, shape.nodes
        self._routers, self._ports = routers, ports
        self._local = not shape.interfaces
        self._delays = shape.delays
        self._period = layout.first * shape.router.watchdog
        self._moving = set[int]()  # routers
        for n, slots in enumerate(routers):
            slots.called = partial(self._moving.add, n)
        self._watched = set[int]()
        self._busy = set[int]()  # nodes
        self._answers: _Answers = {}  # for node ports in the coming cycle
        self.due: dict[int, _Words] = {}

    def moves_in(self, now: int) -> bool:
        """Return whether anything moves in a cycle without arrivals and commands."""
        moves = self._moving or self._busy or self._answers or now in self.due
        return bool(moves) or self._visits(now)

    def _visits(self, now: int) -> bool:
        """Return whether a visit may change something in a cycle."""
        return bool(self._watched) and self.is_visit(now)

    def is_visit(self, now: int) -> bool:
        """Return whether the watchdog, which there is, visits slots in a cycle."""
        return (now - RESET + 1) % self._period == 0

    def next_visit(self, now: int) -> int:
        """Return the cycle of the watchdog's next visit, from ``now`` on."""
        periods = (now - RESET + 1) // self._period + 1
        return periods * self._period - 1 + RESET

    def wakes(self, now: int) -> list[int]:
        """Return cycles from ``now`` on of which the first is that in which something moves."""
        wakes = list(self.due)
        if self._watched:
            wakes.append(self.next_visit(now))
        return wakes

    @property
    def moving(self) -> Set[int]:
        """Routers whose slots have something on the wires in the coming cycle, or a command."""
        return self._moving

    @property
    def answered(self) -> Set[int]:
        """Nodes whose ports have messages of slots in the coming cycle."""
        return self._answers.keys()

    def outputs(self, node: int) -> list[NodePortOutputs]:
        """Return what a process sees of each slot in the coming cycle."""
        came = self._answers.get(node, {})
        ports = enumerate(self._ports[node].ports)
        return [port.outputs(Message(0, 0, *came[s]) if s in came else None) for s, port in ports]

    def releases(self) -> Iterator[tuple[int, int, int, bool]]:
        """Yield node, slot and result of the releases of the coming cycle, and if it is broken."""
        for i, slots in self._answers.items():
            for s, (kind, data) in slots.items():
                if kind != Kind.GO:
                    broken = kind == Kind.BROKEN
                    yield i, s, 0 if broken else data, broken

    def step(
        self,
        now: int,
        arrivals: Mapping[int, Mapping[int, Arrival]],
        on_wires: OnWires,
        wake: Callable[[int], None],
        failed: Mapping[int, Collection[int]] = NONE_FAILED,
    ) -> None:
        """Go through a cycle, after the routers' words: what they ask of slots is known.

        Parameters
        ----------
        now : int
            The cycle.
        arrivals : mapping of int to (mapping of int to Arrival)
            By node and slot.
        on_wires : OnWires
            Gets what is on the wires.
        wake : callable
            Is called for routers whose slots have something for words or sink in the next cycle.
        failed : mapping of int to (collection of int)
            By router, slots that break as their streams have failed.
        """
        come = self.due.pop(now, {})
        coming = {0: come}
        for delay in self._delays:
            coming[delay] = self.due.setdefault(now + delay, {})
        answers, self._answers = self._answers, {}
        for n in self._moving:
            for s, (ports, message) in self._routers[n].sends.items():
                for p in ports:
                    self._send(n, p, s, message, on_wires, coming)
        for delay in self._delays:
            if not coming[delay]:
                del self.due[now + delay]
        own = self._arrive(arrivals, answers, come, on_wires)
        visited = set(self._watched) if self._visits(now) else set[int]()
        moving = {*self._moving, *come, *own, *failed, *visited}
        self._moving.clear()
        for n in moving:
            slots = self._routers[n]
            comes = come.get(n, {}), own.get(n, {}), failed.get(n, ())
            slots.step(*comes, visited=n in visited)
            if not slots.is_idle:
                self._moving.add(n)
            if slots.calls:
                wake(n)
            self._watch(n, slots)
        self._show_own()

    def _watch(self, n: int, slots: RouterSlots) -> None:
        if self._period and slots.watches:
            self._watched.add(n)
        else:
            self._watched.discard(n)

    def _send(
        self,
        n: int,
        p: int,
        s: int,
        message: SlotMessage,
        on_wires: OnWires,
        coming: Mapping[int, _Words],
    ) -> None:
        """Put what a router's slot sends by a port on the wires."""
        out = self._wiring.outs[n][p]
        if out is None or (self._local and out.node >= 0):
            return  # a node port has it already
        word = pack(self._layout, message)
        on_wires.wires[out.lane + self._wiring.slots + s] = word
        if out.node >= 0:
            found = unpack(self._layout, word)
            assert found
            self._answers.setdefault(out.node, {})[s] = found
        else:
            coming[out.delay].setdefault(out.place, {}).setdefault(s, {})[out.port] = word

    def _show_own(self) -> None:
        """Let node ports of a mesh have what their slots send in the coming cycle."""
        for n in self._moving if self._local else ():
            for s, (ports, message) in self._routers[n].sends.items():
                if self._layout.engine.links in ports:
                    self._answers.setdefault(n, {})[s] = message

    def _arrive(
        self,
        arrivals: Mapping[int, Mapping[int, Arrival]],
        answers: _Answers,
        come: _Words,
        on_wires: OnWires,
    ) -> dict[int, dict[int, SlotMessage]]:
        """Take node ports over a clock edge; return the routers' own messages."""
        own: dict[int, dict[int, SlotMessage]] = {}
        for i in {*arrivals, *answers, *self._busy}:
            ports, (n, p) = self._ports[i], self._homes[i]
            sends = ports.step(arrivals.get(i, {}), answers.get(i, {}))
            (self._busy.discard if ports.is_idle else self._busy.add)(i)
            if self._local:
                own[n] = sends
                continue
            lane = self._wiring.injection(i) * self._wiring.width + self._wiring.slots
            for s, message in sends.items():
                word = pack(self._layout, message)
                on_wires.wires[lane + s] = word
                come.setdefault(n, {}).setdefault(s, {})[p] = word
        return own
