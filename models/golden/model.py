"""What every golden network has in common: inputs, outputs, and when it may sleep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from syncfabric.models.faults.fault import Fault
from syncfabric.models.golden.channel import Flit
from syncfabric.models.golden.guarded_link import Passed
from syncfabric.models.golden.guards import Guards
from syncfabric.models.golden.inputs import Inputs, NodePort, Place
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.numbering import Numbering
from syncfabric.models.golden.plane import Plane
from syncfabric.models.golden.record import (
    Answer,
    ConfigRequest,
    Message,
    Observer,
    Record,
    Recorder,
)
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.shown import Shown
from syncfabric.models.golden.watchdog import Seen, Watchdog
from syncfabric.models.golden.wire_wiring import WireWiring
from syncfabric.models.golden.wires import WireModel
from syncfabric.models.messages import Counter, LinkCounter
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.traffic import TrafficGenerator

__all__ = ["Arrivals", "GoldenModel"]

Arrivals: TypeAlias = Sequence[tuple[NodePort, int, int]]
"""Accepted arrives: where, register and data."""

NO_ARRIVALS: Mapping[tuple[int, int], int] = {}
SILENT: Answer = (False, False, 0)


class GoldenModel(Shown, ABC):
    """Cycle-exact model of a network: only what moves is looked at.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        The table ``[network]`` of the network file.
    wiring : Numbering
        Numbering of the lanes.
    observer : Observer or None
        Hears of packets, messages and flits.

    Attributes
    ----------
    cycle : int
        Number of the cycle about to be stepped, 0 for the first after reset.
    started : bool
        Whether ``start`` has been high before this cycle.
    release : list of (node, register, result)
        Releases that are high in this cycle, rising.
    config_answer : (bool, bool, int)
        ``config_ready``, ``config_error`` and ``config_rdata`` in this cycle.
    touched : set of int
        Places, numbered as on the config port, whose ``observe`` may have changed; the reader
        clears it.
    managers : dict of node to Manager
        Who sets groups up through the network, if anyone does.
    wires : WireModel or None
        The barrier wires, if there are any.
    guards : Guards or None
        Those of links, with ``check_bits``.
    """

    _credit: Sequence[int]

    def __init__(self, network: RegisterSpec, wiring: Numbering, observer: Observer | None) -> None:
        self.observer = observer
        self._first_slot = network.first_slot
        self.cycle, self.started = 0, False
        self.release: list[tuple[int, int, int]] = []
        self.config_answer: Answer = SILENT
        self.credits = [
            network.buffer_flits if lane % wiring.lanes < wiring.link_channels else 1
            for lane in range(wiring.links * wiring.lanes)
        ]
        self.traffic = TrafficGenerator(wiring.nodes if wiring.channels else 1)
        self._wiring, self._lanes = wiring, wiring.lanes
        self._recorder = Recorder(wiring.outer * wiring.lanes, network.port_registers)
        self._shown: Sequence[tuple[int, int]] = ()
        self._freed: list[int] = []
        self._released: list[tuple[int, int, int]] = []
        self._answers: list[Answer] = []
        self._awake: set[int] = set()
        self.managers: dict[int, Manager] = {}
        self._plane = Plane(self.credits, self._freed, observer)
        self.touched = self._plane.touched
        self._watchdog = Watchdog(network.watchdog) if network.watched else None
        self.guards: Guards | None = None
        self._passed: Passed | None = None

    def _join(
        self,
        network: RegisterSpec,
        wiring: WireWiring,
        places: Sequence[Place],
        ports: Sequence[NodePort],
    ) -> None:
        """Take in the places, when they are there, and put wires between them, if asked for.

        Parameters
        ----------
        network : MeshSpec or IrregularSpec
        wiring : WireWiring
            Of barrier wires.
        places : sequence of Place
            All that the config port reaches, the nodes' first.
        ports : sequence of NodePort
            Where processes arrive at registers of messages, by node.
        """
        if network.guarded:
            for place in places:
                place.unit.counters.extend([0] * len(LinkCounter))
            self.guards = Guards(network, self._wiring, self)
        plane = network.wire_plane
        if plane is not None:
            counters = [place.unit.counters for place in places]
            self.wires = WireModel(
                wiring, plane, counters, self._released, self.touched, first=network.first_slot
            )
        self._places = places
        self._inputs = Inputs(
            places,
            ports,
            self._answers,
            self._awake,
            self.touched,
            self.managers,
            self.wires,
            self.guards,
        )

    def step(
        self,
        *,
        arrive: Mapping[tuple[int, int], int] = NO_ARRIVALS,
        last: Collection[tuple[int, int]] = (),
        start: bool = False,
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
            The ``last`` bits that are high; only with set-up by managers.
        start : bool
            ``start``.
        config : ConfigRequest, optional
            The request on the config port.
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
        """
        now = self.cycle
        self.cycle = now + 1
        record: Record | None = None
        if last:
            self._inputs.mark_last(last)
        moves = self.is_moving() or (self.wires is not None and self.wires.is_due(now))
        watchdog = self._watchdog
        if watchdog is not None:
            moves = moves or watchdog.is_due(now)
        if self.guards is not None:
            moves = moves or self.guards.is_due(now)
        if moves or arrive or config is not None:
            record = self._step(now, arrive, config)
        if last:
            self._inputs.mark_last(())
        if start:
            self.started = True
        if enable or load is not None or self.traffic.warm:
            for source, destination in self.traffic.step(load=load, enable=enable, rate=rate):
                self.sources.create(source, destination, now)
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

        The first can go in the coming cycle. Several at once are as good as one a cycle, for no
        more can go. They may bring their route along (irregular networks; route flits first). An
        observer hears of the packet where it comes out; of one that does not it does not hear.

        Parameters
        ----------
        node : int
            The sender.
        payloads : sequence of int
            Of every flit, at least one; of 32 bits, those above are 0.
        channel : int
            Ordinary channel, 0 to V - 1, of the packet that begins here.
        head, tail : bool
            Whether the first is marked as a packet's head, and the last as its tail.

        Raises
        ------
        ValueError
            There is no such channel, or no flit.
        """
        self.sources.put(node, payloads, channel, self.cycle - 1, head=head, tail=tail)

    def is_moving(self) -> bool:
        """Return whether anything but wires may move in the coming cycle without inputs."""
        if self._awake or self._freed or self.release:
            return True
        return self.config_answer[0] or self.packets.is_moving() or self.sources.is_moving()

    def _step(
        self,
        now: int,
        arrive: Mapping[tuple[int, int], int],
        config: ConfigRequest | None,
    ) -> Record | None:
        """Do everything that happens in a cycle, but for the traffic generator's part."""
        plane, inputs = self._plane, self._inputs
        credit = self._freed.copy()
        self._freed.clear()
        plane.sent = []
        self._credit = credit
        written = self._configure(now, config, arrive)
        if self.wires is not None:
            arrive = self._step_wires(self.wires, now, arrive)
        watchdog = self._watchdog
        seen = watchdog.look() if watchdog is not None and watchdog.is_due(now) else ()
        accepted = inputs.accepted(arrive, self.started) if arrive else []

        self._synchronize(now, accepted)
        flits: list[tuple[int, Flit]] = []
        if self.guards is None:
            self._transport(now, flits)
            record = self._record(now, flits, plane.sent, credit)
        else:
            passed, self._passed = self._passed or self._guard(self.guards, now), None
            record = self._record(
                now, passed.shown_flits, passed.shown_messages, passed.shown_credit
            )
            if passed.wires:
                record = record or self._recorder.record({}, (), ())
                record = record._replace(guards=passed.wires)
            flits, credit = passed.flits, passed.credit
            self.guards.fences.settle()
        plane.held_inputs.clear()
        plane.held_outputs.clear()

        if watchdog is not None:
            self._watch(watchdog, seen, accepted)
        self._edge(accepted)
        self._deliver(now, flits)
        if credit:
            self._return(credit)
        for unit in written:
            unit.commit(now)
        self._turn_page()
        return record

    def _guard(self, guards: Guards, now: int) -> Passed:
        """Put flits on the wires, and take all that is on them past the guards."""
        flits: list[tuple[int, Flit]] = []
        self._transport(now, flits)
        passed = guards.pass_on(now, flits, self._plane.sent, self._credit)
        self._plane.sent = passed.messages
        return passed

    # What guards ask of the network around them.

    @abstractmethod
    def ends(self, link: int) -> tuple[int, int] | None:
        """Return from where a guarded link leads, and to where; None of a link without guards."""

    @abstractmethod
    def port_links(self, place: int) -> Sequence[tuple[int, int | None]]:
        """Return the links away from a place and towards it, by port; None: there is none."""

    @abstractmethod
    def has_room(self, lane: int) -> bool:
        """Return whether a buffer, or slot, had room at the start of the cycle."""

    def happened(self, place: int, counter: Counter | LinkCounter) -> None:
        """Count an event of this cycle."""
        self._places[place].unit.count(counter)
        self.touched.add(place)

    def inject(self, faults: Iterable[Fault]) -> None:
        """Let there be faults of links, in cycles to come.

        Raises
        ------
        ValueError
            A link has no guards, or a cycle is over.
        """
        if self.guards is None:
            raise ValueError("without check_bits no link has guards")
        planned = list(faults)
        late = min((fault.cycle for fault in planned), default=self.cycle)
        if late < self.cycle:
            raise ValueError(f"cycle {late} is over; it is {self.cycle} now")
        self.guards.inject(planned)

    def _watch(self, watchdog: Watchdog, seen: Seen, accepted: Arrivals) -> None:
        """Let the watchdog do its work of a cycle, after all that messages do."""
        if seen:
            tripped = watchdog.bite(seen)
            self.touched.update(tripped)
            self._awake.update(tripped)
        for port, register, _ in accepted:
            watchdog.watch(port, register)

    def _step_wires(
        self, wires: WireModel, now: int, arrive: Mapping[tuple[int, int], int]
    ) -> Mapping[tuple[int, int], int]:
        """Take the wires through a cycle; return the arrivals that are at no slot."""
        first = self._first_slot
        at_slots, others = arrive, NO_ARRIVALS
        if first and arrive:
            at_slots = {place: data for place, data in arrive.items() if place[1] >= first}
            others = {place: data for place, data in arrive.items() if place[1] < first}
        self._shown = wires.step(now, at_slots)
        return others

    @abstractmethod
    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        """Obey the config port; return where registers may be written in this cycle."""

    @abstractmethod
    def _synchronize(self, now: int, accepted: Arrivals) -> None:
        """Let the places do what they do in this cycle, and leave in the plane what is sent."""

    @abstractmethod
    def _transport(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        """Put ordinary flits on the wires."""

    def _deliver(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        """Take ordinary flits from the wires."""
        if flits:
            self.packets.deliver(now, flits)

    @abstractmethod
    def _edge(self, accepted: Arrivals) -> None:
        """Hand on what the places see from the next cycle on."""

    def _record(
        self,
        now: int,
        flits: Sequence[tuple[int, Flit]],
        messages: Sequence[tuple[int, Message]],
        credit: Sequence[int],
    ) -> Record | None:
        """Return what is on the wires, and let the observer see the flits."""
        shown = self._shown
        if not (flits or messages or credit or self.release or shown):
            return None
        wires = {lane: flit[0] for lane, flit in flits}
        for lane, message in messages:
            wires[lane] = message.raw
        if self.observer is not None:
            for lane, _ in flits:
                self.observer.flit(lane // self._lanes, now)
        return self._recorder.record(wires, credit, self.release, shown)

    def _turn_page(self) -> None:
        """Make what the units have to say in the next cycle this cycle's."""
        if self._released:
            self.release = sorted(self._released)
            self._released.clear()
        elif self.release:
            self.release = []
        self.config_answer = self._answers.pop() if self._answers else SILENT

    def _return(self, credit: Sequence[int]) -> None:
        """Count the credits of this cycle, and wake whoever had none."""
        credits = self.credits
        for lane in credit:
            if not credits[lane]:
                self._wake(lane)
            credits[lane] += 1

    @abstractmethod
    def _wake(self, lane: int) -> None:
        """Wake whoever waits for the first credit of a lane."""

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
        if self.is_moving():
            return self.cycle
        ahead = self.traffic.idle(enable=enable, rate=rate)
        created = None if ahead is None else self.cycle + ahead
        wakes = [created]
        if self.wires is not None:
            wakes.append(self.wires.idle_until(self.cycle))
        if self._watchdog is not None:
            wakes.append(self._watchdog.idle_until(self.cycle))
        if self.guards is not None:
            wakes.append(self.guards.idle_until(self.cycle))
        return min((wake for wake in wakes if wake is not None), default=None)

    def skip(self, cycles: int, *, enable: bool = False) -> None:
        """Advance by cycles that ``idle_until`` said are idle, with the same inputs."""
        self.cycle += cycles
        self.traffic.skip(cycles, enable=enable)
