"""One node of the mesh: router and barrier unit. Every node of a mesh is the same module."""

from typing import Any

from amaranth import Cat, Module, Value
from amaranth.lib import wiring

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.unit import BarrierUnit
from syncfabric.rtl.mesh.input_port import InputPort
from syncfabric.rtl.mesh.output_port import OutputPort
from syncfabric.rtl.mesh.packets import PORT_NAMES, place_ports
from syncfabric.rtl.mesh.ports import DIRECTIONS, guarded_links, node_members
from syncfabric.rtl.mesh.routing import HERE
from syncfabric.rtl.mesh.set_up import place_set_up
from syncfabric.rtl.mesh.sync_input import SyncInput
from syncfabric.rtl.mesh.sync_output import UNIT, SyncOutput
from syncfabric.rtl.mesh.wire_node import WireNode
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.parts.link import pass_on, shares_links

__all__ = ["MeshNode", "mesh_node"]


def mesh_node(network: MeshSpec, *, counted: bool = True) -> "MeshNode | WireNode":
    """Return a node of a network, whatever way its barriers travel; with counters, or without."""
    node = MeshNode if network.has_messages else WireNode
    return node(network, counted=counted)


class MeshNode(wiring.Component):
    """A mesh router with barrier registers: one cycle a hop for flits and messages.

    With ``sync = "both"`` there are slots of barrier wires beside them.

    Source: paper BTM, section 2; cycles as in docs/microarchitecture.md.

    Parameters
    ----------
    network : MeshSpec
        The network's parameters; barriers can be messages.
    counted : bool
        There are counters; else they read 0.

    Members
    -------
    As in :func:`node_members`.
    """

    def __init__(self, network: MeshSpec, *, counted: bool = True) -> None:
        self._network, self._counted = network, counted
        super().__init__(node_members(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        m.submodules.unit = unit = BarrierUnit(network, counted=self._counted)
        links = guarded_links(m, network, self, unit)
        inputs, outputs = self._place_messages(m, unit, links)
        overflows = [source.overflow for source in inputs]
        if network.link_channels:
            overflows += self._place_packets(m, unit, links, inputs, outputs)

        # The node port is the barrier unit's.
        m.d.comb += [
            unit.x.eq(self.x),
            unit.y.eq(self.y),
            unit.index.eq(self.index),
            unit.start.eq(self.start),
            unit.overflows.eq(total(overflows)),
            unit.arrive.eq(self.arrive),
            unit.data.eq(self.data),
            self.released.eq(unit.released),
            self.result.eq(unit.result),
            self.ready.eq(unit.ready),
            self.done.eq(unit.done),
            self.observe.eq(unit.observe),
        ]
        if network.tells_broken:
            m.d.comb += self.broken.eq(unit.broken)
        if network.wire_plane:
            for p, name in enumerate(DIRECTIONS):
                m.d.comb += [
                    getattr(unit, f"in_{p}").eq(getattr(self, f"{name}_in").wires),
                    getattr(self, f"{name}_out").wires.eq(getattr(unit, f"out_{p}")),
                ]
        if not network.managed:
            wiring.connect(m, wiring.flipped(self.config), unit.config)
        return m

    def _place_messages(
        self, m: Module, unit: BarrierUnit, links: dict[str, Any]
    ) -> tuple[list[SyncInput], list[SyncOutput]]:
        """Place what passes messages on, and join it to the unit and, with own wires, the links."""
        own = not shares_links(self._network)
        width = self._network.layout.sync.width
        inputs = [SyncInput(self._network, port) for port in range(4)]
        outputs = [SyncOutput(self._network, port) for port in range(4)]
        has_credit = Cat(output.has_credit for output in outputs)
        m.d.comb += unit.has_credit.eq(has_credit)
        for p, (name, source) in enumerate(zip(DIRECTIONS, inputs, strict=True)):
            m.submodules[f"sync_input_{name}"] = source
            link = links[f"{name}_in"]
            word = link.sync if own else link.flit
            m.d.comb += [
                source.x.eq(self.x),
                source.y.eq(self.y),
                source.valid.eq(link.sync_valid),
                source.message.eq(word.as_value()[:width]),
                link.sync_credit.eq(source.credit),
                source.has_credit.eq(has_credit),
            ]
            sent = [output.take[p] for output in outputs]
            m.d.comb += [
                unit.here[p].eq(source.show.any()),
                getattr(unit, f"class_{p}").eq(source.show),
                getattr(unit, f"message_{p}").eq(source.shown),
                source.take.eq(unit.take[p]),
                source.free.eq(Cat(sent).any()),
            ]
        for o, (name, output) in enumerate(zip(DIRECTIONS, outputs, strict=True)):
            m.submodules[f"sync_output_{name}"] = output
            link = links[f"{name}_out"]
            m.d.comb += [
                output.offer[UNIT].eq(unit.offer[o]),
                getattr(output, f"class_{UNIT}").eq(getattr(unit, f"send_class_{o}")),
                unit.sent[o].eq(output.take[UNIT]),
                link.sync_valid.eq(output.valid),
                output.credit.eq(link.sync_credit),
            ]
            for p, source in enumerate(inputs):
                m.d.comb += [
                    output.offer[p].eq(source.route[o]),
                    getattr(output, f"class_{p}").eq(source.present),
                ]
            if own:
                m.d.comb += [
                    link.sync.eq(output.sync),
                    getattr(output, f"sync_{UNIT}").eq(getattr(unit, f"send_{o}")),
                    *(getattr(output, f"sync_{p}").eq(inputs[p].sync) for p in range(4)),
                ]
        return inputs, outputs

    def _place_packets(
        self,
        m: Module,
        unit: BarrierUnit,
        links: dict[str, Any],
        sync_inputs: list[SyncInput],
        sync_outputs: list[SyncOutput],
    ) -> list[Value]:
        """Place the router of packets, and share its links with messages; return overflows."""
        network = self._network
        inputs, outputs = place_ports(m, network, self.x, self.y)
        if not network.managed:
            links = {"local_in": self.local_in, "local_out": self.local_out, **links}
        for name, source, output in zip(PORT_NAMES, inputs, outputs, strict=True):
            if f"{name}_in" in links:
                pass_on(m, source.link, links[f"{name}_in"])
                pass_on(m, output.link, links[f"{name}_out"])
        if shares_links(network):
            for p, (port, messages) in enumerate(zip(inputs[:HERE], sync_inputs, strict=True)):
                m.d.comb += [
                    port.arrives.eq(messages.valid),
                    port.store.eq(messages.store),
                    port.presents.eq(messages.presents),
                    port.present.eq(messages.present),
                    outputs[p].sync_sends.eq(sync_outputs[p].sends),
                    outputs[p].sync_take.eq(sync_outputs[p].take),
                    outputs[p].sync.eq(getattr(unit, f"send_{p}")),
                ]
        if network.managed:
            self._set_up(m, unit, inputs[HERE], outputs[HERE])
        return [port.overflow for port in inputs]

    def _set_up(self, m: Module, unit: BarrierUnit, source: InputPort, output: OutputPort) -> None:
        """Place the parts of set-up; the sink sees the registers' ends."""
        sink = place_set_up(m, self._network, self, unit, source.link, output.link)
        m.d.comb += sink.freed.eq(unit.freed)
        m.d.comb += [unit.last.eq(self.last), unit.clear_freed.eq(sink.clear_freed)]
