"""The barrier unit of a mesh node: registers, serial combiner, sender, counters, config port."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import (
    COUNTER_BITS,
    STATUS,
    TRIPPED,
    RegisterWord,
    WireLayout,
)
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.config import ConfigPort, message_bank
from syncfabric.rtl.barrier.images import RegisterImages
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.barrier.register import BarrierRegister
from syncfabric.rtl.barrier.sender import Sender
from syncfabric.rtl.barrier.serial import SerialTurn
from syncfabric.rtl.guard.members import guard_members
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.events import count_events, counters_of
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.process_port import process_port
from syncfabric.rtl.parts.selector import Selector
from syncfabric.rtl.parts.tick import tick_of
from syncfabric.rtl.setup.access import AccessSignature, ConfigAccess
from syncfabric.rtl.setup.life import LIFE_BITS
from syncfabric.rtl.wires.bank import SlotBank, wire_bank
from syncfabric.rtl.wires.beside import place_slots
from syncfabric.rtl.wires.slot import NODE_PORT

__all__ = ["BarrierUnit", "observe_bits", "unit_members"]


def observe_bits(network: MeshSpec) -> int:
    """Return the width of a node's ``observe``: registers, slots of wires, counters."""
    register = STATUS.width + 2 * network.data_bits + (LIFE_BITS if network.managed else 0)
    register += TRIPPED.width * network.watched
    bits = network.message_registers * register + len(counters_of(network)) * COUNTER_BITS
    plane = network.wire_plane
    if plane:
        bits += plane.slots * WireLayout(Port.LOCAL, True, plane.data_bits).slot.width
    return bits


def unit_members(network: MeshSpec) -> dict[str, Any]:
    """Return the ports that every barrier unit of a mesh has."""
    layout, port = network.layout, network.port_registers
    members: dict[str, Any] = {
        "x": In(layout.x_bits),
        "y": In(layout.y_bits),
        "index": In(layout.node_bits),
        "start": In(1),
        "here": In(4),
        "take": Out(4),
        "offer": Out(4),
        "sent": In(4),
        "has_credit": In(8),
        "overflows": In(range(10)),
        **process_port(port, network.data_bits),
        "config": In(ConfigSignature(network)),
        "observe": Out(observe_bits(network)),
    }
    for p in range(4):
        members |= {
            f"class_{p}": In(2),
            f"message_{p}": In(struct(layout.sync)),
            f"send_class_{p}": Out(2),
            f"send_{p}": Out(struct(layout.sync)),
        }
    return members


class BarrierUnit(wiring.Component):
    """Merges the messages for this node, releases its process, and sends on.

    Messages presented in a cycle are taken in that cycle, except those that wait for the serial
    combiner. Cycles: docs/microarchitecture.md, sections 4 and 5; of slots of
    barrier wires, where there are any, docs/microarchitecture-wires.md.

    Parameters
    ----------
    network : MeshSpec
        Layouts and options; barriers can be messages.
    counted : bool
        There are counters; else they read 0.

    Members
    -------
    x, y, index, start : In
        The router's position and number; from the cycle after ``start`` barriers may begin.
    here : In(4), class_0 .. class_3 : In(2), message_0 .. message_3 : In(sync message)
        Presented messages for this node by port, their classes and contents.
    take : Out(4)
        Which of them leave their slots.
    offer : Out(4), send_class_0 .. : Out(2), send_0 .. : Out(sync message), sent : In(4)
        Messages to send by output, and which of them are sent.
    has_credit : In(8)
        Bit 2·output + class.
    overflows : In(range(10))
        Flits and messages dropped for want of room in this cycle.
    arrive, data, released, result, ready, done
        Node port; a bit, or ``data_bits``, a register, and after these a slot.
    in_0 .. in_3 : In(plane.link), out_0 .. out_3 : Out(plane.link)
        Only with wires: those of the links.
    last : In(registers)
        Only with set-up by managers: the barrier arrived at is the last; means nothing for slots.
    broken : Out(registers)
        Only with managers, a watchdog or wires: the group is broken; never a register's with wires
        alone.
    corrupt, lost : In, fence : Out(4)
        Only with guarded links: their events, to be counted here; those that are closed.
    strays : In(3), refused_write : In(1)
        Only with managers: events of the set-up sink, the manager and the LOCAL port, to be
        counted here.
    access : In(AccessSignature)
        Only there: the set-up sink's access to the registers.
    gids, open, managers, freed, clear_freed
        Only there: what the set-up sink looks at.
    config : In(ConfigSignature)
        Config port of the whole network; requests for other nodes are not answered.
    observe : Out
        State of registers and counters, for benches.
    """

    def __init__(self, network: MeshSpec, *, counted: bool = True) -> None:
        self._network, self._counted = network, counted
        registers = network.message_registers
        port, plane = network.port_registers, network.wire_plane
        members = unit_members(network)
        if network.tells_broken:
            members["broken"] = Out(port)
        if network.guarded:
            members |= guard_members(4)
        if plane:
            members |= {f"in_{p}": In(struct(plane.link)) for p in range(4)}
            members |= {f"out_{p}": Out(struct(plane.link)) for p in range(4)}
        if network.managed:
            members |= {
                "last": In(port),
                "strays": In(3),
                "refused_write": In(1),
                "access": In(AccessSignature()),
                "gids": Out(8 * registers),
                "open": Out(registers),
                "managers": Out(2 * registers),
                "freed": Out(registers),
                "clear_freed": In(registers),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        count, bits = network.message_registers, network.data_bits
        started = Signal()
        with m.If(self.start):
            m.d.sync += started.eq(1)

        tick = tick_of(m, network.watchdog) if network.watched else None
        registers = [BarrierRegister(network) for _ in range(count)]
        m.submodules.sender = sender = Sender(network, count)
        bank, plane = message_bank(network), network.wire_plane
        banks = [bank, wire_bank(plane)] if plane else [bank]
        m.submodules.config_port = config = ConfigPort(network, banks)
        words = len(bank.writable)
        addressed = Signal(count)
        m.d.comb += addressed.eq(Cat(config.config.address[3:] == r for r in range(count)))
        m.submodules.images = images = self._place_images(m, config, sender)
        for r, register in enumerate(registers):
            m.submodules[f"register_{r}"] = register
            wiring.connect(m, register.send, getattr(sender, f"source_{r}"))
            self._hand_messages(m, register)
            m.d.comb += [
                register.started.eq(started),
                register.here.eq(self.here),
                register.arrive.eq(self.arrive[r]),
                register.data.eq(self.data[r * bits : (r + 1) * bits]),
                self.released[r].eq(register.released),
                self.result[r * bits : (r + 1) * bits].eq(register.result),
                self.ready[r].eq(register.ready),
                self.done[r].eq(register.done),
                register.write.eq(Mux(addressed[r], config.write[:words], 0)),
                register.write_data.eq(config.config.data),
                register.up_port.eq(images.up_port),
            ]
            if network.watched:
                m.d.comb += register.tick.eq(tick)
            if network.managed or network.watched:
                m.d.comb += self.broken[r].eq(register.broken)
            if network.managed:
                m.d.comb += [
                    register.last.eq(self.last[r]),
                    self.gids[8 * r : 8 * (r + 1)].eq(register.send.control.gid),
                    self.open[r].eq(register.send.control.valid),
                    self.managers[2 * r : 2 * (r + 1)].eq(register.manager),
                    self.freed[r].eq(register.freed),
                    register.clear_freed.eq(self.clear_freed[r]),
                ]
        m.d.comb += [
            sender.has_credit.eq(self.has_credit),
            sender.take.eq(self.sent),
            self.offer.eq(sender.offer),
        ]
        for p in range(4):
            m.d.comb += [
                getattr(sender, f"place_{p}").eq(getattr(images, f"place_{p}")),
                getattr(self, f"send_class_{p}").eq(getattr(sender, f"class_{p}")),
                getattr(self, f"send_{p}").eq(getattr(sender, f"message_{p}")),
            ]

        # Who takes which of the presented messages.
        used, held = Signal(4), Signal(4)
        m.d.comb += used.eq(either([register.used for register in registers]))
        if network.operations == "all":
            m.submodules.serial = serial = SerialTurn(count)
            m.d.comb += [
                serial.countable.eq(either([register.countable for register in registers])),
                serial.waiting.eq(Cat(register.waiting for register in registers)),
                held.eq(serial.held),
            ]
            for r, register in enumerate(registers):
                m.d.comb += [
                    register.chosen.eq(serial.chosen),
                    register.chosen_local.eq(serial.chosen_local[r]),
                ]
        taken = Signal(4)
        refusals = [register.refused for register in registers]
        refused_writes: list[Value] = [config.refused_write]
        m.d.comb += [taken.eq(self.here & ~held), self.take.eq(taken)]

        beside: list[Value] = [r.trips for r in registers] if network.watched else []
        write_refused: list[Value] = [register.write_refused for register in registers]
        refuses = Cat(write_refused).any()
        m.d.comb += images.store.eq(
            config.write[RegisterWord.PARENT : RegisterWord.STATUS].any() & ~refuses
        )
        write_refused = [refuses]
        contents: list[Value] = [self._contents(m, registers, addressed, images)]
        shown: Value = Const(0, 0)
        if plane:
            slots = place_slots(m, network, self, config, 4, process=True)
            self._join_slots(m, plane, slots)
            beside.extend(slots.turns)
            refusals.extend(slots.refused)
            write_refused.append(slots.write_refused)
            contents.append(slots.contents)
            shown = slots.observe

        # Counters, in their order.
        if network.managed:
            beside.extend(self.strays)
            refused_writes.append(self.refused_write)
        strays = [*(taken & ~used), *beside]
        events = [[self.overflows], strays, refusals, refused_writes]
        if network.guarded:
            events += [[self.corrupt], [self.lost]]
            m.d.comb += self.fence.eq(config.fence)
        seen, counts = count_events(m, events, counted=self._counted)

        if network.managed:
            m.submodules.access = access = ConfigAccess(network)
            wiring.connect(m, wiring.flipped(self.config), access.outside)
            wiring.connect(m, wiring.flipped(self.access), access.sink)
            wiring.connect(m, access.inside, config.config)
            m.d.comb += access.index.eq(self.index)
        else:
            wiring.connect(m, wiring.flipped(self.config), config.config)
        m.d.comb += [
            config.index.eq(self.index),
            config.refused.eq(Cat(write_refused)),
            config.contents.eq(Cat(contents)),
            config.counters.eq(counts),
            self.observe.eq(
                Cat(
                    *(Cat(r.contents, r.accumulated, r.result) for r in registers),
                    shown,
                    seen,
                )
            ),
        ]
        return m

    def _place_images(self, m: Module, config: ConfigPort, sender: Sender) -> RegisterImages:
        """Place the memory of parents and children, for the config port and the sender."""
        images = RegisterImages(self._network)
        asked = config.config
        m.d.comb += [
            images.x.eq(self.x),
            images.y.eq(self.y),
            images.number.eq(asked.address[3:]),
            images.word.eq(config.word),
            images.writes.eq(asked.write),
            images.data.eq(asked.data),
            images.up.eq(sender.up),
        ]
        grant = sender.grant
        for bit in range(len(images.sender)):
            those = [grant[r] for r in range(self._network.message_registers) if r >> bit & 1]
            m.d.comb += images.sender[bit].eq(Cat(those).any())
        return images

    def _contents(
        self,
        m: Module,
        registers: list[BarrierRegister],
        addressed: Value,
        images: RegisterImages,
    ) -> Value:
        """Return what the word of a register that is addressed holds."""
        held: list[Value] = [images.contents]
        for number, contents in (
            (RegisterWord.CONTROL, [r.send.control.as_value() for r in registers]),
            (RegisterWord.STATUS, [r.contents for r in registers]),
            (RegisterWord.RESULT, [r.result for r in registers]),
        ):
            selector = Selector(len(registers), len(contents[0]))
            m.submodules[f"{number.name.lower()}_word"] = selector
            m.d.comb += selector.select.eq(Mux(images.word == number, addressed, 0))
            for r, word in enumerate(contents):
                m.d.comb += getattr(selector, f"word_{r}").eq(word)
            held.append(selector.word)
        return either(held)

    def _join_slots(self, m: Module, plane: WirePlane, slots: SlotBank) -> None:
        """Give slots of barrier wires the process: on the node port they follow the registers."""
        first, bits = self._network.first_slot, plane.data_bits
        m.d.comb += [
            slots.arrive.eq(self.arrive[first:]),
            slots.data.eq(self.data[first * bits :]),
            self.result[first * bits :].eq(slots.result),
            *(getattr(self, name)[first:].eq(getattr(slots, name)) for name in NODE_PORT),
        ]

    def _hand_messages(self, m: Module, taker: BarrierRegister) -> None:
        """Show ``taker`` the presented messages."""
        for p in range(4):
            for name in (f"class_{p}", f"message_{p}"):
                m.d.comb += getattr(taker, name).eq(getattr(self, name))
