"""A whole BTM mesh, cycle by cycle, as docs/microarchitecture.md fixes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.channel import Flit
from syncfabric.models.golden.inputs import Place
from syncfabric.models.golden.mesh_channel import MeshChannels
from syncfabric.models.golden.model import Arrivals, GoldenModel
from syncfabric.models.golden.record import ConfigRequest, Observer, Record
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.source import Sources
from syncfabric.models.golden.sync_router import SyncRouter
from syncfabric.models.golden.wire_place import WirePlace
from syncfabric.models.golden.wire_wiring import WireWiring
from syncfabric.models.golden.wiring import HERE, Wiring
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["ConfigRequest", "MeshModel", "Observer", "Record"]


class MeshModel(GoldenModel):
    """Cycle-exact model of ``rtl/mesh/``; what a bench sees of it is said at ``GoldenModel``.

    Parameters
    ----------
    network : MeshSpec
        The table ``[network]`` of the network file.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """

    unit_type: type[BarrierUnit] = BarrierUnit
    channels_type: type[MeshChannels] = MeshChannels

    def __init__(self, network: MeshSpec, *, observer: Observer | None = None) -> None:
        wiring = self.wiring = Wiring(network)
        super().__init__(network, wiring, observer)
        self.network = network
        self.packets: MeshChannels = self.channels_type(wiring, self.credits, self._freed, observer)
        self.sources = Sources(wiring, network.layout, self.credits)
        self._routers: list[SyncRouter] = []
        self._message_slots: dict[int, tuple[int, int]] = {}
        if network.has_messages:
            self._build_messages()
        places: Sequence[Place] = self._routers or [WirePlace() for _ in range(wiring.nodes)]
        units = [router.unit for router in self._routers]
        self._join(network, WireWiring.of_mesh(network.mesh), places, units)

    def _build_messages(self) -> None:
        """Put together what takes and sends synchronization messages."""
        wiring = self.wiring
        rules = Rules(self.network, wiring)
        self._routers = [self._router(rules, node) for node in range(wiring.nodes)]
        for link, end in enumerate(wiring.fed):
            if end is not None:
                for turn in range(2):
                    lane = link * wiring.lanes + wiring.link_channels + turn
                    self._message_slots[lane] = (end[0], 2 * end[1] + turn)

    def _router(self, rules: Rules, node: int) -> SyncRouter:
        unit = self.unit_type(self.network, rules, node, self.credits, self._released)
        return SyncRouter(self.network, rules, unit, self._plane)

    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        return [] if config is None else self._inputs.configure(config)

    def _synchronize(self, now: int, accepted: Arrivals) -> None:
        awake = self._awake.copy()
        self._awake.clear()
        for node in awake:
            if self._routers[node].step(now):
                self._awake.add(node)

    def _transport(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        if self.packets.ready:
            plane = self._plane
            self.packets.send(now, plane.held_inputs, plane.held_outputs, flits)
        if self.sources.is_moving():
            self.sources.send(now, flits)

    def _edge(self, accepted: Arrivals) -> None:
        for lane, message in self._plane.sent:
            end = self._message_slots.get(lane)
            if end is not None:
                self._routers[end[0]].receive(end[1], message)
                self._awake.add(end[0])
        for port, register, data in accepted:
            port.arrive(register, data)
            self._awake.add(port.node)

    def ends(self, link: int) -> tuple[int, int] | None:
        """Return from where a guarded link leads, and to where; None of a link without guards."""
        router, port = divmod(link, self.wiring.ports)
        if link >= self.wiring.first_injection or port == HERE:
            return None
        end = self.wiring.fed[link]
        return router, -1 if end is None else end[0]

    def port_links(self, place: int) -> Sequence[tuple[int, int | None]]:
        """Return the links away from a place and towards it, by port; None: there is none."""
        towards = self.wiring.feeding[place]
        return [(place * 5 + port, towards[port]) for port in range(HERE)]

    def has_room(self, lane: int) -> bool:
        """Return whether a buffer, or slot, had room at the start of the cycle."""
        node, slot = self._message_slots.get(lane, (-1, -1))
        if node < 0:
            return self.packets.has_room(lane)
        return self._routers[node].slots[slot] is None and lane not in self._freed

    def _wake(self, lane: int) -> None:
        wiring = self.wiring
        link, channel = divmod(lane, wiring.lanes)
        if link >= wiring.first_injection:
            self.sources.credited(link - wiring.first_injection, lane)
        elif channel < wiring.link_channels:
            self.packets.credited(lane)
        else:
            self._awake.add(link // wiring.ports)
