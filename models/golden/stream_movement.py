"""The streams of a whole network, cycle by cycle: only routers and processes that move."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.link import Carried
from syncfabric.models.golden.node import Node
from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.slot_movement import SlotMovement
from syncfabric.models.golden.slots import SlotPorts, SlotState
from syncfabric.models.golden.stream_pauses import Lateness
from syncfabric.models.golden.streams import At, ProcessStreams, RouterStreams
from syncfabric.models.golden.wiring import OnWires, Wiring
from syncfabric.models.layout.network import NetworkShape


class StreamProcess:
    """A process that offers beats in turn, and keeps those that it takes.

    Another one takes its place in ``StreamMovement.processes`` with methods of its own.

    Attributes
    ----------
    queue : deque of (int, Beat)
        Beats to come, each held until it is taken, with the cycle before which it is not offered.
    received : list of (int, Beat)
        Beats that it has taken, with their cycles.
    ready : callable
        Says whether it takes a beat in a cycle.
    """

    def __init__(self) -> None:
        self.queue = deque[tuple[int, Beat]]()
        self.received: list[tuple[int, Beat]] = []
        self.ready: Callable[[int], bool] = lambda _: True

    def offer(self, now: int) -> Beat | None:
        """Return what is offered in a cycle; once offered, a beat is so until it is taken."""
        return self.queue[0][1] if self.queue and self.queue[0][0] <= now else None

    def took(self) -> None:
        """Note that what is offered is taken in this cycle."""
        self.queue.popleft()

    def begins(self, now: int) -> int | None:
        """Return a cycle from ``now`` on before which nothing is offered; None: nothing ever is."""
        return max(now, self.queue[0][0]) if self.queue else None

    def accepts(self, now: int) -> bool:
        """Return whether the beat of a cycle is taken."""
        return self.ready(now)

    def take(self, beat: Beat, now: int) -> None:
        """Take a beat."""
        self.received.append((now, beat))


class _Coming:
    """What comes out of links in a cycle: to routers, and to processes by node."""

    __slots__ = ("credits", "down", "faults", "returned", "words")

    def __init__(self) -> None:
        self.words: dict[int, dict[int, Carried]] = {}
        self.credits: dict[int, list[At]] = {}
        self.faults: dict[int, list[At]] = {}
        self.down: dict[int, Carried] = {}
        self.returned: dict[int, list[int]] = {}

    @property
    def routers(self) -> set[int]:
        """The routers to which anything comes."""
        return {*self.words, *self.credits, *self.faults}


class StreamMovement:
    """Streams of all routers, their links, and the processes' ports.

    Parameters
    ----------
    shape : NetworkShape
    wiring : Wiring
    nodes : sequence of Node
        By router; with their routers of packets.
    interfaces : sequence of NodeInterface
        By node; there are none on meshes.
    slots : SlotMovement
        Of the same network; a cycle is the streams' before it is the slots'.
    slot_ports : sequence of SlotPorts
        By node.

    Attributes
    ----------
    processes, ports : list of StreamProcess, list of ProcessStreams
        By node.
    failed : dict of int to (list of int)
        Slots that break in this cycle as their streams have failed, by router.
    among_packets : dict of int to (dict of int to Carried)
        Words on guarded links of packets in this cycle, by place and port.
    """

    def __init__(
        self,
        shape: NetworkShape,
        wiring: Wiring,
        nodes: Sequence[Node],
        interfaces: Sequence[NodeInterface],
        slots: SlotMovement,
        slot_ports: Sequence[SlotPorts],
    ) -> None:
        layout = shape.router.stream
        assert layout
        self._wiring, self._homes, self._channels = wiring, shape.nodes, range(layout.channels)
        self._nodes, self._slots = nodes, slots
        self._slot_ports = [ports.ports[: layout.channels] for ports in slot_ports]
        self._routers = [RouterStreams(layout) for _ in nodes]
        for node, router in zip(nodes, self._routers, strict=True):
            if node.slots:
                node.slots.holds = router.holds
        self.ports = [ProcessStreams(layout) for _ in shape.nodes]
        self.processes = [StreamProcess() for _ in shape.nodes]
        self._delays = shape.delays
        self._seen = shape.interfaces  # links to processes; else they are inside routers
        self._watches = shape.router.watchdog > 0
        self._credited = not layout.check_bits  # guards say in other coming what is free (V12)
        self._moving = set[int]()  # routers
        self._busy = set[int]()  # nodes
        self._turns = set[int]()  # nodes whose slots' ``ready`` may be another in this cycle
        self._starts: dict[int, set[int]] = {}  # nodes that offer a beat, by cycle
        self._watched = set[int]()
        self._due: dict[int, _Coming] = {}
        self._wires: dict[int, int] = {}
        self._credits: list[int] = []
        self._beats: dict[int, Beat] = {}
        self.failed: dict[int, list[int]] = {}
        self.among_packets: dict[int, dict[int, Carried]] = {}
        self._guarded = layout.shared and layout.check_bits > 0
        self._shared = layout.links if layout.shared else 0  # outputs that flits leave by, too
        self._exit = layout.exit
        self._routers_late = Lateness([node.router for node in nodes if node.router])
        self._nodes_late = Lateness(interfaces)
        self._leaving: dict[int, dict[int, Carried]] = {}  # in output registers, by router

    # Between cycles.

    def put(self, node: int, beats: Iterable[Beat], now: int, at: int = 0) -> None:
        """Let a process offer beats after those it has still to offer.

        Parameters
        ----------
        node : int
        beats : iterable of Beat
        now : int
            The cycle to come.
        at : int
            The first is not offered before this cycle.
        """
        self.processes[node].queue.extend((at, beat) for beat in beats)
        self.wake(node, now)

    def wake(self, node: int, now: int) -> None:
        """Ask a process what it offers, from cycle ``now`` on, as it has something new."""
        at = self.processes[node].begins(now)
        if at is not None:
            self._starts.setdefault(at, set()).add(node)

    def moves_in(self, now: int) -> bool:
        """Return whether anything moves in a cycle without commands."""
        moves = self._moving or self._busy or self._turns or self._leaving
        return bool(moves or now in self._due or now in self._starts) or self._visits(now)

    def _visits(self, now: int) -> bool:
        return bool(self._watched) and self._slots.is_visit(now)

    def wakes(self, now: int) -> list[int]:
        """Return cycles from ``now`` on of which the first is that in which something moves."""
        visits = [self._slots.next_visit(now)] if self._watched else []
        return [*self._due, *self._starts, *visits]

    # A cycle.

    def step(self, now: int) -> list[int]:
        """Go through a cycle; return the routers that have dropped words."""
        here = self._due.pop(now, None) or _Coming()
        coming = self._coming = {0: here}
        for delay in self._delays:
            coming[delay] = self._due.setdefault(now + delay, _Coming())
        self._wires, self._credits, self._beats, self.failed = {}, [], {}, {}
        self.among_packets = {}
        late, late_nodes = self._routers_late.turn(), self._nodes_late.turn()
        registered, self._leaving = self._leaving, {}
        for n in self._moving:
            self._drive(n)
        for n, words in registered.items():
            self._put(n, words)
        for delay in self._delays:
            if not coming[delay].routers:
                del self._due[now + delay]
        for i in self._busy:
            self._drive_process(i, here)
        visited = set(self._watched) if self._visits(now) else set[int]()
        moving = {*self._moving, *here.routers, *self._slots.moving, *visited, *late}
        self._moving.clear()
        for n in moving:
            self._take(n, here, visited=n in visited, late=n in late)
        busy = {*late_nodes, *self._busy, *here.down, *here.returned, *self._turns}
        busy |= self._starts.pop(now, set())
        self._busy.clear()
        self._turns = set(self._slots.answered)
        for i in busy:
            self._take_process(i, here, now, late=i in late_nodes)
        dropping = [n for n in moving if self._routers[n].events]
        for n in dropping:
            self._nodes[n].dropped = self._routers[n].events
        return dropping

    def show(self, on_wires: OnWires) -> None:
        """Show what was on the wires in the cycle gone through last."""
        on_wires.wires |= self._wires
        on_wires.credits += self._credits if self._credited else []
        on_wires.beats |= self._beats

    def _states(self, n: int) -> list[SlotState]:
        slots = self._nodes[n].slots
        assert slots
        return [slots.state(c) for c in self._channels]

    def _drive(self, n: int) -> None:
        """Put what a router sends on its links."""
        router, outs, wiring = self._routers[n], self._wiring.outs[n], self._wiring
        sends = router.sends
        if shared := {p: carried for p, carried in sends.items() if p < self._shared}:
            self._routers_late.carry(n, shared)
            if self._exit:
                self._leaving[n] = shared
                sends = {p: carried for p, carried in sends.items() if p not in shared}
        self._put(n, sends)
        for p, c in router.freed:
            out = outs[p]
            if out is None:
                continue
            if out.node < 0 or self._seen:
                self._credits.append(out.reverse * wiring.width + wiring.streams + c)
            if out.node >= 0:
                self._coming[0].returned.setdefault(out.node, []).append(c)
            else:
                self._coming[out.delay].credits.setdefault(out.place, []).append((out.port, c))
        states = self._states(n)
        for c in router.failed(states):
            out = outs[min(states[c].parent)] if states[c].parent else None
            if not states[c].parent:
                self.failed.setdefault(n, []).append(c)
            elif out:
                self._wires[out.lane + wiring.faults + c] = 1
                if out.node < 0:
                    self._coming[out.delay].faults.setdefault(out.place, []).append((out.port, c))

    def _put(self, n: int, words: Mapping[int, Carried]) -> None:
        """Put a router's words on its links."""
        for p, carried in words.items():
            out = self._wiring.outs[n][p]
            if out is None:
                continue
            if out.node < 0 or self._seen:
                self._wires[out.lane + self._wiring.streams + carried[0]] = carried[1]
                if self._guarded:
                    self.among_packets.setdefault(n, {})[p] = carried
            if out.node >= 0:
                self._coming[0].down[out.node] = carried
            else:
                self._coming[out.delay].words.setdefault(out.place, {})[out.port] = carried

    def _drive_process(self, i: int, here: _Coming) -> None:
        """Put what a process's port sends on its link."""
        port, (n, p), wiring = self.ports[i], self._homes[i], self._wiring
        if port.sends:
            c, word = port.sends
            lane = wiring.injection(i) * wiring.width + wiring.streams
            if self._seen:
                self._wires[lane + c] = word
                if self._guarded:
                    self.among_packets[self._wiring.routers + i] = {0: port.sends}
            if self._shared and self._seen:
                self._nodes_late.carry(i, (0,))
            here.words.setdefault(n, {})[p] = port.sends
        lane = (n * wiring.ports + p) * wiring.width + wiring.streams
        for c in port.freed:
            if self._seen:
                self._credits.append(lane + c)
            here.credits.setdefault(n, []).append((p, c))

    def _take(self, n: int, here: _Coming, *, visited: bool, late: bool) -> None:
        """Take a router over a clock edge."""
        router = self._routers[n]
        comes = here.words.get(n, {}), here.credits.get(n, ()), here.faults.get(n, ())
        router.step(self._states(n), *comes, visited=visited, late=late)
        if not router.is_idle:
            self._moving.add(n)
        watched = self._watches and router.watches
        (self._watched.add if watched else self._watched.discard)(n)

    def _take_process(self, i: int, here: _Coming, now: int, *, late: bool) -> None:
        """Take a process's port over a clock edge."""
        port, process = self.ports[i], self.processes[i]
        beat, offered = port.beat, process.offer(now)
        accepts = beat is None or process.accepts(now)
        ready = [c for c, slot in enumerate(self._slot_ports[i]) if slot.ready]
        down, returned = here.down.get(i), here.returned.get(i, ())
        port.step(ready, offered, down, returned, accepts=accepts, late=late)
        if beat and accepts:
            process.take(beat, now)
            self._beats[i] = beat
        if port.accepted:
            process.took()
        if offered is None or port.accepted:
            self.wake(i, now + 1)
        if port.beat or not port.is_idle:
            self._busy.add(i)
