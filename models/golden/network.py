"""A whole network on collective engines, cycle by cycle: only what moves is looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from syncfabric.models.faults.fault import Fault
from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort
from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.lifecycle.port import SetUpPort
from syncfabric.models.golden.movement import RESET, Movement
from syncfabric.models.golden.node import Node
from syncfabric.models.golden.processes import Processes
from syncfabric.models.golden.record import ConfigRequest, Observer, PortState, Record, Recorder
from syncfabric.models.golden.slot_movement import SlotMovement
from syncfabric.models.golden.wiring import OnWires, Wiring, interface_of, node_of
from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import ManagerState
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.models.planning.updown import routing_tables
from syncfabric.models.traffic import TrafficGenerator

if TYPE_CHECKING:
    from syncfabric.models.golden.stream_movement import StreamMovement

NO_ARRIVALS: Mapping[tuple[int, int], int] = {}
SILENT = (False, False, 0)
NOTHING = Record(0, 0, [], 0, [])


class CollectiveNetwork:
    """Cycle-exact model of a network: routers, node interfaces, links, config chain and processes.

    Parameters
    ----------
    shape : NetworkShape
    observer : Observer, optional
        Is called for packets and flits.

    Attributes
    ----------
    cycle : int
        Number of the cycle about to be stepped, 0 for the first after reset.
    release : list of (node, register, result)
        Releases that are high in this cycle, rising; ``result`` is 0 where it has no meaning.
    config_answer : (bool, bool, int)
        Whether the host is answered in this cycle, ``error`` and ``rdata``; what of ``rdata`` has
        no meaning is 0.
    config_meaning : int
        The bits of ``rdata`` that have a meaning.
    managers : dict of int to Manager
        By node.
    streams : StreamMovement or None
        What processes send and receive by streams.
    dirty : set of int
        Targets whose ``observe`` may have changed: none, as benches see no state here.
    """

    def __init__(self, shape: NetworkShape, *, observer: Observer | None = None) -> None:
        self.shape = shape
        router = shape.router
        self.cycle = 0
        self.release: list[tuple[int, int, int]] = []
        self.config_answer: tuple[bool, bool, int] = SILENT
        self.config_meaning = 0
        self.dirty: set[int] = set()
        self.nodes = [node_of(shape, n) for n in range(shape.routers)]
        count = len(shape.nodes) if shape.interfaces else 0
        self.interfaces = [interface_of(shape, i) for i in range(count)]
        places: Sequence[Node | NodeInterface] = self.interfaces or [
            self.nodes[n] for n, _ in shape.nodes
        ]
        self._ports = [place.node_port for place in places if place.node_port]
        self._slot_ports = [place.slot_ports for place in places]
        self.traffic = TrafficGenerator(len(places) if router.channels else 1)
        self.processes = Processes(shape, observer)
        wiring = self._wiring = Wiring(shape)
        self.managers = self._managers()
        slots = [node.slots for node in self.nodes if node.slots]
        self._slots = SlotMovement(shape, wiring, slots, self._slot_ports) if slots else None
        self.streams = self._make_streams()
        self._movement = Movement(shape, wiring, self.nodes, self.interfaces, self.processes)
        self._recorder = Recorder(wiring.count, shape.registers)
        self._period = router.watchdog
        self._breaks = set[tuple[int, int]]()  # registers whose release is broken in this cycle
        self._changed = set[int]()  # nodes whose ports may show something else in this cycle
        self._states: dict[int, PortState] = {}  # what they showed last
        self._messages: dict[int, Message] = {}  # messages of engines for node ports in this cycle
        self._asked = False  # a request is not answered yet
        self._requests: dict[int, tuple[int, ConfigRequest]] = {}
        self._answers: dict[int, tuple[bool, bool, int, int]] = {}

    def _make_streams(self) -> StreamMovement | None:
        if not self._slots or not self.shape.router.stream:
            return None
        from syncfabric.models.golden.stream_movement import StreamMovement

        parts = self.nodes, self.interfaces, self._slots, self._slot_ports
        return StreamMovement(self.shape, self._wiring, *parts)

    def _port(self, node: int, register: int) -> tuple[NodePort, int]:
        """Return the port that a register belongs to, and its number there."""
        slot = register - self.shape.entry_registers
        if slot < 0:
            return self._ports[node], register
        return self._slot_ports[node].ports[slot], 0

    def _managers(self) -> dict[int, Manager]:
        """Return the managers by node."""
        ports = [node.set_up for node in self.nodes if node.set_up]
        at: Sequence[NodeInterface | SetUpPort] = self.interfaces or ports
        return {i: manager for i in self.shape.managers if (manager := at[i].manager)}

    # What a bench looks at between steps.

    def ready(self, node: int, register: int) -> bool:
        """Return ``ready`` of a register in the cycle about to be stepped."""
        port, r = self._port(node, register)
        return r in port.ready

    def done(self, node: int, register: int) -> bool:
        """Return ``done`` of a register in the cycle about to be stepped."""
        port, r = self._port(node, register)
        return r in port.done

    def broken(self, node: int, register: int) -> bool:
        """Return ``broken`` of a register in the cycle about to be stepped."""
        port, r = self._port(node, register)
        return r in port.broken or (node, register) in self._breaks

    def port_state(self, node: int) -> PortState:
        """Return what a process sees in the cycle about to be stepped; see `PortState`."""
        data_bits, ready, done, broken, result = self.shape.router.layout.data_bits, 0, 0, 0, 0
        ports = [self._ports[node].outputs(self._messages.get(node))] if self._ports else []
        ports += self._slots.outputs(node) if self._slots else []
        first = 0
        for port in ports:
            for r, value in enumerate(port.result):
                ready |= (r in port.ready) << first
                done |= (r in port.done) << first
                broken |= (r in port.broken) << first
                result |= (value or 0) << first * data_bits
                first += 1
        return PortState(ready, done, broken, result)

    def observe(self, target: int) -> int:
        """Return the state of a target that benches see: there is none."""
        return 0

    def manager_state(self, node: int) -> ManagerState:
        """Return what a manager's status says in the cycle about to be stepped."""
        return self.managers[node].state

    def requests_sent(self, node: int) -> int:
        """Return how many requests a manager has sent since reset."""
        return self.managers[node].sent

    def freed(self, node: int) -> list[int]:
        """Return the reports of ended groups that a manager holds, the oldest first."""
        return list(self.managers[node].freed)

    def is_empty(self) -> bool:
        """Return whether no packet is waiting or in flight; one that a fault has lost is."""
        return self.processes.is_empty

    def inject(self, faults: Iterable[Fault]) -> None:
        """Let there be faults of links, in cycles to come.

        Parameters
        ----------
        faults : iterable of Fault

        Raises
        ------
        ValueError
            A cycle is over, or a link has no guards; without check bits none has.
        """
        planned = list(faults)
        late = min((fault.cycle for fault in planned), default=self.cycle)
        if late < self.cycle:
            raise ValueError(f"cycle {late} is over; the next one is {self.cycle}")
        self._movement.faults.inject(planned)

    # A cycle.

    def step(
        self,
        *,
        arrive: Mapping[tuple[int, int], int] = NO_ARRIVALS,
        last: Collection[tuple[int, int]] = (),
        config: ConfigRequest | None = None,
        load: int | None = None,
        enable: bool = False,
        rate: int = 0,
    ) -> Record | None:
        """Advance one clock with these inputs.

        Parameters
        ----------
        arrive : mapping of (node, register) to data
            The ``arrive`` bits that are high.
        last : collection of (node, register)
            The ``last`` bits that are high.
        config : ConfigRequest, optional
            The host's request: its ``node`` is a target, its ``address`` has 8 bits.
        load : int, optional
            Seed, with ``traffic_load`` high.
        enable : bool
            ``traffic_enable``.
        rate : int
            ``traffic_rate``, 24 bits.

        Returns
        -------
        Record or None
            What is on the wires before the edge; None if that is nothing.

        Raises
        ------
        ValueError
            A request comes before the last one is answered.
        """
        now = self.cycle
        record: Record | None = None
        if config is not None:
            self._ask(now, config)
        ports = self.changed_ports()
        if arrive or self._moves(now):
            record = self._step(now, arrive, last)
        else:
            self.cycle = now + 1
            self._turn_page()
        if ports:
            record = (record or NOTHING)._replace(ports=ports)
        if enable or load is not None or self.traffic.warm:
            for source, destination in self.traffic.step(load=load, enable=enable, rate=rate):
                self.processes.create(source, destination, now)
        return record

    def put(
        self,
        node: int,
        payloads: Sequence[int],
        channel: int = 0,
        *,
        head: bool = True,
        tail: bool = True,
    ) -> None:
        """Put flits of a node's software into its source, as if in the cycle stepped last.

        The first can go in the coming cycle. An observer is called for the packet where it comes
        out.

        Parameters
        ----------
        node : int
            The sender.
        payloads : sequence of int
            Of every flit, at least one.
        channel : int
            Ordinary channel, 0 to V - 1, of the packet that begins here.
        head, tail : bool
            Whether the first is marked as a packet's head, and the last as its tail.

        Raises
        ------
        ValueError
            There is no such channel, or no flit.
        """
        self.processes.put(node, payloads, channel, self.cycle - 1, head=head, tail=tail)

    def _ask(self, now: int, config: ConfigRequest) -> None:
        """Let a request go along the chain: it is at its target's node some cycles later."""
        if self._asked:
            raise ValueError(
                f"a request in cycle {now} comes before the last one's answer; wait for it"
            )
        self._asked = True
        if config.node < self.shape.targets:
            self._requests[now + config.node] = self._wiring.place_of(config.node), config
        else:  # the end of the chain refuses it
            self._answers[now + 2 * self.shape.targets + 1] = True, True, 0, 0

    def _moves(self, now: int) -> bool:
        """Return whether anything happens in a cycle without arrivals."""
        return bool(
            self._movement.active
            or self._movement.flowing
            or now in self._requests
            or self.processes.moves
            or now in self._movement.due
            or self._movement.faults.is_due(now)
            or self._visits(now)
            or (self._slots and self._slots.moves_in(now))
            or (self.streams and self.streams.moves_in(now))
        )

    def _visits(self, now: int) -> bool:
        """Return whether a visit that may change something becomes due in a cycle."""
        return bool(self._movement.watched) and (now - RESET + 1) % self._period == 0

    def _step(
        self, now: int, arrive: Mapping[tuple[int, int], int], last: Collection[tuple[int, int]]
    ) -> Record | None:
        """Go through a cycle in which something moves."""
        arrivals: dict[int, dict[int, Arrival]] = {}
        first = len(self.nodes) if self.interfaces else 0
        at_slots: dict[int, dict[int, Arrival]] = {}
        for (i, register), data in arrive.items():
            slot = register - self.shape.entry_registers
            if slot >= 0:
                at_slots.setdefault(i, {})[slot] = Arrival(data, (i, register) in last)
                continue
            here = arrivals.setdefault(first + i, {})
            here[register] = Arrival(data, (i, register) in last)
        visited = [*self._movement.watched] if self._visits(now) else ()
        if self.streams:
            self._movement.active.update(self.streams.step(now))
        self._changed |= {i for i, _ in arrive}
        request = self._requests.pop(now, None)
        words = self.streams.among_packets if self.streams else {}
        on_wires = self._movement.step(now, arrivals, request, visited, words)
        if self._slots:
            failed = self.streams.failed if self.streams else {}
            self._slots.step(now, at_slots, on_wires, self._movement.active.add, failed)
        if self.streams:
            self.streams.show(on_wires)
        self.processes.end_cycle()
        for place, (error, rdata, meaning) in self._movement.answers:
            at = now + 1 + self._wiring.target_of(place)
            self._answers[at] = True, error, rdata & meaning, meaning
        record = self._record(on_wires)
        self.cycle = now + 1
        self._turn_page()
        return record

    def _turn_page(self) -> None:
        """Make the outputs those of the next cycle."""
        if self._answers:
            *answer, self.config_meaning = self._answers.pop(self.cycle, (*SILENT, 0))
            self.config_answer = tuple(answer)  # type: ignore[assignment]
            self._asked &= not self.config_answer[0]
        elif self.config_answer[0]:
            self.config_answer, self.config_meaning = SILENT, 0
        self._messages = dict(self._movement.releases)
        self._changed |= self._messages.keys() | (self._slots.answered if self._slots else set())
        over = [each for each in self._movement.releases if self._ports[each[0]].over(each[1])]
        self._breaks = {(i, message.entry) for i, message in over if message.kind == Kind.BROKEN}
        release = [
            (i, message.entry, message.data if message.kind != Kind.BROKEN else 0)
            for i, message in over
        ]
        if self._slots:
            first = self.shape.entry_registers
            for i, s, result, broken in self._slots.releases():
                release.append((i, first + s, result))
                if broken:
                    self._breaks.add((i, first + s))
        self.release = sorted(release)

    def changed_ports(self) -> list[tuple[int, PortState]]:
        """Return what ports show in the coming cycle, where that is new; to be asked once.

        Those that get a message in it may show something else in the next one, too.
        """
        changed: list[tuple[int, PortState]] = []
        if not self._changed:
            return changed
        for i in sorted(self._changed):
            state = self.port_state(i)
            if state != self._states.get(i, PortState()):
                self._states[i] = state
                changed.append((i, state))
        self._changed = {*self._messages, *(self._slots.answered if self._slots else ())}
        return changed

    def _record(self, on_wires: OnWires) -> Record | None:
        """Return what is on the wires."""
        if on_wires.is_empty and not self.release:
            return None
        record = self._recorder.record(on_wires.wires, on_wires.credits, self.release)
        if on_wires.guards:
            record = record._replace(guards=sorted(on_wires.guards.items()))
        if on_wires.beats:
            record = record._replace(beats=sorted(on_wires.beats.items()))
        return record

    def idle_until(self, *, enable: bool = False, rate: int = 0) -> int | None:
        """Return a cycle before which every ``step`` would do nothing and return None.

        Parameters
        ----------
        enable, rate : bool, int
            The traffic inputs, as they will stay; all other inputs are to stay low.

        Returns
        -------
        int or None
            None if nothing will ever happen without other inputs.
        """
        now = self.cycle
        if self.config_answer[0] or self._moves(now):
            return now
        ahead = self.traffic.idle(enable=enable, rate=rate)
        wakes = [] if ahead is None else [now + ahead]
        wakes += [*self._requests, *self._answers, *self._movement.due]
        fault = self._movement.faults.following()
        wakes += [] if fault is None else [fault]
        if self._movement.watched:
            periods = (now - RESET + 1) // self._period + 1
            wakes.append(periods * self._period - 1 + RESET)
        wakes += self._slots.wakes(now) if self._slots else []
        wakes += self.streams.wakes(now) if self.streams else []
        return min(wakes, default=None)

    def skip(self, cycles: int, *, enable: bool = False) -> None:
        """Advance by cycles that ``idle_until`` said are idle, with the same inputs."""
        self.cycle += cycles
        self.traffic.skip(cycles, enable=enable)
        self._turn_page()


def model_of(network: MessageSpec, *, observer: Observer | None = None) -> CollectiveNetwork:
    """Return a golden model as it is after reset.

    Parameters
    ----------
    network : MessageSpec
        The table ``[network]`` of the network file.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """
    shape = network.shape
    if isinstance(network, IrregularSpec) and network.routed_by_tables:
        rows = ([max(port, 0) for port in row] for row in routing_tables(network))
        shape = replace(shape, routes=tuple(map(tuple, rows)))
    return CollectiveNetwork(shape, observer=observer)
