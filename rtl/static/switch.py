"""The switch of the static network: fixed routes, and multicast in lock step."""

from functools import reduce
from operator import and_
from typing import Any

from amaranth import Cat, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.static.buffer import FlitBuffer, Level
from syncfabric.rtl.static.ports import RouteSignature, StaticLinkSignature


class StaticSwitch(wiring.Component):
    """Passes each input's flits on to all outputs that select it, to all in the same cycle.

    Source: paper Reflex, section III; cycles as in docs/microarchitecture-static.md, R1 to R3.

    Parameters
    ----------
    network : StaticSpec
        Ports, buffers and flit width.

    Members
    -------
    east_in .. core_in : In(StaticLinkSignature), east_out .. core_out : Out(StaticLinkSignature)
        Links to the neighbours and the node; on a graph port_0_in and so on.
    route : In(RouteSignature), route_in : In(1), route_out : Out(1)
        The chain of shadow bits, as it comes from the switch before and goes to the one behind.
    node_ports : In(ports)
        Only where nodes are at ports: which ports these are; constant.
    overflow : Out(ports)
        Inputs at which a flit came to a full buffer, and was dropped.
    number_0 .. : Out
        Flits in each input's buffer, for benches.
    """

    def __init__(self, network: StaticSpec) -> None:
        core = ("core",) if network.graph.own else ()
        self._network, self._names = network, (*network.link_names, *core)
        members: dict[str, Any] = {
            "route": In(RouteSignature()),
            "route_in": In(1),
            "route_out": Out(1),
            "overflow": Out(network.layout.ports),
        }
        if not network.graph.own:
            members["node_ports"] = In(network.layout.ports)
        for port, name in enumerate(self._names):
            places = self._places(port)
            link = StaticLinkSignature(network.flit_bits)
            comes = StaticLinkSignature(network.flit_bits, flushed=port != network.layout.core)
            members |= {f"{name}_in": In(comes), f"{name}_out": Out(link)}
            members[f"number_{port}"] = Out(range(places + 1))
        super().__init__(members)

    def _places(self, port: int) -> int:
        """Return how many flits an input holds."""
        network = self._network
        return network.injection_buffer if port == network.layout.core else network.switch_buffer

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, names, core = self._network, self._names, self._network.layout.core
        count = len(names)
        inputs = [getattr(self, f"{name}_in") for name in names]
        outputs = [getattr(self, f"{name}_out") for name in names]
        select, used, clear = self._routes(m)

        buffers = [FlitBuffer(self._places(port), network.flit_bits) for port in range(count)]
        credits = [
            Level(places, init=places)
            for port in range(count)
            for places in [network.core_buffer if port == core else network.switch_buffer]
        ]
        # A flit is ready when all branches have a credit: lock step. It moves if there is a branch.
        ready = Signal(count)
        for i, (buffer, link) in enumerate(zip(buffers, inputs, strict=True)):
            m.submodules[f"buffer_{names[i]}"] = buffer
            to = [o for o in range(count) if i in select[o]]
            pairs = [to[k : k + 2] for k in range(0, len(to), 2)]
            # Synthesis left to itself spreads the bits of two pairs over three tables.
            free = [
                Signal(name=f"free_{names[i]}_{k}", attrs={"keep": 1}) for k in range(len(pairs))
            ]
            for part, pair in zip(free, pairs, strict=True):
                m.d.comb += part.eq(Cat(~select[o][i] | credits[o].some for o in pair).all())
            m.d.comb += [
                buffer.push.eq(link.valid),
                buffer.flit.eq(link.flit),
                buffer.clear.eq(self._flushed(i, clear)),
                ready[i].eq(reduce(and_, free, buffer.some)),
                buffer.pop.eq(ready[i] & used[i]),
                link.credit.eq(buffer.pop),
                self.overflow[i].eq(buffer.overflow),
                getattr(self, f"number_{i}").eq(buffer.number),
            ]
        for o, (level, link) in enumerate(zip(credits, outputs, strict=True)):
            m.submodules[f"credit_{names[o]}"] = level
            fronts = [
                buffers[i].front & chosen.replicate(network.flit_bits)
                for i, chosen in select[o].items()
            ]
            m.d.comb += [
                link.valid.eq(Cat(chosen & ready[i] for i, chosen in select[o].items()).any()),
                link.flit.eq(either(fronts)),
                link.flush.eq(clear[o]),
                level.up.eq(link.credit),
                level.down.eq(link.valid),
                level.clear.eq(clear[o]),
            ]
        return m

    def _flushed(self, port: int, clear: Value) -> Value:
        """Return the flush of an input: of a node's by the switch itself, else by the sender."""
        if port == self._network.layout.core:
            return clear[port]
        flush: Value = getattr(self, f"{self._names[port]}_in").flush
        if self._network.graph.own:
            return flush
        return flush | (self.node_ports[port] & clear[port])

    def _routes(self, m: Module) -> tuple[list[dict[int, Value]], Signal, Signal]:
        """Return each output's select bits by input, the inputs in use, and what to clear."""
        layout, count = self._network.layout, len(self._names)
        width = layout.output_bits
        shadow = Signal(layout.switch_bits)
        m.d.comb += self.route_out.eq(shadow[-1])
        with m.If(self.route.shift):
            m.d.sync += shadow.eq(Cat(self.route_in, shadow[:-1]))
        select, image = [], []
        used, flush, clear = Signal(count), Signal(count), Signal(count)
        for o, name in enumerate(self._names):
            bits = shadow[width * o : width * (o + 1)]
            kept = Signal(width - 1, name=f"select_{name}")
            with m.If(self.route.strobe):
                m.d.sync += [kept.eq(bits), flush[o].eq(bits[-1])]
            with m.Else():
                m.d.sync += flush[o].eq(0)
            select.append(dict(zip(layout.inputs(o), kept, strict=True)))
            image.append(dict(zip(layout.inputs(o), bits[:-1], strict=True)))
            # A buffer has its link's reset: one gate for sender and receiver.
            m.d.comb += clear[o].eq(flush[o] | ResetSignal())
        # What could be derived from the selects too, but later in the cycle.
        with m.If(self.route.strobe):
            for i in range(count):
                m.d.sync += used[i].eq(Cat(outputs[i] for outputs in image if i in outputs).any())
        return select, used, clear
