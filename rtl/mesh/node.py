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
from syncfabric.rtl.setup.format import setup_format
from syncfabric.rtl.setup.local_port import LocalPort
from syncfabric.rtl.setup.manager import Manager
from syncfabric.rtl.setup.sink import SetupSink
from syncfabric.rtl.spill.join import FREED_PORTS

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
        link = LinkSignature(layout, network.link_channels, own=own)
        for direction in DIRECTIONS:
            members |= {f"{direction}_in": In(link), f"{direction}_out": Out(link)}
        if network.managed:
            members |= {
                "last": In(registers),
                "broken": Out(registers),
                "manager": In(1),
                "manager_index": In(2),
            }
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
            if port == HERE and network.managed:
                continue
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
        if network.managed:
            self._set_up(m, unit, inputs[HERE], outputs[HERE])
        else:
            wiring.connect(m, wiring.flipped(self.config), unit.config)
        if network.spill:
            wiring.connect(m, wiring.flipped(self.spill_arrive), unit.spill_arrive)
            wiring.connect(m, unit.spill_release, wiring.flipped(self.spill_release))
        return m

    def _set_up(self, m: Module, unit: BarrierUnit, source: InputPort, output: OutputPort) -> None:
        """Place the set-up sink and the manager beside the LOCAL port and the config port."""
        network = self._network
        form = setup_format(network, network.manager_nodes)
        m.submodules.local_port = local = LocalPort(network)
        m.submodules.sink = sink = SetupSink(form)
        m.submodules.manager_part = manager = Manager(form)
        wiring.connect(m, wiring.flipped(self.local_in), local.local_in)
        wiring.connect(m, local.local_out, wiring.flipped(self.local_out))
        wiring.connect(m, local.router_in, source.link)
        wiring.connect(m, output.link, local.router_out)
        wiring.connect(m, sink.access, unit.access)
        config, inside = self.config, unit.config
        ours = config.valid & (config.node == self.index)
        m.d.comb += [
            manager.enabled.eq(self.manager),
            manager.index.eq(self.manager_index),
            manager.valid.eq(ours),
            manager.address.eq(config.address),
            manager.write.eq(config.write),
            manager.data.eq(config.data),
            inside.valid.eq(config.valid & ~manager.mine),
            inside.node.eq(config.node),
            inside.address.eq(config.address),
            inside.write.eq(config.write),
            inside.data.eq(config.data),
            config.ready.eq(inside.ready | manager.ready),
            config.error.eq(inside.error | manager.error),
            config.rdata.eq(inside.rdata | manager.rdata),
            unit.last.eq(self.last),
            self.broken.eq(unit.broken),
            unit.strays.eq(Cat(sink.stray, manager.stray, local.overflow.any())),
            unit.refused_write.eq(manager.refused_write),
        ]
        # The sink: flits in, replies out; it sees the registers' ends.
        seen = ["gids", "open", "managers", "freed"]
        if network.spill:
            seen += FREED_PORTS
            m.d.comb += unit.clear_spill_freed.eq(sink.clear_spill_freed)
        for name in seen:
            m.d.comb += getattr(sink, name).eq(getattr(unit, name))
        m.d.comb += [
            unit.clear_freed.eq(sink.clear_freed),
            sink.router.eq(self.index),
            sink.valid.eq(local.sink_valid),
            sink.flit.eq(local.sink_flit),
            local.listening.eq(sink.listening),
            local.reply_valid.eq(sink.reply_valid),
            local.reply_flit.eq(sink.reply_flit),
            sink.reply_taken.eq(local.reply_taken),
            local.request_valid.eq(manager.request_valid),
            local.request_flit.eq(manager.request_flit),
            manager.request_taken.eq(local.request_taken),
            manager.reply_valid.eq(local.manager_valid),
            manager.reply_flit.eq(local.manager_flit),
        ]
