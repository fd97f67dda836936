"""One node of the mesh: router and barrier unit. Every node of a mesh is the same module."""

from typing import Any

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import (
    ConfigSignature,
    SpillArriveSignature,
    SpillReleaseSignature,
)
from syncfabric.rtl.barrier.unit import BarrierUnit, observe_bits
from syncfabric.rtl.mesh.input_port import InputPort
from syncfabric.rtl.mesh.output_port import UNIT, OutputPort
from syncfabric.rtl.mesh.routing import HERE
from syncfabric.rtl.parts.link import LinkSignature, LocalLinkSignature

__all__ = ["DIRECTIONS", "MeshNode"]

DIRECTIONS = ("east", "north", "west", "south")
"""Names of the network ports, by number."""


class MeshNode(wiring.Component):
    """A mesh router with barrier registers: one cycle a hop for flits and messages.

    Source: paper BTM, section 2; cycles as in docs/microarchitecture.md.

    Parameters
    ----------
    network : MeshSpec
        The network's parameters; the position is an input, so that all nodes share one module.

    Members
    -------
    x, y, index : In
        Position and number of this node; constant.
    start : In(1)
        From the cycle after it was high, barriers may begin.
    east_in .. south_in : In(LinkSignature), east_out .. south_out : Out(LinkSignature)
        Links to the neighbours.
    local_in : In(LocalLinkSignature), local_out : Out(LocalLinkSignature)
        Ordinary packets from and to the node.
    arrive : In(registers), data : In(registers * data_bits)
        The node's process arrives in a register's group, with its data.
    released, ready, done : Out(registers), result : Out(registers * data_bits)
        One-cycle pulse; configured and started; sticky release; combined data.
    config : In(ConfigSignature)
        Config port of the whole network.
    spill_arrive : In(SpillArriveSignature), spill_release : Out(SpillReleaseSignature)
        The same for groups in memory; only with ``spill``.
    observe : Out
        State for benches; leave it open elsewhere.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._network = network
        layout, registers = network.layout, network.barrier_registers
        own = network.sync_links == "own"
        members: dict[str, Any] = {
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "index": In(network.layout.node_bits),
            "start": In(1),
            "local_in": In(LocalLinkSignature(layout, network.channels)),
            "local_out": Out(LocalLinkSignature(layout, network.channels)),
            "arrive": In(registers),
            "data": In(registers * network.data_bits),
            "released": Out(registers),
            "result": Out(registers * network.data_bits),
            "ready": Out(registers),
            "done": Out(registers),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network)),
        }
        link = LinkSignature(layout, network.channels, own=own)
        for direction in DIRECTIONS:
            members |= {f"{direction}_in": In(link), f"{direction}_out": Out(link)}
        if network.spill:
            members |= {
                "spill_arrive": In(SpillArriveSignature(network)),
                "spill_release": Out(SpillReleaseSignature(network)),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        names = (*DIRECTIONS, "local")
        inputs = [InputPort(network, port) for port in range(5)]
        outputs = [OutputPort(network, port) for port in range(5)]
        m.submodules.unit = unit = BarrierUnit(network)
        for port, name in enumerate(names):
            m.submodules[f"input_{name}"] = inputs[port]
            m.submodules[f"output_{name}"] = outputs[port]
            wiring.connect(m, wiring.flipped(getattr(self, f"{name}_in")), inputs[port].link)
            wiring.connect(m, outputs[port].link, wiring.flipped(getattr(self, f"{name}_out")))

        has_credit = Cat(output.has_credit for output in outputs)
        busy = Cat(output.busy for output in outputs)
        has_sync_credit = Signal(8)
        m.d.comb += has_sync_credit.eq(Cat(output.has_sync_credit for output in outputs[:HERE]))
        for i, source in enumerate(inputs):
            m.d.comb += [
                source.x.eq(self.x),
                source.y.eq(self.y),
                source.has_credit.eq(has_credit),
                source.busy.eq(busy),
                source.take.eq(Cat(output.take[i] for output in outputs).any()),
            ]
            for o, output in enumerate(outputs):
                m.d.comb += [
                    output.offer[i].eq(source.offer[o]),
                    getattr(output, f"offer_channel_{i}").eq(source.offer_channel),
                    getattr(output, f"flit_{i}").eq(source.flit),
                ]

        # Synchronization messages: four inputs and the barrier unit, four outputs and the unit.
        for p, source in enumerate(inputs[:HERE]):
            sent = Cat(output.sync_take[p] for output in outputs[:HERE])
            m.d.comb += [
                source.has_sync_credit.eq(has_sync_credit),
                source.sync_take.eq(sent.any() | unit.take[p]),
                unit.here[p].eq(source.present_route[HERE]),
                getattr(unit, f"class_{p}").eq(source.present),
                getattr(unit, f"message_{p}").eq(source.sync),
            ]
            for o, output in enumerate(outputs[:HERE]):
                m.d.comb += [
                    output.sync_offer[p].eq(source.present_route[o]),
                    getattr(output, f"sync_class_{p}").eq(source.present),
                    getattr(output, f"sync_{p}").eq(source.sync),
                ]
        for o, output in enumerate(outputs[:HERE]):
            m.d.comb += [
                output.sync_offer[UNIT].eq(unit.offer[o]),
                getattr(output, f"sync_class_{UNIT}").eq(getattr(unit, f"send_class_{o}")),
                getattr(output, f"sync_{UNIT}").eq(getattr(unit, f"send_{o}")),
                unit.sent[o].eq(output.sync_take[UNIT]),
            ]

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
        wiring.connect(m, wiring.flipped(self.config), unit.config)
        if network.spill:
            wiring.connect(m, wiring.flipped(self.spill_arrive), unit.spill_arrive)
            wiring.connect(m, unit.spill_release, wiring.flipped(self.spill_release))
        return m
