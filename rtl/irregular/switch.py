"""A switch of an irregular network. Every switch of a network is the same module."""

from typing import Any

from amaranth import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.guard.place import place_guards
from syncfabric.rtl.irregular.barrier_unit import BarrierUnit
from syncfabric.rtl.irregular.drain import PacketDrain
from syncfabric.rtl.irregular.input_port import InputPort
from syncfabric.rtl.irregular.output_port import OutputPort
from syncfabric.rtl.irregular.ports import observe_bits
from syncfabric.rtl.irregular.reply_port import ReplyPort
from syncfabric.rtl.irregular.switch_wires import SwitchWires
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either, total
from syncfabric.rtl.parts.link import SwitchLinkSignature, pass_on

__all__ = ["IrregularSwitch"]


class IrregularSwitch(wiring.Component):
    """A k-port wormhole switch that merges and replicates barriers: messages, wires, or both.

    Source: paper BTIN, sections 2.1 and 3; cycles as in docs/microarchitecture.md, I1 to I6, and
    of barrier wires in docs/microarchitecture-wires.md. Without channels there are no packets.

    Parameters
    ----------
    network : IrregularSpec
        The network's parameters; number and table are inputs, so that all switches share a module.

    Members
    -------
    number, target : In
        Number of this switch, and its number on the config port; constant.
    routes : In(switches * port bits)
        Its row of the routing table: a port code for each destination switch; constant.
    dateline : In(ports)
        Outputs at which packets go over to the next channel; constant.
    in_0 .. : In(SwitchLinkSignature), out_0 .. : Out(SwitchLinkSignature)
        Links to switches and node interfaces.
    config : In(ConfigSignature)
        The network's config port.
    observe : Out
        State of registers, slots and counters, for benches.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout, link = network.layout, SwitchLinkSignature(network)
        members: dict[str, Any] = {
            "number": In(layout.switch_bits),
            "target": In(layout.target_bits),
            "routes": In(network.switches * layout.port_bits),
            "dateline": In(network.ports),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network, network.ports)),
        }
        for p in range(network.ports):
            members |= {f"in_{p}": In(link), f"out_{p}": Out(link)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        unit: Any = BarrierUnit(network) if network.has_messages else SwitchWires(network)
        m.submodules.unit = unit
        m.d.comb += [unit.index.eq(self.target), self.observe.eq(unit.observe)]
        wiring.connect(m, wiring.flipped(self.config), unit.config)
        if network.channels:
            links = place_guards(
                m,
                network,
                self,
                SwitchLinkSignature(network, wires=False),
                [f"in_{p}" for p in range(network.ports)],
                [f"out_{p}" for p in range(network.ports)],
                unit,
            )
            outputs = self._place_crossbar(m, unit, links)
            if network.has_messages:
                self._join_messages(m, unit, links, outputs)
        if network.wire_plane:
            for p in range(network.ports):
                m.d.comb += [
                    getattr(unit, f"in_{p}").eq(getattr(self, f"in_{p}").wires),
                    getattr(self, f"out_{p}").wires.eq(getattr(unit, f"out_{p}")),
                ]
        return m

    def _place_crossbar(self, m: Module, unit: Any, links: dict[str, Any]) -> list[OutputPort]:
        """Place the way of ordinary packets; return its outputs, which can send messages too."""
        network = self._network
        ports = range(network.ports)
        inputs, outputs = [InputPort(network) for _ in ports], [OutputPort(network) for _ in ports]
        m.submodules.drain = drain = PacketDrain(network)
        if network.managed:
            self._set_up(m, unit, drain, inputs, outputs)
        for p in ports:
            m.submodules[f"input_{p}"] = source = inputs[p]
            m.submodules[f"output_{p}"] = output = outputs[p]
            pass_on(m, source.link, links[f"in_{p}"])
            pass_on(m, output.link, links[f"out_{p}"])
            m.d.comb += [
                source.number.eq(self.number),
                source.routes.eq(self.routes),
                source.dateline.eq(self.dateline),
                source.has_credit.eq(Cat(out.has_credit for out in outputs)),
                source.busy.eq(Cat(out.busy for out in outputs)),
                source.sink_busy.eq(drain.busy),
                source.take.eq(Cat(*(out.take[p] for out in outputs), drain.take[p]).any()),
                drain.offer[p].eq(source.offer[network.ports]),
                drain.tail[p].eq(source.flit.tail),
            ]
            for o in ports:
                m.d.comb += [
                    outputs[o].offer[p].eq(source.offer[o]),
                    getattr(outputs[o], f"offer_channel_{p}").eq(source.offer_channel),
                    getattr(outputs[o], f"flit_{p}").eq(source.flit),
                ]
        m.d.comb += [
            unit.overflows.eq(total([source.overflow for source in inputs])),
            unit.strays.eq(drain.ended),
        ]
        return outputs

    def _join_messages(
        self, m: Module, unit: BarrierUnit, links: dict[str, Any], outputs: list[OutputPort]
    ) -> None:
        """Lead messages from the links to the unit, and the unit's to the outputs."""
        layout = self._network.layout.sync
        for p, output in enumerate(outputs):
            link = links[f"in_{p}"]
            message = struct(layout)(link.flit.as_value()[: layout.width])
            m.d.comb += [
                getattr(unit, f"push_{p}").eq(link.sync_valid),
                getattr(unit, f"message_{p}").eq(message),
                unit.open[p].eq(output.sync_open),
                output.sync_send.eq(unit.send[p]),
                output.sync.eq(unit.message),
            ]
            if self._network.buffered:
                m.d.comb += link.sync_credit.eq(unit.credit[p])

    def _set_up(
        self,
        m: Module,
        unit: Any,
        drain: PacketDrain,
        inputs: list[InputPort],
        outputs: list[OutputPort],
    ) -> None:
        """Lead set-up packets to the sink, and its replies into the crossbar."""
        ports, setup = self._network.ports, self._network.channels
        m.submodules.replies = replies = ReplyPort(self._network)
        taken = Cat(drain.take[p] & source.offer_channel[setup] for p, source in enumerate(inputs))
        offers = [Mux(taken[p], source.flit.as_value(), 0) for p, source in enumerate(inputs)]
        m.d.comb += [
            *(source.listening.eq(unit.listening) for source in inputs),
            drain.setup.eq(Cat(source.offer_channel[setup] for source in inputs)),
            unit.number.eq(self.number),
            unit.setup_valid.eq(taken.any()),
            unit.setup_flit.eq(either(offers)),
            replies.number.eq(self.number),
            replies.routes.eq(self.routes),
            replies.manager.eq(unit.reply_manager),
            replies.valid.eq(unit.reply_valid),
            replies.tail.eq(unit.reply_flit.tail),
            replies.has_credit.eq(Cat(output.has_credit[setup] for output in outputs)),
            replies.busy.eq(Cat(output.busy[setup] for output in outputs)),
            replies.take.eq(Cat(output.take[ports] for output in outputs).any()),
            unit.reply_taken.eq(replies.take),
        ]
        for o, output in enumerate(outputs):
            m.d.comb += [
                output.offer[ports].eq(replies.offer[o]),
                getattr(output, f"offer_channel_{ports}").eq(1 << setup),
                getattr(output, f"flit_{ports}").eq(unit.reply_flit),
            ]
