"""A node interface's manager, on the channel of set-up packets."""

from amaranth import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.setup.format import setup_format
from syncfabric.rtl.setup.manager import Manager

__all__ = ["ManagerPort"]


class ManagerPort(wiring.Component):
    """Sends the manager's requests as the link allows, and takes every reply.

    Cycles as in docs/microarchitecture.md, S3 and S5.

    Parameters
    ----------
    network : IrregularSpec
        Managers, layouts.

    Members
    -------
    enabled : In(1), index : In(2)
        As of :class:`Manager`.
    valid, address, write, data, mine, ready, error, rdata, refused_write, stray
        As of :class:`Manager`.
    blocked : In(1)
        The link is not free in this cycle.
    credit : In(1)
        The switch has a place free again.
    send : Out(1), flit : Out(flit)
        A flit that is on the link; 0 if none is.
    reply_valid : In(1), reply_flit : In(flit), reply_credit : Out(1)
        A flit from the switch, and its credit, in the next cycle.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        flit = struct(network.layout.flit)
        super().__init__(
            {
                "enabled": In(1),
                "index": In(2),
                "valid": In(1),
                "address": In(CONFIG_ADDRESS_BITS),
                "write": In(1),
                "data": In(32),
                "mine": Out(1),
                "ready": Out(1),
                "error": Out(1),
                "rdata": Out(32),
                "refused_write": Out(1),
                "stray": Out(1),
                "blocked": In(1),
                "credit": In(1),
                "send": Out(1),
                "flit": Out(flit),
                "reply_valid": In(1),
                "reply_flit": In(flit),
                "reply_credit": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        m.submodules.manager = manager = Manager(setup_format(network, network.manager_nodes))
        m.submodules.credits = credits = CreditCounter(network.buffer_flits)
        for name in ("enabled", "index", "valid", "address", "write", "data"):
            m.d.comb += getattr(manager, name).eq(getattr(self, name))
        for name in ("mine", "ready", "error", "rdata", "refused_write", "stray"):
            m.d.comb += getattr(self, name).eq(getattr(manager, name))
        m.d.comb += [
            credits.credit.eq(self.credit),
            credits.spend.eq(self.send),
            self.send.eq(manager.request_valid & credits.available & ~self.blocked),
            self.flit.eq(Mux(self.send, manager.request_flit.as_value(), 0)),
            manager.request_taken.eq(self.send),
            manager.reply_valid.eq(self.reply_valid),
            manager.reply_flit.eq(self.reply_flit),
        ]
        m.d.sync += self.reply_credit.eq(self.reply_valid)
        return m
