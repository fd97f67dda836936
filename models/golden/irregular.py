"""A whole irregular network, cycle by cycle, as docs/microarchitecture.md fixes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from syncfabric.models.golden.channel import Flit
from syncfabric.models.golden.inputs import Place
from syncfabric.models.golden.irregular_wiring import IrregularWiring
from syncfabric.models.golden.model import Arrivals, GoldenModel
from syncfabric.models.golden.node_interface import NodeUnit
from syncfabric.models.golden.record import ConfigRequest, Observer, Record
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.switch import Switch
from syncfabric.models.golden.switch_channel import SwitchChannels
from syncfabric.models.golden.switch_register import TreeRules
from syncfabric.models.golden.switch_source import SwitchSources
from syncfabric.models.golden.switch_unit import Events, SwitchUnit
from syncfabric.models.golden.wire_place import WirePlace
from syncfabric.models.golden.wire_wiring import WireWiring
from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["ConfigRequest", "IrregularModel", "Observer", "Record"]


class IrregularModel(GoldenModel):
    """Cycle-exact model of ``rtl/irregular/``; what a bench sees of it is said at ``GoldenModel``.

    Places are numbered as on the config port: the nodes' interfaces, then the switches.

    Parameters
    ----------
    network : IrregularSpec
        The table ``[network]`` of the network file, its links and nodes written out.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """

    node_type: type[NodeUnit] = NodeUnit
    switch_type: type[SwitchUnit] = SwitchUnit
    channels_type: type[SwitchChannels] = SwitchChannels

    def __init__(self, network: IrregularSpec, *, observer: Observer | None = None) -> None:
        wiring = self.wiring = IrregularWiring(network)
        super().__init__(network, wiring, observer)
        self.network = network
        self.packets: SwitchChannels = self.channels_type(
            network, wiring, self.credits, self._freed, observer
        )
        self.sources: SwitchSources = SwitchSources(wiring, network.layout, self.credits)
        self._ends = self._list_ends() if network.has_messages else {}
        self._events: Events = []
        self._routers: list[Switch] = []
        units: list[NodeUnit] = []
        if network.has_messages:
            units = [self._node_unit(node) for node in range(wiring.nodes)]
            self._routers = self._build_places(units)
        count = wiring.nodes + wiring.switches
        places: Sequence[Place] = self._routers or [WirePlace() for _ in range(count)]
        self._join(network, WireWiring.of_irregular(network.topology), places, units)
        # Places below this are presented a message while it is on the link, the others later.
        self._prompt = wiring.nodes if network.cycles_per_hop == 2 else count
        self._closed: list[int] = []
        self._opening: list[int] = []
        self._asked: ConfigRequest | None = None
        self._late_events: Events = []

    def _build_places(self, units: Sequence[NodeUnit]) -> list[Switch]:
        """Return what takes and sends synchronization messages."""
        wiring = self.wiring
        return [
            *(self._place(unit, [self._sync(wiring.sinks[unit.node]), None]) for unit in units),
            *(self._switch(switch) for switch in range(wiring.switches)),
        ]

    def _sync(self, link: int) -> int:
        """Return the lane of synchronization of a link."""
        return link * self.wiring.lanes + self.wiring.link_channels

    def _list_ends(self) -> dict[int, tuple[int, int]]:
        """Return place and port to which every lane of synchronization leads."""
        wiring = self.wiring
        ends = {self._sync(link): (node, 0) for link, node in wiring.node_on.items()}
        for link, end in enumerate(wiring.fed):
            if end is not None:
                ends[self._sync(link)] = (wiring.nodes + end[0], end[1])
        return ends

    def _node_unit(self, node: int) -> NodeUnit:
        exits = [self._sync(self.wiring.first_injection + node), None]
        rules = TreeRules(self.network, exits)
        return self.node_type(self.network, rules, node, self.credits, self._events, self._released)

    def _switch(self, switch: int) -> Switch:
        wiring = self.wiring
        exits = [wiring.lane(switch, port, wiring.link_channels) for port in range(wiring.ports)]
        rules = TreeRules(self.network, exits)
        target = wiring.nodes + switch
        unit = self.switch_type(self.network, rules, target, self.credits, self._events)
        feeding = [None if link is None else self._sync(link) for link in wiring.feeding[switch]]
        return self._place(unit, feeding)

    def _place(self, unit: SwitchUnit, lanes_in: Sequence[int | None]) -> Switch:
        return Switch(self.network, unit, self._plane, lanes_in, self.wiring.lanes)

    def is_moving(self) -> bool:
        """Return whether anything may happen in the coming cycle without inputs."""
        late = self._closed or self._late_events or self._asked is not None
        return bool(late) or super().is_moving()

    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        """Obey the request of the cycle before; what is sent now may stand in its way."""
        self._send(now)
        request, self._asked = self._asked, config
        if request is None:
            return []
        met: set[int] = set()
        if 0 <= request.node < len(self._routers):
            met = self._routers[request.node].matched(now)
            met.update(register for node, register in arrive if node == request.node)
        return self._inputs.configure(request, met)

    def _send(self, now: int) -> None:
        """Put the messages of all places on the links, and present those that are seen at once."""
        places, plane = self._routers, self._plane
        for target in self._awake:
            places[target].send(now)
        # Without slots nobody gives credits: an output is open again after a cycle's rest.
        self._opening = self._closed
        self._closed = [] if self.network.buffered else [lane for lane, _ in plane.sent]
        plane.sent = [sent for sent in plane.sent if sent[0] in self._ends]
        if self.guards is not None:
            self._passed = self._guard(self.guards, now)
        for lane, message in self._plane.sent:
            target, port = self._ends[lane]
            if target < self._prompt:
                places[target].arriving[port] = message
                self._awake.add(target)

    def _synchronize(self, now: int, accepted: Arrivals) -> None:
        for process, register, data in accepted:
            process.arrive(register, data)
            self._awake.add(process.node)
        awake = self._awake.copy()
        self._awake.clear()
        for target in awake:
            if self._routers[target].take(now):
                self._awake.add(target)

    def _transport(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        held = self._plane.held_outputs
        if self.packets.is_moving():
            self.packets.cross(now, held, flits)
        if self.sources.is_moving():
            self.sources.inject(now, held, flits)
        for switch in self.packets.dropped:
            target = self.wiring.nodes + switch
            self._places[target].unit.count(Counter.STRAY)
            self.touched.add(target)
        self.packets.dropped.clear()

    def _edge(self, accepted: Arrivals) -> None:
        for lane, message in self._plane.sent:
            target, port = self._ends[lane]
            if target >= self._prompt:
                self._routers[target].standing[port] = message
                self._awake.add(target)
        if self._opening:
            self._return(self._opening)
        for unit, counter in self._late_events:
            unit.show(counter)
            self.touched.add(unit.node)
        self._late_events = self._events.copy()
        self._events.clear()

    def ends(self, link: int) -> tuple[int, int] | None:
        """Return from where a guarded link leads, and to where; None of a link without guards."""
        wiring, end = self.wiring, self.wiring.fed[link]
        node = link - wiring.first_injection
        source = node if node >= 0 else wiring.nodes + link // wiring.ports
        if end is not None:
            return source, wiring.nodes + end[0]
        return (source, wiring.node_on[link]) if link in wiring.node_on else None

    def port_links(self, place: int) -> Sequence[tuple[int, int | None]]:
        """Return the links away from a place and towards it, by port; None: there is none."""
        wiring, switch = self.wiring, place - self.wiring.nodes
        if switch < 0:
            return [(wiring.first_injection + place, wiring.sinks[place])]
        first, towards = switch * wiring.ports, wiring.feeding[switch]
        return [(first + port, towards[port]) for port in range(wiring.ports)]

    def has_room(self, lane: int) -> bool:
        """Return whether a buffer, or slot, had room at the start of the cycle."""
        if lane not in self._ends:
            return self.packets.has_room(lane)
        target, port = self._ends[lane]
        return not self.network.buffered or port not in self._routers[target].standing

    def _wake(self, lane: int) -> None:
        wiring = self.wiring
        link, channel = divmod(lane, wiring.lanes)
        node = link - wiring.first_injection
        if channel == wiring.link_channels:
            self._awake.add(node if node >= 0 else wiring.nodes + link // wiring.ports)
        elif node >= 0:
            self.sources.credited(node, lane)
        else:
            self.packets.credited(lane)
