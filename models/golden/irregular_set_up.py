"""An irregular network whose groups managers set up, cycle by cycle."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from syncfabric.models.golden.channel import HEAD, TAIL, Flit
from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.living_unit import LivingNode, LivingUnit
from syncfabric.models.golden.model import Arrivals
from syncfabric.models.golden.record import ConfigRequest, Observer
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.set_up_channel import SetUpChannels
from syncfabric.models.golden.set_up_model import ManagedModel
from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.golden.set_up_steps import Dialect
from syncfabric.models.messages import ARRIVED, COMMAND_WORD, LIFE, MOST_PORTS, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["ManagedIrregularModel"]


class ManagedIrregularModel(ManagedModel, IrregularModel):
    """An ``IrregularModel`` with set-up sinks and managers.

    Parameters
    ----------
    network : IrregularSpec
        With ``setup = "manager"``.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """

    node_type = LivingNode
    switch_type = LivingUnit
    channels_type = SetUpChannels
    packets: SetUpChannels

    def __init__(self, network: IrregularSpec, *, observer: Observer | None = None) -> None:
        self._alarms = set()
        IrregularModel.__init__(self, network, observer=observer)
        wiring, flit = self.wiring, network.layout.flit
        nodes = [network.topology.index(place) for place in network.manager_nodes]
        headers = [wiring.headers[node] for node in nodes]
        if network.has_messages:
            sinks = self._register_sinks(headers)
        else:
            targets = range(wiring.nodes, wiring.nodes + wiring.switches)
            sinks = self._slot_sinks(targets, network.ports, headers, flit)
        self._build(sinks)
        self._employ(nodes, image_words=1, routers=wiring.switches, flit=flit)

    def _register_sinks(self, headers: Sequence[int]) -> dict[int, SetUpSink]:
        """Return the sinks for registers of messages."""
        flit, sinks = self.network.layout.flit, {}
        for switch, place in enumerate(self._routers[self.wiring.nodes :]):
            unit = place.unit
            assert isinstance(unit, LivingUnit)
            unit.alarms = self._alarms
            sinks[unit.node] = SetUpSink(unit, _dialect(unit), switch, headers, flit)
        return sinks

    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        """Obey the request of the cycle before, and those of the set-up sinks."""
        looked_at = self._asked
        written = super()._configure(now, config, arrive)
        self._begin_sinks(now, looked_at, written)
        return written

    def _met(self, now: int, target: int) -> Collection[int]:
        return self._routers[target].matched(now)

    def _transport(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        nodes = self.wiring.nodes
        self._request(flits)
        super()._transport(now, flits)
        self._hear(flits)
        for switch, raw in self.packets.taken:
            self._accept(nodes + switch, raw)
        self.packets.taken.clear()
        for switch in self.packets.replied:
            self._sinks[nodes + switch].replied()
        self.packets.replied.clear()

    def _request(self, flits: list[tuple[int, Flit]]) -> None:
        """Put the managers' flits on the links from their nodes, before ordinary ones."""
        wiring, held = self.wiring, self._plane.held_outputs
        for node, manager in self.managers.items():
            link, lane = wiring.first_injection + node, wiring.injection(node, wiring.channels)
            if manager.offer is not None and link not in held and self.credits[lane]:
                self.credits[lane] -= 1
                held.add(link)
                raw = manager.take()
                mark = HEAD * bool(raw & manager.head) | TAIL * bool(raw & manager.tail)
                flits.append((lane, (raw, mark, 0, self._set_up_packet)))

    def _hear(self, flits: list[tuple[int, Flit]]) -> None:
        """Hand the managers what comes to their nodes."""
        wiring = self.wiring
        for lane, flit in flits:
            link, channel = divmod(lane, wiring.lanes)
            if channel == wiring.channels and link in wiring.node_on:
                manager = self.managers.get(wiring.node_on[link])
                if manager is not None:
                    manager.hear(flit[0])

    def _reply(self, target: int, flits: list[int]) -> None:
        self.packets.reply(target - self.wiring.nodes, flits)

    def _listen(self, target: int, listening: bool) -> None:
        self.packets.listen(target - self.wiring.nodes, listening)

    def _edge(self, accepted: Arrivals) -> None:
        self._end()
        super()._edge(accepted)


def _dialect(unit: LivingUnit) -> Dialect:
    kept = unit.rules.kept_bits
    busy = ARRIVED.pack({"arrived": (1 << MOST_PORTS) - 1, "fired": 1})
    return Dialect(
        image={int(SwitchWord.TREE): kept[SwitchWord.TREE]},
        control=kept[SwitchWord.CONTROL],
        state=int(SwitchWord.ARRIVED),
        busy=busy | LIFE.pack({"dying": 1}) << ARRIVED.width,
        command=COMMAND_WORD,
    )
