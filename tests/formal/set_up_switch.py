"""Packets of nodes, whatever they are, at routers that managers set up."""

from typing import Any

from amaranth import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, COUNTER_BASE, Counter, SwitchWord
from syncfabric.rtl.irregular.switch import IrregularSwitch
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties
from tests.formal.tree_register import network_of

__all__ = ["ForgedProof"]

PORTS = 3


class ForgedProof(wiring.Component):
    """A switch with one register, that software writes; any flits come on ordinary channels.

    No message comes, and no set-up packet: node interfaces and managers alone send these.
    Overflow and credits are no matter: nobody need keep any.

    Members
    -------
    valid, flits, credits : In
        What comes by the links.
    asks, address, writes, data : In
        The config port; but no command is written.
    """

    def __init__(self) -> None:
        self._network = network = network_of(
            ports=PORTS, setup="manager", flit_bits=32, buffer_flits=1, channels=1
        )
        self._flit = struct(network.layout.flit)
        super().__init__(
            {
                "valid": In(PORTS),
                "flits": In(PORTS * self._flit.size),
                "credits": In(2 * PORTS),
                "asks": In(1),
                "address": In(12),
                "writes": In(1),
                "data": In(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, network = Properties(m), self._network
        m.submodules.switch = switch = IrregularSwitch(network)
        size, config = self._flit.size, switch.config
        m.d.comb += [
            switch.routes.eq(1 << network.layout.port_bits),
            config.valid.eq(self.asks),
            config.address.eq(self.address),
            config.write.eq(self.writes),
            config.data.eq(self.data),
        ]
        sent = []
        for p in range(PORTS):
            into, out = getattr(switch, f"in_{p}"), getattr(switch, f"out_{p}")
            m.d.comb += [
                into.valid.eq(self.valid[p]),
                into.flit.eq(Mux(self.valid[p], self.flits[size * p : size * p + size], 0)),
                out.credit.eq(self.credits[2 * p : 2 * p + 2]),
            ]
            sent.append(out)
        return self._claim(m, claims, switch, sent)

    def _claim(
        self, m: Module, claims: Properties, switch: IrregularSwitch, sent: list[Any]
    ) -> Module:
        """Claim that what is read is what was written, and nothing is told to a manager."""
        config = switch.config
        is_control = self.address == SwitchWord.CONTROL
        claims.assume(~self.asks | ~self.writes | (self.address <= SwitchWord.TREE))
        # An answer comes two cycles later.
        asked = claims.before("asked", self.asks)
        wrote = claims.before("wrote", claims.before("writes", self.asks & self.writes & is_control))
        read = claims.before("read", claims.before("reads", self.asks & ~self.writes & is_control))
        given = claims.before("given", claims.before("data", self.data))
        kept = Signal(CONTROL.width)
        mask = Const((1 << CONTROL.width) - 1 & ~CONTROL.pack({"turn": 1}), CONTROL.width)
        with m.If(wrote & config.ready & ~config.error):
            m.d.sync += kept.eq(given & mask)
        del asked
        claims.holds(
            "a register is as software has written it, whatever packets of nodes come",
            ~read | (config.rdata == kept),
        )
        for p, out in enumerate(sent):
            claims.holds(f"nothing is said to a manager by output {p}", ~out.valid[1])
        claims.holds("a read is answered", ~read | (config.ready & ~config.error))
        counted = claims.before(
            "counted",
            claims.before("counts", self.asks & ~self.writes & (self.address == COUNTER_BASE + Counter.STRAY)),
        )
        claims.reached("a packet for the switch itself is counted", counted & (config.rdata != 0))
        claims.reached("a register is set up", read & config.rdata[0])
        return m
