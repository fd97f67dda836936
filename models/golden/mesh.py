"""A whole BTM mesh, cycle by cycle, as docs/microarchitecture.md fixes it."""

from __future__ import annotations

from collections.abc import Mapping

from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.channel import Flit, Wormhole
from syncfabric.models.golden.inputs import Inputs
from syncfabric.models.golden.record import ConfigRequest, Message, Observer, Record, Recorder
from syncfabric.models.golden.router import Plane, SyncRouter
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.source import Sources
from syncfabric.models.golden.spill import Answer, SpillEngine
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.traffic import TrafficGenerator

__all__ = ["ConfigRequest", "MeshModel", "Observer", "Record"]

NO_ARRIVALS: Mapping[tuple[int, int], int] = {}
NO_SPILL_ARRIVALS: Mapping[int, tuple[int, int]] = {}
SILENT: Answer = (False, False, 0)


class MeshModel:
    """Cycle-exact model of ``rtl/mesh/``: only what moves is looked at.

    Parameters
    ----------
    network : MeshSpec
        The table ``[network]`` of the network file.
    observer : Observer, optional
        Hears of packets, messages and flits.

    Attributes
    ----------
    cycle : int
        Number of the cycle about to be stepped, 0 for the first after reset.
    started : bool
        Whether ``start`` has been high before this cycle.
    release : list of (node, register, result)
        Releases that are high in this cycle, rising.
    spill_release : list of (node, gid, result)
        The same of spilled groups.
    config_answer : (bool, bool, int)
        ``config_ready``, ``config_error`` and ``config_rdata`` in this cycle.
    touched : set of int
        Nodes whose ``observe`` may have changed; the reader clears it.
    """

    def __init__(self, network: MeshSpec, *, observer: Observer | None = None) -> None:
        wiring = self.wiring = Wiring(network)
        self.network, self.observer = network, observer
        self.cycle, self.started = 0, False
        self.release: list[tuple[int, int, int]] = []
        self.spill_release: list[tuple[int, int, int]] = []
        self.config_answer: Answer = SILENT
        lanes = wiring.links * wiring.lanes
        self.credits = [
            network.buffer_flits if lane % wiring.lanes < wiring.channels else 1
            for lane in range(lanes)
        ]
        self._recorder = Recorder(lanes, network.barrier_registers)
        self._first_injection = wiring.injection(0, 0)
        self._freed: list[int] = []
        self._plane = Plane(self.credits, self._freed, observer)
        self.touched = self._plane.touched
        self.packets = Wormhole(wiring, self.credits, self._freed, observer)
        self.sources = Sources(wiring, network.layout, self.credits)
        self.traffic = TrafficGenerator(wiring.nodes)
        self._released: list[tuple[int, int, int]] = []
        self._spill_released: list[tuple[int, int, int]] = []
        self._answers: list[Answer] = []
        self._awake: set[int] = set()
        rules = Rules(network, wiring)
        self._routers = [self._router(rules, node) for node in range(wiring.nodes)]
        self._inputs = Inputs(self._routers, self._answers, self._awake, self.touched)
        self._slots: dict[int, tuple[int, int]] = {}
        for link, end in enumerate(wiring.fed):
            if end is not None:
                for turn in range(2):
                    lane = link * wiring.lanes + wiring.channels + turn
                    self._slots[lane] = (end[0], 2 * end[1] + turn)

    def _router(self, rules: Rules, node: int) -> SyncRouter:
        unit = BarrierUnit(self.network, rules, node, self.credits, self._released)
        spill = None
        if self.network.spill:
            spill = SpillEngine(unit, rules, self._spill_released, self._answers)
        return SyncRouter(self.network, rules, unit, spill, self._plane)

    def step(
        self,
        *,
        arrive: Mapping[tuple[int, int], int] = NO_ARRIVALS,
        spill_arrive: Mapping[int, tuple[int, int]] = NO_SPILL_ARRIVALS,
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
        spill_arrive : mapping of node to (gid, data)
            The ``spill_arrive`` requests that are valid.
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
        if self._is_awake() or arrive or spill_arrive or config is not None:
            record = self._step(now, arrive, spill_arrive, config)
        if start:
            self.started = True
        if enable or load is not None or self.traffic.warm:
            for source, destination in self.traffic.step(load=load, enable=enable, rate=rate):
                self.sources.create(source, destination, now)
        return record

    def _is_awake(self) -> bool:
        work = self._awake or self._freed or self.packets.ready or self.sources.ready
        news = self.release or self.spill_release or self.config_answer[0]
        return bool(work or news)

    def _step(
        self,
        now: int,
        arrive: Mapping[tuple[int, int], int],
        spill_arrive: Mapping[int, tuple[int, int]],
        config: ConfigRequest | None,
    ) -> Record | None:
        plane, routers, started = self._plane, self._routers, self.started
        credit = self._freed.copy()
        self._freed.clear()
        messages: list[tuple[int, Message]] = []
        plane.sent = messages
        flits: list[tuple[int, Flit]] = []
        written = self._inputs.configure(config) if config is not None else None
        accepted = self._inputs.accepted(arrive, started) if arrive else []
        held = self._inputs.held(spill_arrive) if spill_arrive else []

        awake = self._awake.copy()
        self._awake.clear()
        for node in awake:
            if routers[node].step(now, started):
                self._awake.add(node)
        if self.packets.ready:
            self.packets.send(now, plane.held_inputs, plane.held_outputs, flits)
        if plane.held_inputs:
            plane.held_inputs.clear()
        plane.held_outputs.clear()
        if self.sources.ready:
            self.sources.send(now, flits)
        record: Record | None = None
        if flits or messages or credit or self.release or self.spill_release:
            wires = {lane: flit[0] for lane, flit in flits}
            for lane, message in messages:
                wires[lane] = message.raw
            record = self._recorder.record(wires, credit, self.release, self.spill_release)
            if self.observer is not None:
                for lane, _ in flits:
                    self.observer.flit(lane // self.wiring.lanes, now)

        for lane, message in messages:
            end = self._slots.get(lane)
            if end is not None:
                routers[end[0]].receive(end[1], message)
                self._awake.add(end[0])
        if flits:
            self.packets.deliver(now, flits)
        if credit:
            self._return(credit)
        for node, register, data in accepted:
            routers[node].unit.arrive(register, data)
            self._awake.add(node)
        for engine, request in held:
            engine.holding = request
            self._awake.add(engine.unit.node)
        if written is not None:
            written.commit()
        self._turn_page()
        return record

    def _turn_page(self) -> None:
        """Make what the units have to say in the next cycle this cycle's."""
        if self._released:
            self.release = sorted(self._released)
            self._released.clear()
        elif self.release:
            self.release = []
        if self._spill_released:
            self.spill_release = sorted(self._spill_released)
            self._spill_released.clear()
        elif self.spill_release:
            self.spill_release = []
        self.config_answer = self._answers.pop() if self._answers else SILENT

    def _return(self, credit: list[int]) -> None:
        """Count the credits of this cycle, and wake whoever had none."""
        credits, lanes, channels = self.credits, self.wiring.lanes, self.wiring.channels
        for lane in credit:
            if not credits[lane]:
                if lane >= self._first_injection:
                    self.sources.credited(lane // lanes - 5 * self.wiring.nodes, lane)
                elif lane % lanes < channels:
                    self.packets.credited(lane)
                else:
                    self._awake.add(lane // lanes // 5)
            credits[lane] += 1

    # What a bench looks at between steps.

    def observe(self, node: int) -> int:
        """Return a router's ``observe`` wires at the start of the cycle about to be stepped."""
        return self._routers[node].unit.observe()

    def ready(self, node: int, register: int) -> bool:
        """Return ``ready`` of a register in the cycle about to be stepped."""
        return self.started and self._routers[node].unit.registers[register].valid

    def done(self, node: int, register: int) -> bool:
        """Return ``done`` of a register in the cycle about to be stepped."""
        return self._routers[node].unit.registers[register].done

    def spill_ready(self, node: int) -> bool:
        """Return ``spill_arrive_ready`` of a node in the cycle about to be stepped."""
        engine = self._routers[node].spill
        return engine is not None and engine.holding is None

    def is_empty(self) -> bool:
        """Return whether no packet is waiting or under way."""
        return self.packets.is_empty() and self.sources.is_empty()

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
        if self._is_awake():
            return self.cycle
        ahead = self.traffic.idle(enable=enable, rate=rate)
        return None if ahead is None else self.cycle + ahead

    def skip(self, cycles: int, *, enable: bool = False) -> None:
        """Advance by cycles that ``idle_until`` said are idle, with the same inputs."""
        self.cycle += cycles
        self.traffic.skip(cycles, enable=enable)
