"""An irregular network whose groups managers set up, cycle by cycle."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from syncfabric.models.golden.channel import HEAD, TAIL, Flit
from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.living_unit import LivingNode, LivingUnit
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.model import Arrivals
from syncfabric.models.golden.record import ConfigRequest, Observer, Packet
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.set_up_channel import SetUpChannels
from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.golden.set_up_steps import Access, Dialect
from syncfabric.models.messages import (
    ARRIVED,
    COMMAND_WORD,
    LIFE,
    MOST_PORTS,
    Counter,
    SwitchWord,
)
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["ManagedIrregularModel"]


class ManagedIrregularModel(IrregularModel):
    """An ``IrregularModel`` with set-up sinks and managers (sections S1 to S5).

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
        self._alarms: set[int] = set()
        super().__init__(network, observer=observer)
        wiring, flit = self.wiring, network.layout.flit
        nodes = [network.topology.index(place) for place in network.manager_nodes]
        headers = [wiring.headers[node] for node in nodes]
        self._sinks: dict[int, SetUpSink] = {}
        for switch in range(wiring.switches):
            unit = self._routers[wiring.nodes + switch].unit
            assert isinstance(unit, LivingUnit)
            unit.alarms = self._alarms
            self._sinks[unit.node] = SetUpSink(unit, _dialect(unit), switch, headers, flit)
        for number, node in enumerate(nodes):
            stray = partial(self._routers[node].unit.count, Counter.STRAY)
            self.managers[node] = Manager(number, 1, wiring.switches, flit, stray)
        self._packet = Packet(-1, -1, -1, -1)
        self._accessed: set[int] = set()

    def is_moving(self) -> bool:
        """Return whether anything may happen in the coming cycle without inputs."""
        if self._alarms or any(manager.is_moving() for manager in self.managers.values()):
            return True
        return super().is_moving()

    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        """Obey the request of the cycle before, and those of the set-up sinks."""
        looked_at = self._asked
        written = super()._configure(now, config, arrive)
        addressed = -1
        if looked_at is not None:
            addressed = looked_at.node
            if written:
                self._accessed.add(addressed)
        for target in sorted(self._alarms):
            does = partial(self._access, now, target, written)
            self._sinks[target].begin(now, target != addressed, does)
        return written

    def _access(
        self, now: int, target: int, written: list[RegisterFile[Any]], access: Access
    ) -> tuple[bool, int]:
        """Do what a set-up sink asks of its own switch."""
        switch = self._routers[target]
        met = switch.matched(now) if access.write else ()
        written.append(switch.unit)
        self.touched.add(target)
        self._accessed.add(target)
        return configure(switch.unit, access.address, access.write, access.data, met)

    def _transport(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        wiring, held = self.wiring, self._plane.held_outputs
        set_up = wiring.channels
        for node, manager in self.managers.items():
            link, lane = wiring.first_injection + node, wiring.injection(node, set_up)
            if manager.offer is not None and link not in held and self.credits[lane]:
                self.credits[lane] -= 1
                held.add(link)
                raw = manager.take()
                mark = HEAD * bool(raw & manager.head) | TAIL * bool(raw & manager.tail)
                flits.append((lane, (raw, mark, 0, self._packet)))
        super()._transport(now, flits)
        for lane, flit in flits:
            link, channel = divmod(lane, wiring.lanes)
            if channel == set_up and link in wiring.node_on:
                manager_there = self.managers.get(wiring.node_on[link])
                if manager_there is not None:
                    manager_there.hear(flit[0])
        for switch, raw in self.packets.taken:
            self._sinks[wiring.nodes + switch].accept(raw)
            self._alarms.add(wiring.nodes + switch)
        self.packets.taken.clear()
        for switch in self.packets.replied:
            self._sinks[wiring.nodes + switch].replied()
        self.packets.replied.clear()

    def _edge(self, accepted: Arrivals) -> None:
        for target in sorted(self._alarms):
            sink, switch = self._sinks[target], target - self.wiring.nodes
            offered = sink.end()
            if offered:
                self.packets.reply(switch, offered)
            self.packets.listen(switch, sink.listening)
            if not sink.is_awake():
                self._alarms.discard(target)
        for manager in self.managers.values():
            if manager.is_moving():
                manager.advance()
        super()._edge(accepted)

    def _turn_page(self) -> None:
        self._awake.update(self._accessed)
        self._accessed.clear()
        super()._turn_page()


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
