"""The barrier unit of a switch that sends messages: registers, sender, slots."""

from typing import Any

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.config import ConfigPort
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.guard.members import guard_members
from syncfabric.rtl.irregular.config_stage import config_stage
from syncfabric.rtl.irregular.ports import observe_bits
from syncfabric.rtl.irregular.register import TreeRegister
from syncfabric.rtl.irregular.registers import config_port, join_registers
from syncfabric.rtl.irregular.sender import Sender
from syncfabric.rtl.irregular.sink import place_sink, sink_ports
from syncfabric.rtl.irregular.sync_input import SyncInput
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.parts.gates import either, total
from syncfabric.rtl.setup.access import ConfigAccess
from syncfabric.rtl.setup.sink import SetupSink
from syncfabric.rtl.wires.plane import link_ports

__all__ = ["BarrierUnit"]


class BarrierUnit(wiring.Component):
    """Takes in the synchronization messages of all ports, and sends one register's a cycle.

    Source: paper BTIN, section 3; cycles as in docs/microarchitecture.md, I3, I4 and I6.

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.

    Members
    -------
    index : In
        Number of this switch on the config port.
    push_0 .. : In(1), message_0 .. : In(sync message)
        The messages on the links, by port.
    credit : Out(ports)
        Only if buffered: slots that are free again.
    open : In(ports), send : Out(ports), message : Out(sync message)
        Outputs by which a message may be sent; is sent; the message.
    in_0 .. : In(plane.link), out_0 .. : Out(plane.link)
        Only with barrier wires: those of the links.
    overflows, strays : In
        Events of the ordinary part, to be counted here.
    corrupt, lost : In, fence : Out
        Only with guarded links: their events; those that are closed.
    number, setup_valid, setup_flit, listening, reply_valid, reply_flit, reply_manager, reply_taken
        Only with set-up by managers: this switch's number, and the flits of its set-up sink.
    config : In(ConfigSignature)
        The network's config port.
    observe : Out
        State of registers and counters, for benches.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        ports = network.ports
        message = struct(network.layout.sync)
        members: dict[str, Any] = {
            "index": In(network.layout.target_bits),
            "open": In(ports),
            "send": Out(ports),
            "message": Out(message),
            "overflows": In(range(ports + 1)),
            "strays": In(1),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network, ports)),
        }
        for p in range(ports):
            members |= {f"push_{p}": In(1), f"message_{p}": In(message)}
        if network.buffered:
            members["credit"] = Out(ports)
        if network.guarded:
            members |= guard_members(ports)
        if network.wire_plane:
            members |= link_ports(network.wire_plane, ports, process=False)
        super().__init__(members | (sink_ports(network) if network.managed else {}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        ports, count = network.ports, network.barrier_registers
        registers = [TreeRegister(network, node=False) for _ in range(count)]
        inputs = [SyncInput(network, network.cycles_per_hop) for _ in range(ports)]
        m.submodules.sender = sender = Sender(network, ports, count)
        m.submodules.config_port = config = config_port(network, ports)
        for p, source in enumerate(inputs):
            m.submodules[f"input_{p}"] = source
            m.d.comb += [
                source.push.eq(getattr(self, f"push_{p}")),
                source.message.eq(getattr(self, f"message_{p}")),
                source.gids.eq(Cat(register.gid for register in registers)),
                source.open.eq(Cat(register.open for register in registers)),
                source.epochs.eq(Cat(register.epoch for register in registers)),
            ]
        for r, register in enumerate(registers):
            m.submodules[f"register_{r}"] = register
            wiring.connect(m, register.send, getattr(sender, f"source_{r}"))
            m.d.comb += register.match.eq(Cat(source.match[r] for source in inputs))
            for p, source in enumerate(inputs):
                m.d.comb += getattr(register, f"message_{p}").eq(source.presented)
        m.d.comb += [
            sender.open.eq(self.open),
            self.send.eq(sender.send),
            self.message.eq(sender.message),
        ]

        # Who takes which of the presented messages.
        present, used, held = (Signal(ports) for _ in range(3))
        m.d.comb += [
            present.eq(Cat(source.present for source in inputs)),
            used.eq(either([register.used for register in registers])),
        ]
        if network.operations == "all":
            m.submodules.turn = turn = RoundRobinArbiter(ports)
            m.d.comb += [
                turn.request.eq(either([register.countable for register in registers])),
                turn.advance.eq(1),
                held.eq(turn.request & ~turn.grant),
            ]
            m.d.comb += [register.chosen.eq(turn.grant) for register in registers]
        taken = Signal(ports)
        m.d.comb += taken.eq(present & ~held)
        strays: list[Value] = [*(taken & ~used), self.strays]
        if network.managed:
            strays.append(self._place_sink(m, config, registers).stray)
        else:
            config_stage(m, self.config, config.config)
        overflows: Value = self.overflows
        if network.buffered:
            for p, source in enumerate(inputs):
                m.d.comb += [source.take.eq(taken[p]), self.credit[p].eq(source.credit)]
            overflows = overflows + total([source.overflow for source in inputs])

        events: list[list[Value]] = [[overflows], strays, [], []]
        if network.guarded:
            events += [[self.corrupt], [self.lost]]
            m.d.comb += self.fence.eq(config.fence)
        join_registers(m, network, self, config, registers, events, node=False)
        return m

    def _place_sink(
        self, m: Module, config: ConfigPort, registers: list[TreeRegister]
    ) -> SetupSink:
        """Place the set-up sink beside the config port; return it."""
        network = self._network
        sink = place_sink(m, network, self)
        m.submodules.access = access = ConfigAccess(network)
        config_stage(m, self.config, access.outside)
        wiring.connect(m, access.inside, config.config)
        wiring.connect(m, sink.access, access.sink)
        m.d.comb += [
            access.index.eq(self.index),
            sink.gids.eq(Cat(register.gid for register in registers)),
            sink.open.eq(Cat(register.open for register in registers)),
            sink.managers.eq(Cat(register.manager for register in registers)),
            sink.freed.eq(Cat(register.freed for register in registers)),
        ]
        for r, register in enumerate(registers):
            m.d.comb += register.clear_freed.eq(sink.clear_freed[r])
        return sink
