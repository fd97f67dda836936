"""The barrier unit of a node interface that sends messages: registers, slots."""

from typing import Any

from amaranth import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.guard.members import guard_members
from syncfabric.rtl.irregular.node_port import node_port
from syncfabric.rtl.irregular.ports import NODE_PORTS, observe_bits
from syncfabric.rtl.irregular.register import TreeRegister
from syncfabric.rtl.irregular.registers import config_port, join_registers
from syncfabric.rtl.irregular.sender import Sender
from syncfabric.rtl.irregular.sync_input import SyncInput
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.tick import tick_of
from syncfabric.rtl.wires.bank import SlotBank
from syncfabric.rtl.wires.plane import link_ports

__all__ = ["NodeUnit"]


class NodeUnit(wiring.Component):
    """Registers of two ports, the link and the process, and slots of barrier wires behind them.

    Source: paper BTIN, section 2.1 (one-port model); cycles as in docs/microarchitecture.md, I5.

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.

    Members
    -------
    index : In
        Number of this node on the config port.
    start, arrive, data, last, released, result, ready, done, broken
        The node port, as of :class:`NodeInterface`.
    push : In(1), message : In(sync message), credit : Out(1)
        The message on the link from the switch; only if buffered, its slot is free again.
    open : In(1), send : Out(1), sent : Out(sync message)
        A message may be sent; is sent; the message, 0 if none is.
    in_0 : In(plane.link), out_0 : Out(plane.link)
        Only with barrier wires: those of the link.
    overflows, strays, refused_write : In(1)
        Events of what is placed beside it, to be counted here.
    corrupt, lost : In, fence : Out
        Only with guarded links: their events; those that are closed.
    config : In(ConfigSignature)
        The network's config port, behind the config stage.
    observe : Out
        State of registers, slots and counters, for benches.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        message = struct(network.layout.sync)
        members: dict[str, Any] = {
            "index": In(network.layout.target_bits),
            "push": In(1),
            "message": In(message),
            "open": In(1),
            "send": Out(1),
            "sent": Out(message),
            "overflows": In(1),
            "strays": In(1),
            "refused_write": In(1),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network, NODE_PORTS, node=True)),
        }
        if network.wire_plane:
            members |= link_ports(network.wire_plane, 1, process=False)
        if network.buffered:
            members["credit"] = Out(1)
        if network.guarded:
            members |= guard_members(1)
        super().__init__(members | node_port(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        count = network.barrier_registers
        started = Signal()
        with m.If(self.start):
            m.d.sync += started.eq(1)

        tick = tick_of(m, network.watchdog) if network.watched else None
        registers = [TreeRegister(network, node=True) for _ in range(count)]
        m.submodules.input = source = SyncInput(network, 1)
        m.submodules.sender = sender = Sender(network, 1, count)
        m.submodules.config_port = config = config_port(network, 1)
        wiring.connect(m, wiring.flipped(self.config), config.config)
        m.d.comb += [
            source.push.eq(self.push),
            source.message.eq(self.message),
            source.gids.eq(Cat(register.gid for register in registers)),
            source.open.eq(Cat(register.open for register in registers)),
            source.epochs.eq(Cat(register.epoch for register in registers)),
            sender.open.eq(self.open),
            self.send.eq(sender.send),
            self.sent.eq(sender.message),
        ]
        for r, register in enumerate(registers):
            m.submodules[f"register_{r}"] = register
            wiring.connect(m, register.send, getattr(sender, f"source_{r}"))
            m.d.comb += [
                register.match.eq(source.match[r]),
                register.message_0.eq(source.presented),
                register.started.eq(started),
            ]
            if network.watched:
                m.d.comb += register.tick.eq(tick)

        # Messages come in, and a stray is one that nobody uses.
        used = Cat(register.used for register in registers).any()
        taken = Signal()
        overflows: list[Value] = [self.overflows]
        strays: list[Value] = [taken & ~used, self.strays]
        strays += [register.trips for register in registers] if network.watched else []
        refusals: list[Value] = [register.refused for register in registers]
        m.d.comb += taken.eq(source.present)
        if network.buffered:
            m.d.comb += [source.take.eq(taken), self.credit.eq(source.credit)]
            overflows.append(source.overflow)

        events = [overflows, strays, refusals, [self.refused_write]]
        if network.guarded:
            events += [[self.corrupt], [self.lost]]
            m.d.comb += self.fence.eq(config.fence)
        slots = join_registers(m, network, self, config, registers, events, node=True)
        self._join_process(m, registers, slots)
        return m

    def _join_process(
        self, m: Module, registers: list[TreeRegister], slots: SlotBank | None
    ) -> None:
        """Join the node port to the registers, and to the slots behind them."""
        network = self._network
        count, bits = len(registers), network.data_bits
        for r, register in enumerate(registers):
            m.d.comb += [
                register.arrive.eq(self.arrive[r]),
                register.data.eq(self.data[r * bits : (r + 1) * bits]),
            ]
            if network.takes_last:
                m.d.comb += register.last.eq(self.last[r])
        if slots:
            m.d.comb += [
                slots.arrive.eq(self.arrive[count:]),
                slots.data.eq(self.data[count * bits :]),
            ]
        shown = ["released", "result", "ready", "done"]
        for name in [*shown, "broken"] if network.tells_broken else shown:
            if name == "broken" and not (network.managed or network.watched):
                values: list[Value] = [Const(0, count)]
            else:
                values = [getattr(register, name) for register in registers]
            if slots:
                values.append(getattr(slots, name))
            m.d.comb += getattr(self, name).eq(Cat(values))
