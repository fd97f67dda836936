"""The switch of the static network: fixed routes, and multicast in lock step."""

from typing import Any

from amaranth import Cat, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CHAIN_BITS, OUTPUT_BITS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.static.buffer import FlitBuffer, Level
from syncfabric.rtl.static.ports import RouteSignature, StaticLinkSignature

__all__ = ["CORE", "PORTS", "StaticSwitch"]

PORTS = ("east", "north", "west", "south", "core")
"""Names of the ports, by number."""

CORE = 4
"""The port of the switch's own node."""


class StaticSwitch(wiring.Component):
    """Passes each input's flits on to all outputs that select it, to all in the same cycle.

    Source: paper Reflex, section III; cycles as in docs/microarchitecture-static.md, R1 to R3.

    Parameters
    ----------
    network : StaticSpec
        Buffers and flit width.

    Members
    -------
    east_in .. core_in : In(StaticLinkSignature), east_out .. core_out : Out(StaticLinkSignature)
        Links to the neighbours and the node.
    route : In(RouteSignature), route_in : In(1), route_out : Out(1)
        The chain of shadow bits, as it comes from the switch before and goes to the one behind.
    overflow : Out(5)
        Inputs at which a flit came to a full buffer, and was dropped.
    number_0 .. number_4 : Out
        Flits in each input's buffer, for benches.
    """

    def __init__(self, network: StaticSpec) -> None:
        self._network = network
        members: dict[str, Any] = {
            "route": In(RouteSignature()),
            "route_in": In(1),
            "route_out": Out(1),
            "overflow": Out(len(PORTS)),
        }
        for port, name in enumerate(PORTS):
            places = self._places(port)
            link = StaticLinkSignature(network.flit_bits)
            comes = StaticLinkSignature(network.flit_bits, flushed=port != CORE)
            members |= {f"{name}_in": In(comes), f"{name}_out": Out(link)}
            members[f"number_{port}"] = Out(range(places + 1))
        super().__init__(members)

    def _places(self, port: int) -> int:
        """Return how many flits an input holds."""
        network = self._network
        return network.injection_buffer if port == CORE else network.switch_buffer

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, count = self._network, len(PORTS)
        inputs = [getattr(self, f"{name}_in") for name in PORTS]
        outputs = [getattr(self, f"{name}_out") for name in PORTS]
        select, used, clear = self._routes(m)

        buffers = [FlitBuffer(self._places(port), network.flit_bits) for port in range(count)]
        credits = [
            Level(places, init=places)
            for places in [network.switch_buffer] * CORE + [network.core_buffer]
        ]
        # A flit is ready when all branches have a credit: lock step. It moves if there is a branch.
        ready = Signal(count)
        for i, (buffer, link) in enumerate(zip(buffers, inputs, strict=True)):
            m.submodules[f"buffer_{PORTS[i]}"] = buffer
            others = [o for o in range(count) if o != i]
            # Synthesis left to itself spreads these eight bits over three tables.
            free = [Signal(name=f"free_{PORTS[i]}_{k}", attrs={"keep": 1}) for k in range(2)]
            for k, both in enumerate((others[:2], others[2:])):
                m.d.comb += free[k].eq(Cat(~select[o][i] | credits[o].some for o in both).all())
            m.d.comb += [
                buffer.push.eq(link.valid),
                buffer.flit.eq(link.flit),
                buffer.clear.eq(clear[CORE] if i == CORE else link.flush),
                ready[i].eq(buffer.some & free[0] & free[1]),
                buffer.pop.eq(ready[i] & used[i]),
                link.credit.eq(buffer.pop),
                self.overflow[i].eq(buffer.overflow),
                getattr(self, f"number_{i}").eq(buffer.number),
            ]
        for o, (level, link) in enumerate(zip(credits, outputs, strict=True)):
            m.submodules[f"credit_{PORTS[o]}"] = level
            others = [i for i in range(count) if i != o]
            fronts = [buffers[i].front & select[o][i].replicate(network.flit_bits) for i in others]
            m.d.comb += [
                link.valid.eq(Cat(select[o][i] & ready[i] for i in others).any()),
                link.flit.eq(either(fronts)),
                link.flush.eq(clear[o]),
                level.up.eq(link.credit),
                level.down.eq(link.valid),
                level.clear.eq(clear[o]),
            ]
        return m

    def _routes(self, m: Module) -> tuple[list[dict[int, Value]], Signal, Signal]:
        """Return each output's select bits by input, the inputs in use, and what to clear."""
        count = len(PORTS)
        shadow = Signal(CHAIN_BITS)
        m.d.comb += self.route_out.eq(shadow[-1])
        with m.If(self.route.shift):
            m.d.sync += shadow.eq(Cat(self.route_in, shadow[:-1]))
        select, image = [], []
        used, flush, clear = Signal(count), Signal(count), Signal(count)
        for o, name in enumerate(PORTS):
            bits = shadow[OUTPUT_BITS * o : OUTPUT_BITS * (o + 1)]
            kept = Signal(OUTPUT_BITS - 1, name=f"select_{name}")
            with m.If(self.route.strobe):
                m.d.sync += [kept.eq(bits), flush[o].eq(bits[-1])]
            with m.Else():
                m.d.sync += flush[o].eq(0)
            others = [i for i in range(count) if i != o]
            select.append(dict(zip(others, kept, strict=True)))
            image.append(dict(zip(others, bits[:-1], strict=True)))
            # A buffer has its link's reset: one gate for sender and receiver.
            m.d.comb += clear[o].eq(flush[o] | ResetSignal())
        # What could be told from the selects too, but later in the cycle.
        with m.If(self.route.strobe):
            for i in range(count):
                m.d.sync += used[i].eq(Cat(outputs[i] for outputs in image if i in outputs).any())
        return select, used, clear
