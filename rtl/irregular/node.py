"""A node interface: joins a node's process, and its packets, to a port of its switch."""

from typing import Any

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.config import ConfigPort
from syncfabric.rtl.barrier.ports import (
    ConfigSignature,
    SpillArriveSignature,
    SpillReleaseSignature,
)
from syncfabric.rtl.irregular.barrier_unit import count_events, later
from syncfabric.rtl.irregular.config_stage import config_stage
from syncfabric.rtl.irregular.image import writable
from syncfabric.rtl.irregular.manager_port import ManagerPort
from syncfabric.rtl.irregular.ports import NODE_PORTS, observe_bits
from syncfabric.rtl.irregular.register import TreeRegister
from syncfabric.rtl.irregular.sender import Sender
from syncfabric.rtl.irregular.spill import SpillEngine
from syncfabric.rtl.irregular.sync_input import SyncInput
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.parts.hold import FlitHold
from syncfabric.rtl.parts.link import LocalLinkSignature, SwitchLinkSignature
from syncfabric.rtl.spill.join import join_config

__all__ = ["NodeInterface"]


class NodeInterface(wiring.Component):
    """Registers of two ports, the link and the process, and a way past them for packets.

    Source: paper BTIN, section 2.1 (one-port model); cycles as in docs/microarchitecture.md, I5.

    Parameters
    ----------
    network : IrregularSpec
        The network's parameters.

    Members
    -------
    target : In
        Number of this node, as the config port counts; constant.
    start : In(1)
        From the cycle after it was high, barriers may begin.
    arrive : In(registers), data : In(registers * data_bits)
        The node's process arrives in a register's group, with its data.
    released, ready, done : Out(registers), result : Out(registers * data_bits)
        It is released; may arrive; has been released since; the group's data.
    last : In(registers), broken : Out(registers), manager : In(1), manager_index : In(2)
        Only with set-up by managers: the barrier arrived at is the group's last; the group is
        broken; a manager is built here, and which (constant).
    spill_arrive, spill_release
        Only with ``spill``: the same for groups without a register.
    local_in : In(LocalLinkSignature), local_out : Out(LocalLinkSignature)
        Ordinary packets from and to the node.
    uplink : Out(SwitchLinkSignature), downlink : In(SwitchLinkSignature)
        To and from the switch.
    config : In(ConfigSignature)
        The network's config port.
    observe : Out
        State of registers and counters, for benches.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout, registers = network.layout, network.barrier_registers
        link = SwitchLinkSignature(layout, network.link_channels, buffered=network.buffered)
        members: dict[str, Any] = {
            "target": In(layout.target_bits),
            "start": In(1),
            "arrive": In(registers),
            "data": In(registers * network.data_bits),
            "released": Out(registers),
            "result": Out(registers * network.data_bits),
            "ready": Out(registers),
            "done": Out(registers),
            "local_in": In(LocalLinkSignature(layout, network.channels)),
            "local_out": Out(LocalLinkSignature(layout, network.channels)),
            "uplink": Out(link),
            "downlink": In(link),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network, NODE_PORTS)),
        }
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
        count, bits = network.barrier_registers, network.data_bits
        words = len(writable(network))
        started = Signal()
        with m.If(self.start):
            m.d.sync += started.eq(1)

        registers = [TreeRegister(network, node=True) for _ in range(count)]
        m.submodules.input = source = SyncInput(network, 1)
        m.submodules.sender = sender = Sender(network, 1, count + network.spill)
        m.submodules.config_port = config = ConfigPort(network)
        m.submodules.hold = hold = FlitHold(network)
        message = struct(network.layout.sync)(
            self.downlink.flit.as_value()[: network.layout.sync.width]
        )
        m.d.comb += [
            source.push.eq(self.downlink.sync_valid),
            source.message.eq(message),
            source.gids.eq(Cat(register.gid for register in registers)),
            source.open.eq(Cat(register.open for register in registers)),
            source.epochs.eq(Cat(register.epoch for register in registers)),
        ]
        for r, register in enumerate(registers):
            m.submodules[f"register_{r}"] = register
            wiring.connect(m, register.send, getattr(sender, f"source_{r}"))
            m.d.comb += [
                register.match.eq(source.match[r]),
                register.message_0.eq(source.presented),
                register.started.eq(started),
                register.arrive.eq(self.arrive[r]),
                register.data.eq(self.data[r * bits : (r + 1) * bits]),
                self.released[r].eq(register.released),
                self.result[r * bits : (r + 1) * bits].eq(register.result),
                self.ready[r].eq(register.ready),
                self.done[r].eq(register.done),
                register.write.eq(config.write[words * r : words * (r + 1)]),
                register.write_data.eq(config.config.data),
                register.word.eq(config.word),
            ]
            if network.managed:
                m.d.comb += [
                    register.last.eq(self.last[r]),
                    self.broken[r].eq(register.broken),
                ]

        # Messages come in, and a stray is one that nobody uses.
        used = Cat(register.used for register in registers).any()
        taken, spill_stray = Signal(), Signal()
        refusals: list[Value] = [register.refused for register in registers]
        refused_writes: list[Value] = [config.refused_write]
        overflows: list[Value] = [hold.overflow]
        m.d.comb += taken.eq(source.present)
        takes: Value = taken
        if network.spill:
            m.submodules.spill = spill = SpillEngine(network, node=True)
            wiring.connect(m, spill.send, getattr(sender, f"source_{count}"))
            wiring.connect(m, wiring.flipped(self.spill_arrive), spill.arrive)
            wiring.connect(m, spill.release, wiring.flipped(self.spill_release))
            join_config(m, spill, config)
            m.d.comb += [
                spill.started.eq(started),
                spill.message_0.eq(source.presented),
                spill.here.eq(source.present & ~source.match.any()),
                taken.eq(source.match.any()),
                spill_stray.eq(spill.stray),
            ]
            takes = taken | spill.take
            refusals.append(spill.refused_arrive)
            refused_writes.append(spill.refused_write)
        opens = Signal()
        if network.buffered:
            m.submodules.slot = slot = CreditCounter(1)
            m.d.comb += [
                source.take.eq(takes),
                self.downlink.sync_credit.eq(source.credit),
                slot.credit.eq(self.uplink.sync_credit),
                slot.spend.eq(sender.send),
                opens.eq(slot.available),
            ]
            overflows.append(source.overflow)
        else:
            sent = Signal()
            m.d.sync += sent.eq(sender.send)
            m.d.comb += opens.eq(~sent)

        # The link to the switch: a message, or else a set-up packet, or else an ordinary flit.
        channels = network.channels
        strays: list[Value] = [taken & ~used, spill_stray]
        m.d.comb += [
            sender.open.eq(opens),
            hold.push.eq(self.local_in.valid),
            hold.flit.eq(self.local_in.flit),
            self.uplink.sync_valid.eq(sender.send),
            self.local_in.credit.eq(self.uplink.credit[:channels]),
            self.local_out.valid.eq(self.downlink.valid[:channels]),
        ]
        words_out = hold.out.as_value() | sender.message.as_value()
        if network.managed:
            port = self._manager(m, config)
            m.d.comb += [
                port.blocked.eq(sender.send),
                hold.blocked.eq(sender.send | port.send),
                self.uplink.valid.eq(Cat(hold.valid, port.send)),
                self.uplink.flit.eq(words_out | port.flit.as_value()),
                self.downlink.credit.eq(Cat(self.local_out.credit, port.reply_credit)),
            ]
            strays.append(port.stray)
            refused_writes.append(port.refused_write)
        else:
            m.d.comb += [
                hold.blocked.eq(sender.send),
                self.uplink.valid.eq(hold.valid),
                self.uplink.flit.eq(words_out),
                self.downlink.credit.eq(self.local_out.credit),
            ]
            config_stage(m, self.config, config.config)
        with m.If(self.downlink.valid[:channels].any()):
            m.d.comb += self.local_out.flit.eq(self.downlink.flit)

        events = [overflows, strays, refusals, refused_writes]
        counts = count_events(m, [total(later(m, happened)) for happened in events])
        m.d.comb += [
            config.index.eq(self.target),
            config.refused.eq(Cat(register.write_refused for register in registers)),
            config.contents.eq(Cat(register.read_data for register in registers)),
            config.counters.eq(Cat(counts)),
            self.observe.eq(Cat(*(register.observe for register in registers), *counts)),
        ]
        return m

    def _manager(self, m: Module, config: ConfigPort) -> ManagerPort:
        """Place the manager, between the config port and the link."""
        m.submodules.manager_port = port = ManagerPort(self._network)
        asked = ConfigSignature(self._network).create()
        config_stage(m, self.config, asked)
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
            config.config.valid.eq(asked.valid & ~port.mine),
            config.config.node.eq(asked.node),
            config.config.address.eq(asked.address),
            config.config.write.eq(asked.write),
            config.config.data.eq(asked.data),
            asked.ready.eq(config.config.ready | port.ready),
            asked.error.eq(config.config.error | port.error),
            asked.rdata.eq(config.config.rdata | port.rdata),
        ]
        return port
