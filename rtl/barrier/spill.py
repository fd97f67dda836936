"""Groups beyond the registers: one engine works on a memory of all 256, in place."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, STATUS, Kind, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.combine import combine_two, identity
from syncfabric.rtl.barrier.ports import (
    SenderSignature,
    SpillArriveSignature,
    SpillReleaseSignature,
)
from syncfabric.rtl.barrier.rules import is_complete, next_arrived, used_reduces
from syncfabric.rtl.mesh.routing import route
from syncfabric.rtl.messages import node_contents, node_place, node_word, struct
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.parts.gates import either

__all__ = ["SpillEngine"]

GROUPS = 256


class SpillEngine(wiring.Component):
    """Does in three cycles what a register does in one, for any group in the memory.

    Accepts an operation, reads the entry, merges and writes it back. Nothing is ever evicted and
    what is to be sent waits in a queue of GIDs that cannot overflow, so accepting a message
    depends on this engine alone. Cycles: docs/microarchitecture.md, section 5.

    Source: paper BTM, section 2.1, last paragraph (registers mapped onto memory).

    Parameters
    ----------
    network : MeshSpec
        Layouts and options.

    Members
    -------
    x, y, started : In
        Position of the router; barriers may begin.
    here : In(4), class_0 .. class_3 : In(2), message_0 .. message_3 : In(sync message)
        Messages that no register matches, by port.
    take : Out(4)
        The one that is accepted.
    arrive : In(SpillArriveSignature), release : Out(SpillReleaseSignature)
        The node port of spilled groups.
    send : Out(SenderSignature)
        The send register.
    config_valid, config_gid, config_word, config_write, config_data : In
        A config request for an entry.
    config_ready, config_error, config_rdata : Out
        Its answer, in the cycle after the engine has served it.
    stray, refused_arrive, refused_write : Out(1)
        Events to count.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._network = network
        layout = network.layout
        members: dict[str, Any] = {
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "started": In(1),
            "here": In(4),
            "take": Out(4),
            "arrive": In(SpillArriveSignature(network)),
            "release": Out(SpillReleaseSignature(network)),
            "send": Out(SenderSignature(network)),
            "config_valid": In(1),
            "config_gid": In(8),
            "config_word": In(3),
            "config_write": In(1),
            "config_data": In(32),
            "config_ready": Out(1),
            "config_error": Out(1),
            "config_rdata": Out(32),
            "stray": Out(1),
            "refused_arrive": Out(1),
            "refused_write": Out(1),
        }
        for p in range(4):
            members |= {f"class_{p}": In(2), f"message_{p}": In(struct(layout.sync))}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        bits = network.data_bits
        place = node_place(network.layout)
        entry_layout = data.StructLayout(
            {
                "control": struct(CONTROL),
                "parent": place,
                **{f"child_{p}": place for p in range(4)},
                "arrived": 4,
                "local": 1,
                "fired": 1,
                "queued": 1,
                "acc": bits,
                "result": bits,
            }
        )
        m.submodules.entries = entries = Memory(shape=entry_layout, depth=GROUPS, init=[])
        store, load = entries.write_port(), entries.read_port()
        m.submodules.queue = queue = Memory(shape=8, depth=GROUPS, init=[])
        enqueue, dequeue = queue.write_port(), queue.read_port()

        # What waits: a local arrival, a config request, GIDs with something to send.
        local_held, local_gid, local_data = Signal(), Signal(8), Signal(bits)
        m.d.comb += self.arrive.ready.eq(~local_held)
        with m.If(self.arrive.valid & self.arrive.ready):
            m.d.sync += [
                local_held.eq(1),
                local_gid.eq(self.arrive.gid),
                local_data.eq(self.arrive.data),
            ]
        config_held, config_gid, config_word = Signal(), Signal(8), Signal(3)
        config_write, config_data = Signal(), Signal(32)
        with m.If(self.config_valid):
            m.d.sync += [
                config_held.eq(1),
                config_gid.eq(self.config_gid),
                config_word.eq(self.config_word),
                config_write.eq(self.config_write),
                config_data.eq(self.config_data),
            ]
        # One bit more than places, to tell a full queue from an empty one.
        head, tail = Signal(9), Signal(9)
        waiting = Signal()
        m.d.comb += waiting.eq(head != tail)

        m.d.comb += [self.send.wave.eq(Kind.DISTRIBUTE), self.send.up_kind.eq(Kind.REDUCE)]
        # Accept in the first of three cycles.
        idle, reading, merging = Signal(init=1), Signal(), Signal()
        is_fetch, is_config, is_local = Signal(), Signal(), Signal()
        gid, port, turn_class = Signal(8), Signal(4), Signal(2)
        message = Signal(struct(network.layout.sync))
        m.submodules.choice = choice = RoundRobinArbiter(5)
        fetch, configure, accept = Signal(), Signal(), Signal()
        m.d.comb += [
            choice.request.eq(Cat(self.here, local_held)),
            fetch.eq(idle & waiting & ~self.send.pending.any()),
            configure.eq(idle & ~fetch & (config_held | self.config_valid)),
            choice.advance.eq(idle & ~fetch & ~configure),
            self.take.eq(Mux(choice.advance, choice.grant[:4], 0)),
            accept.eq(fetch | configure | (choice.advance & choice.request.any())),
        ]
        m.d.sync += [idle.eq((idle & ~accept) | merging), reading.eq(accept), merging.eq(reading)]
        with m.If(accept):
            picked = [getattr(self, f"message_{p}").as_value() for p in range(4)]
            classes = [getattr(self, f"class_{p}") for p in range(4)]
            chosen = struct(network.layout.sync)(
                either([Mux(self.take[p], word, 0) for p, word in enumerate(picked)])
            )
            asked = Mux(self.config_valid, self.config_gid, config_gid)
            m.d.sync += [
                is_fetch.eq(fetch),
                is_config.eq(configure),
                is_local.eq(choice.advance & choice.grant[4]),
                gid.eq(Mux(configure, asked, Mux(choice.grant[4], local_gid, chosen.gid))),
                port.eq(self.take),
                turn_class.eq(
                    either([Mux(self.take[p], word, 0) for p, word in enumerate(classes)])
                ),
                message.eq(chosen),
            ]
            with m.If(configure):
                m.d.sync += config_held.eq(0)
            with m.If(choice.advance & choice.grant[4]):
                m.d.sync += [local_held.eq(0), message.data.eq(local_data)]
        m.d.comb += [dequeue.addr.eq(head[:8]), dequeue.en.eq(1)]
        with m.If(fetch):
            m.d.sync += head.eq(head + 1)
        with m.If(reading & is_fetch):
            m.d.sync += gid.eq(dequeue.data)

        # Read in the second, merge in the third.
        m.d.comb += [
            load.addr.eq(Mux(is_fetch, dequeue.data, gid)),
            load.en.eq(reading),
            store.addr.eq(gid),
            store.en.eq(merging),
        ]
        # Memory outlives a reset: until an entry is written again, it counts as all zeros.
        written = Signal(GROUPS)
        entry = Signal(entry_layout)
        m.d.comb += entry.eq(Mux(written.bit_select(gid, 1), load.data, 0))
        with m.If(merging):
            m.d.sync += written.bit_select(gid, 1).eq(1)
        after = Signal(entry_layout)
        m.d.comb += [after.eq(entry), store.data.eq(after)]
        present = Cat(getattr(entry, f"child_{p}").present for p in range(4))
        up_port = Mux(
            entry.control.turn,
            route(self.x, self.y, entry.parent, y_first=True),
            route(self.x, self.y, entry.parent, y_first=False),
        )[:4]
        sending = self.send.pending.any() & (self.send.control.gid == gid)

        with m.If(merging & is_fetch):
            m.d.comb += after.queued.eq(0)
            m.d.sync += [
                self.send.pending.eq(Mux(entry.fired, Const(0b10000, 5), present)),
                self.send.data.eq(Mux(entry.fired, entry.acc, entry.result)),
                self.send.control.eq(entry.control),
                self.send.control.gid.eq(gid),
                self.send.parent.eq(entry.parent),
                *(
                    getattr(self.send, f"child_{p}").eq(getattr(entry, f"child_{p}"))
                    for p in range(4)
                ),
                self.send.up_port.eq(up_port),
            ]
        with m.Else():
            m.d.sync += self.send.pending.eq(self.send.pending & ~self.send.sent)

        # A message or a local arrival: the rules of a register.
        valid, barrier = entry.control.valid, Signal()
        m.d.comb += barrier.eq(merging & ~is_fetch & ~is_config)
        ours = valid & ~is_local & (message.epoch == entry.control.epoch)
        reduce = ours & (message.kind == Kind.REDUCE) & ~entry.fired
        used = Cat(
            used_reduces(
                network,
                [reduce & port[p] for p in range(4)],
                [turn_class] * 4,
                present,
                entry.arrived,
            )
        )
        reverse = network.reduction_route == "reverse"
        expected = turn_class[1] ^ entry.control.turn ^ (0 if reverse else 1)
        down, arrives, fire, release, fire_up = (Signal() for _ in range(5))
        m.d.comb += [
            down.eq(
                ours
                & (message.kind == Kind.DISTRIBUTE)
                & entry.fired
                & ~entry.control.root
                & ~entry.queued
                & ~sending
                & expected
                & ((port & up_port).any() if reverse else 1)
            ),
            arrives.eq(is_local & valid & self.started & ~entry.local),
            self.stray.eq(barrier & ~is_local & ~used.any() & ~down),
            self.refused_arrive.eq(barrier & is_local & ~arrives),
        ]
        arrived = next_arrived(network, entry.arrived, used)
        adds = used.any() | arrives
        acc = Mux(adds, combine_two(entry.control.op, entry.acc, message.data), entry.acc)
        m.d.comb += [
            fire.eq(
                valid
                & ~entry.fired
                & (entry.local | arrives)
                & adds
                & is_complete(network, arrived, present)
            ),
            fire_up.eq(fire & ~entry.control.root),
            release.eq(down | (fire & entry.control.root)),
        ]
        result = Mux(down, message.data, acc)
        with m.If(barrier):
            with m.If(release):
                m.d.comb += [
                    after.arrived.eq(0),
                    after.local.eq(0),
                    after.fired.eq(0),
                    after.acc.eq(identity(entry.control.op, bits)),
                    after.result.eq(result),
                ]
            with m.Else():
                m.d.comb += [
                    after.arrived.eq(arrived),
                    after.local.eq(entry.local | arrives),
                    after.fired.eq(entry.fired | fire_up),
                    after.acc.eq(acc),
                ]
            with m.If(fire_up | (release & present.any())):
                # An entry that waits already is sent as it stands when its turn comes.
                m.d.comb += [after.queued.eq(1), enqueue.en.eq(~entry.queued)]
                m.d.sync += tail.eq(tail + ~entry.queued)
        m.d.comb += [enqueue.addr.eq(tail[:8]), enqueue.data.eq(gid)]
        m.d.sync += [
            self.release.valid.eq(barrier & release),
            self.release.gid.eq(Mux(barrier & release, gid, 0)),
            self.release.result.eq(Mux(barrier & release, result, 0)),
        ]

        # A config request.
        status = struct(STATUS)(
            Cat(entry.arrived, entry.local, Const(0, 1), entry.fired, Const(0, 4), entry.queued)
        )
        busy = entry.arrived.any() | entry.local | entry.fired | entry.queued | sending
        refused, writes = Signal(), Signal()
        m.d.comb += [
            refused.eq(
                Mux(
                    config_word == RegisterWord.CONTROL,
                    busy,
                    valid | (config_word >= RegisterWord.STATUS),
                )
            ),
            writes.eq(merging & is_config & config_write & ~refused),
            self.refused_write.eq(merging & is_config & config_write & refused),
        ]
        with m.If(writes):
            with m.If(config_word == RegisterWord.CONTROL):
                control = struct(CONTROL)(config_data[: CONTROL.width])
                m.d.comb += [after.control.eq(control), after.acc.eq(identity(control.op, bits))]
            for word in range(RegisterWord.PARENT, RegisterWord.STATUS):
                name = "parent" if word == RegisterWord.PARENT else f"child_{word - 2}"
                target, contents = getattr(after, name), node_word(config_data)
                with m.If(config_word == word):
                    m.d.comb += [target.x.eq(contents.x), target.y.eq(contents.y)]
                    if word != RegisterWord.PARENT:
                        m.d.comb += target.present.eq(contents.present)
        places = [entry.parent, *(getattr(entry, f"child_{p}") for p in range(4))]
        words = [entry.control.as_value(), *(node_contents(p) for p in places)]
        read = Array([*words, status.as_value(), entry.result])[config_word]
        answers = merging & is_config
        m.d.sync += [
            self.config_ready.eq(answers),
            self.config_error.eq(self.refused_write),
            self.config_rdata.eq(Mux(answers & ~config_write, read, 0)),
        ]
        return m
