"""Packets past a node interface's barriers: the node's own, and a manager's."""

from typing import Any

from amaranth import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.irregular.manager_port import ManagerPort
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.hold import FlitHold
from syncfabric.rtl.parts.link import LocalLinkSignature

__all__ = ["NodePackets"]


class NodePackets(wiring.Component):
    """Leads packets between a node and its switch: set-up packets, or else ordinary flits.

    A node's flits are held only where something else uses the link: messages, or a manager.

    Cycles as in docs/microarchitecture.md, I5 and S3.

    Parameters
    ----------
    network : IrregularSpec
        Channels, managers.

    Members
    -------
    local_in : In(LocalLinkSignature), local_out : Out(LocalLinkSignature)
        Ordinary packets from and to the node.
    uplink : Out(LocalLinkSignature), downlink : In(LocalLinkSignature)
        To and from the switch, with the channel of set-up packets.
    blocked : In(1)
        Only with messages: one uses the link in this cycle.
    overflow : Out(1)
        A flit from the node finds no place.
    target, manager, manager_index : In
        Only with managers: the node's number on the config port; a manager is built here; which.
    asked : In(ConfigSignature), others : Out(ConfigSignature)
        Only there: the config port, and what of it is not the manager's.
    stray, refused_write : Out(1)
        Only there: the manager's events.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout = network.layout
        local = LocalLinkSignature(layout, network.channels)
        link = LocalLinkSignature(layout, network.link_channels)
        members: dict[str, Any] = {
            "local_in": In(local),
            "local_out": Out(local),
            "uplink": Out(link),
            "downlink": In(link),
            "overflow": Out(1),
        }
        if network.has_messages:
            members["blocked"] = In(1)
        if network.managed:
            members |= {
                "target": In(layout.target_bits),
                "manager": In(1),
                "manager_index": In(2),
                "asked": In(ConfigSignature(network)),
                "others": Out(ConfigSignature(network)),
                "stray": Out(1),
                "refused_write": Out(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, channels = self._network, self._network.channels
        valid: Value = self.local_in.valid
        flit: Value = self.local_in.flit.as_value()
        credit: Value = self.local_out.credit
        port = self._place_manager(m) if network.managed else None
        others = [*([self.blocked] if network.has_messages else []), *([port.send] if port else [])]
        if others:
            m.submodules.hold = hold = FlitHold(network)
            m.d.comb += [
                hold.push.eq(valid),
                hold.flit.eq(self.local_in.flit),
                hold.blocked.eq(either(others)),
                self.overflow.eq(hold.overflow),
            ]
            valid, flit = hold.valid, hold.out.as_value()
        if port:
            valid = Cat(valid, port.send)
            flit = flit | port.flit.as_value()
            credit = Cat(credit, port.reply_credit)
        m.d.comb += [
            self.uplink.valid.eq(valid),
            self.uplink.flit.eq(flit),
            self.local_in.credit.eq(self.uplink.credit[:channels]),
            self.downlink.credit.eq(credit),
            self.local_out.valid.eq(self.downlink.valid[:channels]),
        ]
        with m.If(self.downlink.valid[:channels].any()):
            m.d.comb += self.local_out.flit.eq(self.downlink.flit)
        return m

    def _place_manager(self, m: Module) -> ManagerPort:
        """Place the manager, between the config port and the link."""
        m.submodules.manager_port = port = ManagerPort(self._network)
        asked, others = self.asked, self.others
        m.d.comb += [
            port.enabled.eq(self.manager),
            port.index.eq(self.manager_index),
            port.valid.eq(asked.valid & (asked.node == self.target)),
            port.address.eq(asked.address),
            port.write.eq(asked.write),
            port.data.eq(asked.data),
            port.credit.eq(self.uplink.credit[-1]),
            port.reply_valid.eq(self.downlink.valid[-1]),
            port.reply_flit.eq(self.downlink.flit),
            others.valid.eq(asked.valid & ~port.mine),
            others.node.eq(asked.node),
            others.address.eq(asked.address),
            others.write.eq(asked.write),
            others.data.eq(asked.data),
            asked.ready.eq(others.ready | port.ready),
            asked.error.eq(others.error | port.error),
            asked.rdata.eq(others.rdata | port.rdata),
            self.stray.eq(port.stray),
            self.refused_write.eq(port.refused_write),
        ]
        if self._network.has_messages:
            m.d.comb += port.blocked.eq(self.blocked)
        return port
