"""A unit of barrier wires: slots, config port, counters. What a router has in place of messages."""

from typing import Any

from amaranth import Cat, Const, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import COUNTER_BITS, Counter, WireLayout
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.config import ConfigPort
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.events import later
from syncfabric.rtl.parts.gates import total
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
        network: MessageSpec,
        plane: WirePlane,
        links: int,
        *,
        process: bool,
        sink: bool = False,
    ) -> None:
        self._network, self._plane, self._links = network, plane, links
        self._process, self._sink = process, sink
        slots, shown = plane.slots, WireLayout(links, process, plane.data_bits).slot
        members: dict[str, Any] = link_ports(plane, links, process=process)
        members |= {
            "index": In(network.layout.target_bits),
            "overflows": In(range(32)),
            "strays": In(3),
            "refused_write": In(1),
            "config": In(ConfigSignature(network)),
            "observe": Out(slots * shown.width + len(Counter) * COUNTER_BITS),
        }
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
        m.submodules.bank = bank = SlotBank(self._plane, self._links, process=self._process)
        m.submodules.config_port = config = ConfigPort(self._network, [wire_bank(self._plane)])
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
        counts = self._count(m, bank, config.refused_write)
        m.d.comb += [
            config.index.eq(self.index),
            bank.write.eq(config.write),
            bank.write_data.eq(config.config.data),
            bank.word.eq(config.word),
            config.refused.eq(bank.write_refused),
            config.contents.eq(bank.contents),
            config.counters.eq(Cat(counts)),
            self.observe.eq(Cat(bank.observe, counts)),
        ]
        return m

    def _count(self, m: Module, bank: SlotBank, refused_write: Value) -> list[Value]:
        """Count events, in the order of ``Counter``."""
        overflows: list[Value] = [self.overflows]
        strays = [*bank.turns, *self.strays]
        arrives = [*bank.refused] if self._process else [Const(0, 1)]
        writes = [refused_write, self.refused_write]
        # Events come late in the cycle: they are kept, and added to what is seen in the next.
        counts = []
        for kind, events in zip(Counter, (overflows, strays, arrives, writes), strict=True):
            happened = total(later(m, events))
            most = (1 << len(happened)) - 1
            counter = SaturatingCounter(COUNTER_BITS, most, at_once=True)
            m.submodules[f"count_{kind.name.lower()}"] = counter
            m.d.comb += counter.events.eq(happened)
            counts.append(counter.count)
        return counts
