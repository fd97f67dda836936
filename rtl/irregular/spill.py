"""Groups beyond the registers of a switch or node interface: one engine, one memory of all 256."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, MOST_PORTS, TREE, Kind, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.combine import combine_two, identity
from syncfabric.rtl.barrier.ports import SpillArriveSignature, SpillReleaseSignature
from syncfabric.rtl.irregular.ports import NODE_PORTS, SenderSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.parts.gates import either

__all__ = ["SpillEngine"]

GROUPS = 256


class SpillEngine(wiring.Component):
    """Does in three cycles what a register does in one, for any group in the memory.

    Nothing is ever evicted and what is to be sent waits in a queue of GIDs that cannot overflow, so
    accepting a message depends on this engine alone. Cycles: docs/microarchitecture.md, I6.

    Source: paper BTIN, section 2.2, last paragraph (registers mapped onto memory).

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.
    node : bool
        It is a node interface's, and not a switch's.

    Members
    -------
    here : In(links), message_0 .. : In(sync message)
        Messages that no register matches, by port.
    take : Out(links)
        The one that is accepted.
    send : Out(SenderSignature)
        The send register.
    config_valid, config_gid, config_word, config_write, config_data : In
        A config request for an entry.
    config_ready, config_error, config_rdata : Out
        Its answer, in the cycle after the engine has served it.
    stray, refused_write : Out(1)
        Events to count.
    started, arrive, release, refused_arrive
        Only in a node interface: the node port of spilled groups.
    """

    def __init__(self, network: IrregularSpec, *, node: bool) -> None:
        self._network, self._node = network, node
        self._ports = NODE_PORTS if node else network.ports
        self._links = 1 if node else network.ports
        members: dict[str, Any] = {
            "here": In(self._links),
            "take": Out(self._links),
            "send": Out(SenderSignature(network, self._links)),
            "config_valid": In(1),
            "config_gid": In(8),
            "config_word": In(3),
            "config_write": In(1),
            "config_data": In(32),
            "config_ready": Out(1),
            "config_error": Out(1),
            "config_rdata": Out(32),
            "stray": Out(1),
            "refused_write": Out(1),
        }
        for p in range(self._links):
            members[f"message_{p}"] = In(struct(network.layout.sync))
        if node:
            members |= {
                "started": In(1),
                "arrive": In(SpillArriveSignature(network)),
                "release": Out(SpillReleaseSignature(network)),
                "refused_arrive": Out(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports, links, bits = self._ports, self._links, self._network.data_bits
        entry_layout = data.StructLayout(
            {
                "control": struct(CONTROL),
                "parent": range(ports),
                "children": ports,
                "arrived": ports,
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
        if self._node:
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
        send_children, send_parent = Signal(links), Signal(links)
        send_busy, sends = Signal(), Signal(links)
        m.d.comb += [
            send_busy.eq((send_children | send_parent).any()),
            sends.eq(send_children | send_parent),
            self.send.children.eq(send_children),
            self.send.parent.eq(send_parent),
            self.send.wave.eq(Kind.DISTRIBUTE),
            self.send.up_kind.eq(Kind.REDUCE),
        ]

        # Accept in the first of three cycles.
        idle, reading, merging = Signal(init=1), Signal(), Signal()
        is_fetch, is_config, is_local = Signal(), Signal(), Signal()
        gid, port = Signal(8), Signal(links)
        message = Signal(struct(self._network.layout.sync))
        m.submodules.choice = choice = RoundRobinArbiter(links + self._node)
        fetch, configure, accept, local = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            choice.request.eq(Cat(self.here, local_held)),
            fetch.eq(idle & (head != tail) & ~send_busy),
            configure.eq(idle & ~fetch & (config_held | self.config_valid)),
            choice.advance.eq(idle & ~fetch & ~configure),
            self.take.eq(Mux(choice.advance, choice.grant[:links], 0)),
            accept.eq(fetch | configure | (choice.advance & choice.request.any())),
        ]
        if self._node:
            m.d.comb += local.eq(choice.advance & choice.grant[links])
        m.d.sync += [idle.eq((idle & ~accept) | merging), reading.eq(accept), merging.eq(reading)]
        with m.If(accept):
            picked = [getattr(self, f"message_{p}").as_value() for p in range(links)]
            chosen = struct(self._network.layout.sync)(
                either([Mux(self.take[p], word, 0) for p, word in enumerate(picked)])
            )
            asked = Mux(self.config_valid, self.config_gid, config_gid)
            m.d.sync += [
                is_fetch.eq(fetch),
                is_config.eq(configure),
                is_local.eq(local),
                gid.eq(Mux(configure, asked, Mux(local, local_gid, chosen.gid))),
                port.eq(self.take),
                message.eq(chosen),
            ]
            with m.If(configure):
                m.d.sync += config_held.eq(0)
            with m.If(local):
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
        entry, after = Signal(entry_layout), Signal(entry_layout)
        m.d.comb += [
            entry.eq(Mux(written.bit_select(gid, 1), load.data, 0)),
            after.eq(entry),
            store.data.eq(after),
        ]
        with m.If(merging):
            m.d.sync += written.bit_select(gid, 1).eq(1)
        parent_port = Signal(links)
        m.d.comb += parent_port.eq(1 << entry.parent)
        # Messages of this entry that the send register has not sent yet.
        held = Signal(links)
        m.d.comb += held.eq(Mux(send_busy & (self.send.gid == gid), sends, 0))

        with m.If(merging & is_fetch):
            m.d.comb += after.queued.eq(0)
            m.d.sync += [
                send_children.eq(Mux(entry.fired, 0, entry.children[:links])),
                send_parent.eq(Mux(entry.fired, parent_port, 0)),
                self.send.data.eq(Mux(entry.fired, entry.acc, entry.result)),
                self.send.gid.eq(gid),
                self.send.epoch.eq(entry.control.epoch),
            ]
        with m.Else():
            m.d.sync += [
                send_children.eq(send_children & ~self.send.sent),
                send_parent.eq(send_parent & ~self.send.sent),
            ]

        self._merge(
            m,
            entry,
            after,
            message,
            port,
            held,
            parent_port,
            gid,
            is_local,
            barrier=merging & ~is_fetch & ~is_config,
            enqueue=enqueue,
            tail=tail,
        )
        self._configure(
            m,
            entry,
            after,
            held,
            answers=merging & is_config,
            word=config_word,
            write=config_write,
            value=config_data,
        )
        return m

    def _merge(
        self,
        m: Module,
        entry: Any,
        after: Any,
        message: Any,
        port: Value,
        held: Value,
        parent_port: Value,
        gid: Value,
        is_local: Value,
        *,
        barrier: Value,
        enqueue: Any,
        tail: Signal,
    ) -> None:
        """Judge a message or a local arrival by the rules of a register."""
        links, bits = self._links, self._network.data_bits
        valid, control = entry.control.valid, entry.control
        used, down, arrives = Signal(), Signal(), Signal()
        fire, release, fire_up = Signal(), Signal(), Signal()
        ours = valid & ~is_local & (message.epoch == control.epoch)
        free = entry.children[:links] & ~entry.arrived[:links] & ~held
        m.d.comb += [
            used.eq(ours & (message.kind == Kind.REDUCE) & ~entry.queued & (port & free).any()),
            down.eq(
                ours
                & (message.kind == Kind.DISTRIBUTE)
                & ~control.root
                & (port & parent_port).any()
                & entry.fired
                & ~entry.queued
                & ~held.any()
            ),
            self.stray.eq(barrier & ~is_local & ~used & ~down),
        ]
        came: Value = Mux(used, port, 0)
        if self._node:
            m.d.comb += [
                arrives.eq(
                    is_local
                    & valid
                    & self.started
                    & ~entry.arrived[-1]
                    & ~entry.fired
                    & entry.children[-1]
                ),
                self.refused_arrive.eq(barrier & is_local & ~arrives),
            ]
            came = Cat(came, arrives)
        arrived, acc, result = Signal(self._ports), Signal(bits), Signal(bits)
        quiet = ~entry.queued & ~held.any()
        m.d.comb += [
            arrived.eq(entry.arrived | came),
            acc.eq(
                Mux(used | arrives, combine_two(control.op, entry.acc, message.data), entry.acc)
            ),
            fire.eq(
                valid & ~entry.fired & quiet & entry.children.any() & (arrived == entry.children)
            ),
            fire_up.eq(fire & ~control.root),
            release.eq(down | (fire & control.root)),
            result.eq(Mux(down, message.data, acc)),
        ]
        with m.If(barrier):
            with m.If(release):
                m.d.comb += [
                    after.arrived.eq(0),
                    after.fired.eq(0),
                    after.acc.eq(identity(control.op, bits)),
                    after.result.eq(result),
                ]
            with m.Else():
                m.d.comb += [
                    after.arrived.eq(arrived),
                    after.fired.eq(entry.fired | fire_up),
                    after.acc.eq(acc),
                ]
            with m.If(fire_up | (release & entry.children[:links].any())):
                m.d.comb += [after.queued.eq(1), enqueue.en.eq(1)]
                m.d.sync += tail.eq(tail + 1)
        m.d.comb += [enqueue.addr.eq(tail[:8]), enqueue.data.eq(gid)]
        if self._node:
            released = barrier & release & entry.children[-1]
            m.d.sync += [
                self.release.valid.eq(released),
                self.release.gid.eq(Mux(released, gid, 0)),
                self.release.result.eq(Mux(released, result, 0)),
            ]

    def _configure(
        self,
        m: Module,
        entry: Any,
        after: Any,
        held: Value,
        *,
        answers: Value,
        word: Value,
        write: Value,
        value: Value,
    ) -> None:
        """Serve a config request."""
        bits = self._network.data_bits
        busy = entry.arrived.any() | entry.fired | entry.queued | held.any()
        refused, exists = Signal(), Signal()
        m.d.comb += [
            exists.eq(Cat(word == known for known in SwitchWord).any()),
            refused.eq(
                Mux(
                    write,
                    Mux(
                        word == SwitchWord.CONTROL,
                        busy,
                        entry.control.valid | (word != SwitchWord.TREE),
                    ),
                    ~exists,
                )
            ),
            self.refused_write.eq(answers & write & refused),
        ]
        control = struct(CONTROL)(value[: CONTROL.width])
        tree = struct(TREE)(value[: TREE.width])
        with m.If(answers & write & ~refused):
            with m.If(word == SwitchWord.CONTROL):
                m.d.comb += [
                    after.control.eq(control),
                    after.control.turn.eq(0),
                    after.acc.eq(identity(control.op, bits)),
                ]
            with m.Else():
                m.d.comb += [after.parent.eq(tree.parent), after.children.eq(tree.children)]
        unused = Const(0, MOST_PORTS - self._ports)
        contents: dict[int, Value] = {
            SwitchWord.CONTROL: entry.control.as_value(),
            SwitchWord.TREE: Cat(
                entry.parent, Const(0, 4 - len(entry.parent)), entry.children, unused
            ),
            SwitchWord.ARRIVED: Cat(entry.arrived, unused, entry.fired),
            SwitchWord.PENDING: entry.queued,
            SwitchWord.RESULT: entry.result,
        }
        read = Array(contents.get(w, 0) for w in range(8))[word]
        m.d.sync += [
            self.config_ready.eq(answers),
            self.config_error.eq(answers & refused),
            self.config_rdata.eq(Mux(answers & ~write, read, 0)),
        ]
