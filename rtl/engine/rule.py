"""Entries of an engine: their memory, and the one rule of what a message does to an entry."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, EngineLayout, Kind
from syncfabric.models.messages.registers import Op
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import combine_two, gather


class Rule(wiring.Component):
    """Serves one message, arrival, command or visit. No latency, no state.

    Rules: docs/microarchitecture-engine.md, E6, E7 and E8 (3, 4).

    Parameters
    ----------
    layout : EngineLayout

    Members
    -------
    active : In(1)
        There is something to serve.
    port : In(ports)
        The port that the message came by, one-hot; 0 of commands and visits.
    message : In(message)
    setup, go, kill, read, visit, sweep : In(1)
        It is no message, and what it is.
    staged_parent : In(links)
        The parent in the image that SETUP writes.
    image : In(image), epoch : In, state : In, acc : In
        The entry, as read.
    next_state : Out, write_state : Out(1)
        The state from now on.
    next_acc : Out, merges : Out(1)
        The combination, which is kept if a message is merged that ends nothing.
    writes_image : Out(1)
        Image and epoch are written; of KILL, where the image has no meaning, the epoch counts.
    sends : Out(ports), down : Out(1), kind : Out(2)
        Ports to which the combination is sent, whether those are the children's, and the
        message's kind.
    frees : Out(1)
        The group has ended at its root.
    accepted : Out(1)
        A command is.
    unexpected, refused : Out(1)
        Nothing comes of the message; of the command.
    """

    def __init__(self, layout: EngineLayout) -> None:
        self._layout = layout
        state = struct(layout.state)
        members: dict[str, Any] = {
            "active": In(1),
            "port": In(layout.ports),
            "message": In(struct(layout.message)),
            "image": In(struct(layout.image)),
            "epoch": In(2),
            "state": In(state),
            "acc": In(layout.data_bits),
            "next_state": Out(state),
            "next_acc": Out(layout.data_bits),
            "staged_parent": In(layout.links),
            "sends": Out(layout.ports),
            "down": Out(1),
            "kind": Out(2),
        }
        members |= {name: In(1) for name in ("setup", "go", "kill", "read", "visit", "sweep")}
        members |= {
            name: Out(1)
            for name in (
                *("write_state", "merges", "writes_image", "frees"),
                *("accepted", "unexpected", "refused"),
            )
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        image, state, port = self.image, self.state, self.port
        current, broken, expected, complete = Signal(), Signal(), Signal(), Signal()
        hit, fires, root, down = Signal(), Signal(), Signal(), self.down
        live, due, expires, waits, written, named = (Signal() for _ in range(6))
        m.d.comb += [
            current.eq(self._current()),
            root.eq(~image.parent.any()),
            broken.eq(self.message.kind == Kind.BROKEN),
            expected.eq(self.kill | (image.parent & port[: self._layout.links]).any()),
            complete.eq(~(state.missing ^ port).any() & ~(self.setup | self.read | self.sweep)),
            waits.eq(~state.fresh | (state.turn & state.last & ~root)),
            expires.eq(self.visit & waits & state.old),
            # Two halves that take the same time: whether it counts, and whether all has come.
            live.eq(self.active & state.alive & (current | self.visit)),
            due.eq(Mux(broken, expected, complete) | expires),
            fires.eq(live & due),
            hit.eq(live & ~broken & (state.missing & port).any()),
            written.eq(self.active & self.setup & ~state.alive & current),
            named.eq(self.active & self.kill & ~state.alive),
            # A completion goes down if it is its turn; what ends a group always does.
            down.eq(state.turn | broken),
            self.kind[0].eq(self.message.kind[0]),
            self.kind[1].eq(self.message.kind[1] & (state.last | self.message.kind[0])),
        ]
        links = self._layout.links
        sides = [Mux(down, image.children[p], image.parent[p]) for p in range(links)]
        sides += [down & child for child in image.children[links:]]
        # What is written is looked at only where the state is written, so that it need not wait
        # for all that decides whether the message counts.
        kept, keeps = Signal.like(self.port), Signal()
        combined = Mux(state.fresh, self.message.data, self._combine())
        m.d.comb += [
            self.sends.eq(Cat(fires & side for side in sides)),
            kept.eq(Mux(self.setup, self.staged_parent, ~port)),
            self.next_state.missing.eq(
                kept & (state.missing | self.setup.replicate(len(port)))
                | Cat(due & side for side in sides)
            ),
            self.next_state.alive.eq(
                self.setup | (state.alive & ~(due & down & self.kind[1]) & ~self.sweep)
            ),
            self.next_state.turn.eq(self.setup | Mux(due, root | ~state.turn, state.turn)),
            # A visit, or a GO that is refused, writes these as they are.
            keeps.eq(self.visit | self.go),
            self.next_state.last.eq(due | (state.last & (self.message.kind[1] | keeps))),
            self.next_state.fresh.eq(self.setup | due | (state.fresh & keeps)),
            self.next_state.old.eq(Mux(self.visit, waits, self.go & state.old)),
            self.next_acc.eq(Mux(broken | self.go, 0, combined)),
            self.merges.eq(hit),
            self.writes_image.eq(written | named | (self.active & self.sweep)),
            self.write_state.eq(
                hit
                | written
                | (self.active & (self.sweep | self.visit))
                | (live & (broken & expected | self.go))
            ),
            self.frees.eq(fires & down & root & self.kind[1] & ~self.kind[0]),
        ]
        command = self.setup | self.go | self.kill
        m.d.comb += [
            self.accepted.eq(self.read | written | named | fires),
            self.unexpected.eq(self.active & port.any() & ~hit & ~(fires & broken)),
            self.refused.eq(self.active & command & ~self.accepted),
        ]
        return m

    def _current(self) -> Value:
        """Return whether a message is of the entry's group; of a command, whether its epoch is."""
        same = self.epoch == self.message.epoch
        keyed = (self.image.key == self.message.tag) | ~self.port.any()
        return same & keyed if self._layout.key_bits else same

    def _combine(self) -> Value:
        """Return what was merged combined with the message's data."""
        acc, word, op = self.acc, self.message.data, self.image.op
        if self._layout.operations == "all":
            return combine_two(op, acc, word)
        if self._layout.operations == "bitwise":
            always = Const(1, 1)
            return gather(op == Op.AND, op == Op.XOR, [(always, word), (always, acc)])
        return word


class EntryMemory(wiring.Component):
    """Reads an entry and writes parts of it. A write of one cycle is read from the next.

    Parameters
    ----------
    layout : EngineLayout
    block : bool
        It is block RAM, and what is read comes a cycle later; else in the same cycle.

    Members
    -------
    read_entry : In, image, epoch, state, acc : Out
        What is read.
    write_entry : In
        Where is written: of the three that follow, those that are high.
    write_image : In(1), next_image, next_epoch : In
    write_state : In(1), next_state : In
    write_acc : In(1), next_acc : In
    """

    def __init__(self, layout: EngineLayout, *, block: bool) -> None:
        self._layout = layout
        self._block = block
        parts = {
            "image": struct(layout.image),
            "epoch": EPOCH_BITS,
            "state": struct(layout.state),
            "acc": layout.data_bits,
        }
        members: dict[str, Any] = {
            f"{end}_entry": In(layout.entry_bits) for end in ("read", "write")
        }
        members |= {name: Out(shape) for name, shape in parts.items()}
        members |= {f"next_{name}": In(shape) for name, shape in parts.items()}
        members |= {f"write_{name}": In(1) for name in ("image", "state", "acc")}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        image = [(self.image.as_value(), self.next_image.as_value()), (self.epoch, self.next_epoch)]
        state = [(self.state.as_value(), self.next_state.as_value())]
        self._place(m, "images", self.write_image, image)
        self._place(m, "states", self.write_state, state)
        if self._layout.data_bits:
            self._place(m, "data", self.write_acc, [(self.acc, self.next_acc)])
        return m

    def _place(self, m: Module, name: str, enable: Any, words: list[tuple[Any, Any]]) -> None:
        """Place one memory: words that are written together."""
        memory = Memory(
            shape=sum(len(read) for read, _ in words),
            depth=self._layout.entries,
            init=[],
            attrs={"ram_style": "block"} if self._block else None,
        )
        m.submodules[name] = memory
        write = memory.write_port()
        read = memory.read_port(domain="sync" if self._block else "comb")
        m.d.comb += [
            read.addr.eq(self.read_entry),
            write.addr.eq(self.write_entry),
            write.en.eq(enable),
        ]
        low = 0
        for output, written in words:
            bits = slice(low, low + len(output))
            m.d.comb += [output.eq(read.data[bits]), write.data[bits].eq(written)]
            low += len(output)
        return
