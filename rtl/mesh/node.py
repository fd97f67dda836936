"""One node of the mesh: router and barrier unit. Every node of a mesh is the same module."""

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.unit import BarrierUnit
from syncfabric.rtl.mesh.input_port import InputPort
from syncfabric.rtl.mesh.output_port import UNIT, OutputPort
from syncfabric.rtl.mesh.packets import PORT_NAMES, place_ports
from syncfabric.rtl.mesh.ports import DIRECTIONS, node_members
from syncfabric.rtl.mesh.routing import HERE
from syncfabric.rtl.mesh.set_up import place_set_up
from syncfabric.rtl.mesh.wire_node import WireNode
from syncfabric.rtl.parts.link import pass_on
from syncfabric.rtl.spill.join import FREED_PORTS

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
        inputs, outputs = place_ports(m, network, self.x, self.y)
        for name, source, output in zip(PORT_NAMES, inputs, outputs, strict=True):
            if name == "local" and network.managed:
                continue
            pass_on(m, source.link, getattr(self, f"{name}_in"))
            pass_on(m, output.link, getattr(self, f"{name}_out"))
        has_sync_credit = self._pass_messages(m, unit, inputs[:HERE], outputs[:HERE])

        # The node port is the barrier unit's.
        overflows = sum(
            (port.overflow[0] + port.overflow[1] for port in inputs[1:]),
            inputs[0].overflow[0] + inputs[0].overflow[1],
        )
        m.d.comb += [
            unit.x.eq(self.x),
            unit.y.eq(self.y),
            unit.index.eq(self.index),
            unit.start.eq(self.start),
            unit.has_credit.eq(has_sync_credit),
            unit.overflows.eq(overflows),
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
        if network.managed:
            self._set_up(m, unit, inputs[HERE], outputs[HERE])
        else:
            wiring.connect(m, wiring.flipped(self.config), unit.config)
        if network.spill:
            wiring.connect(m, wiring.flipped(self.spill_arrive), unit.spill_arrive)
            wiring.connect(m, unit.spill_release, wiring.flipped(self.spill_release))
        return m

    def _pass_messages(
        self, m: Module, unit: BarrierUnit, inputs: list[InputPort], outputs: list[OutputPort]
    ) -> Signal:
        """Join inputs, outputs and unit for messages; return which outputs have credits."""
        has_credit = Signal(8, name="has_sync_credit")
        m.d.comb += has_credit.eq(Cat(output.has_sync_credit for output in outputs))
        for p, source in enumerate(inputs):
            sent = Cat(output.sync_take[p] for output in outputs)
            m.d.comb += [
                source.has_sync_credit.eq(has_credit),
                source.sync_take.eq(sent.any() | unit.take[p]),
                unit.here[p].eq(source.present_route[HERE]),
                getattr(unit, f"class_{p}").eq(source.present),
                getattr(unit, f"message_{p}").eq(source.sync),
            ]
            for o, output in enumerate(outputs):
                m.d.comb += [
                    output.sync_offer[p].eq(source.present_route[o]),
                    getattr(output, f"sync_class_{p}").eq(source.present),
                    getattr(output, f"sync_{p}").eq(source.sync),
                ]
        for o, output in enumerate(outputs):
            m.d.comb += [
                output.sync_offer[UNIT].eq(unit.offer[o]),
                getattr(output, f"sync_class_{UNIT}").eq(getattr(unit, f"send_class_{o}")),
                getattr(output, f"sync_{UNIT}").eq(getattr(unit, f"send_{o}")),
                unit.sent[o].eq(output.sync_take[UNIT]),
            ]
        return has_credit

    def _set_up(self, m: Module, unit: BarrierUnit, source: InputPort, output: OutputPort) -> None:
        """Place the parts of set-up; the sink sees the registers' ends."""
        sink = place_set_up(m, self._network, self, unit, source.link, output.link)
        seen = ["freed"]
        if self._network.spill:
            seen += FREED_PORTS
            m.d.comb += unit.clear_spill_freed.eq(sink.clear_spill_freed)
        m.d.comb += [getattr(sink, name).eq(getattr(unit, name)) for name in seen]
        m.d.comb += [unit.last.eq(self.last), unit.clear_freed.eq(sink.clear_freed)]
