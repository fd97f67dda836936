"""A node interface: joins a node's process, and its packets, to a port of its switch."""

from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.guard.place import place_guards
from syncfabric.rtl.irregular.config_stage import config_stage
from syncfabric.rtl.irregular.node_packets import NodePackets
from syncfabric.rtl.irregular.node_port import join_node_port, node_port
from syncfabric.rtl.irregular.node_unit import NodeUnit
from syncfabric.rtl.irregular.ports import NODE_PORTS, observe_bits
from syncfabric.rtl.irregular.sync_open import open_to_messages
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.link import LocalLinkSignature, SwitchLinkSignature
from syncfabric.rtl.wires.unit import WireUnit

__all__ = ["NodeInterface"]


class NodeInterface(wiring.Component):
    """Registers and slots between the link and the process, and a way past them for packets.

    Source: paper BTIN, section 2.1 (one-port model); cycles as in docs/microarchitecture.md, I5,
    and of barrier wires in docs/microarchitecture-wires.md.

    Parameters
    ----------
    network : IrregularSpec
        The network's parameters.

    Members
    -------
    target : In
        Number of this node, as the config port counts; constant.
    start : In(1)
        From the cycle after it was high, barriers that are messages may begin.
    arrive : In(registers), data : In(registers * data_bits)
        The node's process arrives in a register's group, with its data; slots come behind the
        registers of messages.
    released, ready, done : Out(registers), result : Out(registers * data_bits)
        It is released; may arrive; has been released since; the group's data.
    last : In(registers)
        Only with set-up by managers, and messages: the barrier arrived at is the group's last.
    broken : Out(registers)
        Only with managers or wires: the group is broken.
    manager : In(1), manager_index : In(2)
        Only with managers: one is built here, and which (constant).
    local_in : In(LocalLinkSignature), local_out : Out(LocalLinkSignature)
        Only with channels: ordinary packets from and to the node.
    uplink : Out(SwitchLinkSignature), downlink : In(SwitchLinkSignature)
        To and from the switch.
    config : In(ConfigSignature)
        The network's config port.
    observe : Out
        State of registers, slots and counters, for benches.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout = network.layout
        link = SwitchLinkSignature(network)
        members: dict[str, Any] = {
            "target": In(layout.target_bits),
            "uplink": Out(link),
            "downlink": In(link),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network, NODE_PORTS, node=True)),
        }
        if network.channels:
            local = LocalLinkSignature(layout, network.channels)
            members |= {"local_in": In(local), "local_out": Out(local)}
        if network.managed:
            members |= {"manager": In(1), "manager_index": In(2)}
        super().__init__(members | node_port(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, plane = self._network, self._network.wire_plane
        unit: Any
        if network.has_messages:
            unit = NodeUnit(network)
        else:
            assert plane
            unit = WireUnit(network, plane, 1, process=True)
        m.submodules.unit = unit
        join_node_port(m, network, self, unit)
        m.d.comb += [unit.index.eq(self.target), self.observe.eq(unit.observe)]
        if network.wire_plane:
            m.d.comb += [
                unit.in_0.eq(self.downlink.wires),
                self.uplink.wires.eq(unit.out_0),
            ]
        inside = unit.config
        if network.channels:
            signature = SwitchLinkSignature(network, wires=False)
            links = place_guards(m, network, self, signature, ["downlink"], ["uplink"], unit)
            packets = self._place_packets(m, unit, links)
            if network.managed:
                wiring.connect(m, packets.others, unit.config)
                inside = packets.asked
            if network.has_messages:
                self._join_messages(m, unit, links)
        config_stage(m, self.config, inside)
        return m

    def _place_packets(self, m: Module, unit: Any, links: dict[str, Any]) -> NodePackets:
        """Place the packets' side; with managers the config port is left to the caller."""
        network, uplink, downlink = self._network, links["uplink"], links["downlink"]
        m.submodules.packets = packets = NodePackets(network)
        wiring.connect(m, wiring.flipped(self.local_in), packets.local_in)
        wiring.connect(m, packets.local_out, wiring.flipped(self.local_out))
        flit = packets.uplink.flit.as_value()
        m.d.comb += [
            uplink.valid.eq(packets.uplink.valid),
            uplink.flit.eq(flit | unit.sent.as_value() if network.has_messages else flit),
            packets.uplink.credit.eq(uplink.credit),
            packets.downlink.valid.eq(downlink.valid),
            packets.downlink.flit.eq(downlink.flit),
            downlink.credit.eq(packets.downlink.credit),
            unit.overflows.eq(packets.overflow),
        ]
        if network.has_messages:
            m.d.comb += packets.blocked.eq(unit.send)
        if network.managed:
            m.d.comb += [
                packets.target.eq(self.target),
                packets.manager.eq(self.manager),
                packets.manager_index.eq(self.manager_index),
                unit.strays.eq(packets.stray),
                unit.refused_write.eq(packets.refused_write),
            ]
        return packets

    def _join_messages(self, m: Module, unit: NodeUnit, links: dict[str, Any]) -> None:
        """Join the link's messages: they go before packets."""
        network, uplink, downlink = self._network, links["uplink"], links["downlink"]
        layout = network.layout.sync
        m.d.comb += [
            unit.push.eq(downlink.sync_valid),
            unit.message.eq(struct(layout)(downlink.flit.as_value()[: layout.width])),
            unit.open.eq(open_to_messages(m, network, uplink, unit.send)),
            uplink.sync_valid.eq(unit.send),
        ]
        if network.buffered:
            m.d.comb += downlink.sync_credit.eq(unit.credit)
