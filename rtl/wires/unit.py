"""A unit of barrier wires: slots, config port, counters. What a router has in place of messages."""

from typing import Any

from amaranth import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import COUNTER_BITS, WireLayout
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.config import ConfigPort
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.guard.members import guard_members
from syncfabric.rtl.parts.events import count_events, counters_of
from syncfabric.rtl.setup.access import AccessSignature, ConfigAccess
from syncfabric.rtl.wires.bank import SlotBank, wire_bank
from syncfabric.rtl.wires.plane import link_ports
from syncfabric.rtl.wires.slot import NODE_PORT

__all__ = ["SINK_PORTS", "WireUnit"]

SINK_PORTS = ("gids", "open", "managers")
"""What a unit shows a set-up sink of its slots."""


class WireUnit(wiring.Component):
    """Barriers of a router, a switch or a node interface, on wires of their own.

    Cycles as in docs/microarchitecture-wires.md; on an irregular network a config stage belongs
    before it.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        The config port.
    plane : WirePlane
        How many slots, and what a link carries.
    links : int
        Links of the unit.
    process : bool
        It has a process.
    sink : bool
        A set-up sink reaches the slots too.
    counted : bool
        There are counters; else they read 0.

    Members
    -------
    index : In
        Its number on the config port; constant.
    in_0 .. : In(plane.link), out_0 .. : Out(plane.link)
        The links.
    arrive, data, released, result, ready, done, broken
        Only with a process: the node port; a bit, or ``data_bits``, a slot.
    overflows : In(range(32)), strays : In(3), refused_write : In(1)
        Events of what is placed beside it, to be counted here: a number, and bits.
    corrupt, lost : In, fence : Out(links)
        Only with guarded links: their events; those that are closed.
    config : In(ConfigSignature)
        The network's config port; other units' requests are not answered.
    access : In(AccessSignature)
        Only with a sink: its access to the slots.
    gids : Out(8 * slots), open : Out(slots), managers : Out(2 * slots)
        Only with a sink: what it looks at.
    observe : Out
        State of slots and counters, for benches.
    """

    def __init__(
        self,
        network: RegisterSpec,
        plane: WirePlane,
        links: int,
        *,
        process: bool,
        sink: bool = False,
        counted: bool = True,
    ) -> None:
        self._network, self._plane, self._links = network, plane, links
        self._process, self._sink, self._counted = process, sink, counted
        slots, shown = plane.slots, WireLayout(links, process, plane.data_bits).slot
        members: dict[str, Any] = link_ports(plane, links, process=process)
        members |= {
            "index": In(network.layout.target_bits),
            "overflows": In(range(32)),
            "strays": In(3),
            "refused_write": In(1),
            "config": In(ConfigSignature(network)),
            "observe": Out(slots * shown.width + len(counters_of(network)) * COUNTER_BITS),
        }
        if network.guarded:
            members |= guard_members(links)
        if sink:
            members |= {
                "access": In(AccessSignature()),
                "gids": Out(8 * slots),
                "open": Out(slots),
                "managers": Out(2 * slots),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.bank = bank = SlotBank(
            self._plane, self._links, process=self._process, sink=self._sink
        )
        m.submodules.config_port = config = ConfigPort(
            self._network, [wire_bank(self._plane)], links=self._links
        )
        for p in range(self._links):
            m.d.comb += [
                getattr(bank, f"in_{p}").eq(getattr(self, f"in_{p}")),
                getattr(self, f"out_{p}").eq(getattr(bank, f"out_{p}")),
            ]
        if self._process:
            m.d.comb += [bank.arrive.eq(self.arrive), bank.data.eq(self.data)]
            for name in (*NODE_PORT, "result"):
                m.d.comb += getattr(self, name).eq(getattr(bank, name))
        if self._sink:
            m.submodules.access = access = ConfigAccess(self._network)
            wiring.connect(m, wiring.flipped(self.config), access.outside)
            wiring.connect(m, wiring.flipped(self.access), access.sink)
            wiring.connect(m, access.inside, config.config)
            m.d.comb += access.index.eq(self.index)
            m.d.comb += [getattr(self, name).eq(getattr(bank, name)) for name in SINK_PORTS]
        else:
            wiring.connect(m, wiring.flipped(self.config), config.config)
        if self._network.guarded:
            m.d.comb += self.fence.eq(config.fence)
        shown, counts = self._count(m, bank, config.refused_write)
        m.d.comb += [
            config.index.eq(self.index),
            bank.write.eq(config.write),
            bank.write_data.eq(config.config.data),
            bank.address.eq(config.config.address),
            bank.writes.eq(config.config.write),
            config.refused.eq(bank.write_refused),
            config.contents.eq(bank.contents),
            config.counters.eq(counts),
            self.observe.eq(Cat(bank.observe, shown)),
        ]
        return m

    def _count(self, m: Module, bank: SlotBank, refused_write: Value) -> tuple[Value, Value]:
        """Count events, and return the counts as ``count_events`` does."""
        arrives = [*bank.refused] if self._process else []
        strays, writes = [*bank.turns, *self.strays], [refused_write, self.refused_write]
        events = [[self.overflows], strays, arrives, writes]
        if self._network.guarded:
            events += [[self.corrupt], [self.lost]]
        return count_events(m, events, counted=self._counted)
