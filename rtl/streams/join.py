"""Joins: first words of several ports become one, by a tree of operators or one by one."""

from abc import ABC, abstractmethod
from typing import Any

from amaranth import Cat, ClockSignal, Const, Instance, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import HEAD, StreamLayout, built
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.delay import delayed
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.streams.operators import Operator

_UNFIT = HEAD.pack({"type": 6})
"""Data of a head that fits nowhere (V5.4)."""
_OP_BITS = HEAD.offsets["takes"]


class Join(wiring.Component, ABC):
    """Takes words of a channel, and has their result a fixed time later.

    Rules: docs/microarchitecture-streams.md, V5.

    Parameters
    ----------
    layout : StreamLayout

    Members
    -------
    grant : In(channels), inputs : In(ports), up : In(1)
        One-hot, or 0: a channel; the ports of its next join, whose words are bodies.
    take : In(channels)
        Of ``grant``: the join is taken.
    opens : In(channels)
        Channels that are open.
    idle : Out(1)
        One may be taken.
    show : Out(ports), selected : Out(channels)
        Ports whose first words are to be seen, and of which channel.
    fronts : In(words)
        The first words of ports that are selected; 0 of others.
    leaves : Out(ports), channel : Out(channels)
        Ports whose first words leave, and of which channel.
    ends : Out(channels), fits : Out(1), heads, takes : Out(ports), tail : Out(1)
        All words of a join have left by now, and what they are: see :class:`StreamChannel`.
    coming : Out(channels), under_way : Out(channels)
        Of whom there is a result in the next cycle; in any cycle to come, or in this one.
    valid : Out(channels), result : Out(word)
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        self._word = word = struct(layout.word)
        count, ports = layout.channels, layout.ports
        self._operations = [
            HEAD.pack({"function": function, "type": kind})
            for function, kind in sorted(built(layout.operations))
        ]
        super().__init__(
            {
                "grant": In(count),
                "take": In(count),
                "inputs": In(ports),
                "up": In(1),
                "opens": In(count),
                "idle": Out(1),
                "show": Out(ports),
                "selected": Out(count),
                "fronts": In(data.ArrayLayout(word, ports)),
                "leaves": Out(ports),
                "channel": Out(count),
                "ends": Out(count),
                "fits": Out(1),
                "heads": Out(ports),
                "takes": Out(ports),
                "tail": Out(1),
                "coming": Out(count),
                "under_way": Out(count),
                "valid": Out(count),
                "result": Out(word),
            }
        )

    @abstractmethod
    def elaborate(self, platform: object) -> Module: ...

    def _operator(self, m: Module, name: str) -> Operator:
        """Place an operator, and beside it the designer's own unit, if there is one."""
        layout = self._layout
        latencies = layout.operator_latency, layout.offload_latency
        m.submodules[name] = part = Operator(layout.bits, layout.operations, *latencies)
        if layout.offload:
            m.submodules[f"{name}_offload"] = Instance(
                layout.offload.module,
                i_clk=ClockSignal(),
                i_valid=part.offload_valid,
                i_op=part.offload_function,
                i_a=part.offload_a,
                i_b=part.offload_b,
                o_y=part.offload_y,
            )
        return part

    def _kept_op(self, m: Module, said: Value, said_of: Value) -> Value:
        """Keep function and type of each channel's heads; return those of ``channel``.

        With a single operation there is nothing to keep.
        """
        if len(self._operations) == 1:
            return Const(self._operations[0], _OP_BITS)
        kept = [Signal(_OP_BITS, name=f"op_{c}") for c in range(self._layout.channels)]
        for c, op in enumerate(kept):
            with m.If(said_of[c]):
                m.d.sync += op.eq(said)
        return either([Mux(self.channel[c], op, 0) for c, op in enumerate(kept)])

    def _is_built(self, op: Value) -> Value:
        return Cat(op == operation for operation in self._operations).any()

    def _finish(self, m: Module, last: Any, *, head: Value, size: Value, op: Value) -> Value:
        """Make the result of what the last operator has, and of what a join's words are.

        Returns the channels of which there is a result, now or in a cycle to come.
        """
        members = {"valid": self._layout.channels, "head": 1, "tail": 1, "void": 1, "takes": 1}
        members |= {"size": len(size), "op": _OP_BITS}
        now: Any = Signal(data.StructLayout(members), name="side")
        m.d.comb += [
            now.valid.eq(self.ends),
            now.head.eq(head),
            now.tail.eq(self.tail),
            now.void.eq(~self.fits),
            now.takes.eq(self.takes.any()),
            now.size.eq(size),
            now.op.eq(op),
        ]
        line = delayed(m, now, self._layout.latency, "side", reset_less=False)
        side, word = line[-1], self.result
        headed = side.head | side.void
        m.d.comb += [
            self.coming.eq(line[-2].valid),
            self.valid.eq(side.valid),
            word.head.eq(headed),
            word.tail.eq(side.tail | side.void),
            word.size.eq(Mux(side.void, 0, side.size)),
            # The operator's register is reset for a head: that takes no gates.
            last.clear.eq(line[-2].head | line[-2].void),
            word.data.eq(last.y | Mux(headed, Mux(side.void, _UNFIT, Cat(side.op, side.takes)), 0)),
        ]
        return either([stage.valid for stage in line[1:]])


class TreeJoin(Join):
    """An operator for each pair of ports, then for each pair of these."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports = range(self._layout.ports)
        fronts = [self.fronts[p] for p in ports]
        absent = [~self.inputs[p] for p in ports]
        ops = [front.data[:_OP_BITS] for front in fronts]
        heads, tails = Cat(f.head for f in fronts), Cat(f.tail for f in fronts)
        said = either(ops)

        # Words that are not there are 0, so all others are alike if their OR is their AND.
        ends = [Cat(front.tail, front.size, front.head) for front in fronts]
        any_end, every_end = either(ends), _every(ends, absent)
        same_heads = every_end[-1] & (said == _every(ops, absent)) & self._is_built(said)
        m.d.comb += [
            self.idle.eq(1),
            self.show.eq(self.inputs),
            self.selected.eq(self.grant),
            self.leaves.eq(Mux(self.take.any(), self.inputs, 0)),
            self.channel.eq(self.take),
            self.ends.eq(self.take),
            self.fits.eq(Mux(self.up, ~any_end[-1] & (any_end == every_end), same_heads)),
            self.heads.eq(heads & ~tails),
            self.takes.eq(Cat(front.data[_OP_BITS] for front in fronts)),
            self.tail.eq(every_end[0]),
        ]
        kept = self._kept_op(m, said, Mux(self.fits & ~self.up, self.take, 0))
        last = self._tree(m, [front.data for front in fronts], kept)
        op = Mux(self.up, kept, said)
        size = either([front.size for front in fronts])
        m.d.comb += self.under_way.eq(self._finish(m, last, head=~self.up, size=size, op=op))
        return m

    def _tree(self, m: Module, words: list[Any], op: Value) -> Operator:
        """Place the operators; return the last one."""
        latency = self._layout.operator_latency
        present: list[Value] = list(self.inputs)
        if len(words) == 1:
            words, present = [*words, Const(0, len(words[0]))], [*present, Const(0, 1)]
        for level in range(self._layout.levels):
            nexts, there = [], []
            for i in range(0, len(words), 2):
                name = f"operator_{level}_{i // 2}"
                pair = words[i : i + 2]
                if len(pair) == 2:
                    unit = self._operator(m, name)
                    m.d.comb += [
                        *(unit.a.eq(pair[0]), unit.b.eq(pair[1])),
                        unit.both.eq(present[i] & present[i + 1]),
                        Cat(unit.function, unit.type).eq(op),
                    ]
                    nexts.append(unit.y)
                else:
                    nexts.append(delayed(m, pair[0], latency, name)[-1])
                here = either(present[i : i + 2])
                there.append(delayed(m, here, latency, f"{name}_there")[-1])
            words, present = nexts, there
            op = delayed(m, op, latency, f"op_{level}")[-1]
        return unit


class SerialJoin(Join):
    """One operator: each word is combined with what there is of those before it."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        layout = self._layout
        latency = layout.operator_latency
        goes, todo, pause = Signal(layout.channels), Signal(layout.ports), Signal(latency - 1)
        bodies, steps = Signal(), Signal()
        ports, chosen, rest = (Signal(layout.ports, name=n) for n in ("ports", "chosen", "rest"))
        m.d.comb += [
            self.idle.eq(~todo.any() & ~pause.any()),
            steps.eq(Mux(self.idle, self.take.any(), todo.any() & ~pause.any())),
            self.selected.eq(Mux(self.idle, self.grant, goes)),
            self.channel.eq(Mux(self.idle, self.take, goes)),
            ports.eq(Mux(self.idle, self.inputs, todo)),
            chosen.eq(ports & -ports),
            rest.eq(ports & ~chosen),
            self.show.eq(chosen),
            self.leaves.eq(Mux(steps & (self.channel & self.opens).any(), chosen, 0)),
            self.ends.eq(Mux(steps & ~rest.any(), self.channel, 0)),
        ]
        m.d.sync += pause.eq(Cat(steps, pause)[: latency - 1])
        with m.If(steps):
            m.d.sync += [goes.eq(self.channel), todo.eq(rest)]
        op = self._examine(m, steps, chosen, bodies)
        unit = self._operator(m, "operator")
        word = self._word_now()
        m.d.comb += [
            unit.a.eq(Mux(self.idle, 0, unit.y)),
            unit.b.eq(word.data),
            unit.both.eq(~self.idle),
            Cat(unit.function, unit.type).eq(op),
        ]
        done = self._finish(m, unit, head=~bodies, size=word.size, op=op)
        m.d.comb += self.under_way.eq(Mux(todo.any(), goes, 0) | done)
        return m

    def _word_now(self) -> Any:
        words = [self.fronts[p].as_value() for p in range(self._layout.ports)]
        return data.View(self._word, either(words))

    def _examine(self, m: Module, steps: Value, chosen: Value, bodies: Signal) -> Value:
        """Compare a word with those before it; return function and type of the join."""
        word, first = self._word_now(), self.idle
        kept_up, good, tail = Signal(), Signal(), Signal()
        size, op = Signal(len(word.size)), Signal(_OP_BITS)
        heads, takes = (Signal(self._layout.ports, name=name) for name in ("gave", "took"))
        said = word.data[:_OP_BITS]
        begun = [
            Mux(first, Mux(has, chosen, 0), kept | Mux(has, chosen, 0))
            for kept, has in ((heads, word.head & ~word.tail), (takes, word.data[_OP_BITS]))
        ]
        same = (word.tail == tail) & (word.size == size)
        fits = Mux(
            bodies,
            ~word.head & (first | same),
            word.head & Mux(first, self._is_built(said), said == op),
        )
        m.d.comb += [
            bodies.eq(Mux(first, self.up, kept_up)),
            self.heads.eq(begun[0]),
            self.takes.eq(begun[1]),
            self.tail.eq(word.tail & (first | tail)),
            self.fits.eq(fits & (first | good) & (self.channel & self.opens).any()),
        ]
        with m.If(steps):
            m.d.sync += [
                *(kept_up.eq(bodies), good.eq(self.fits), tail.eq(self.tail)),
                *(size.eq(word.size), op.eq(said)),
                *(heads.eq(self.heads), takes.eq(self.takes)),
            ]
        held = self._kept_op(m, said, Mux(self.fits & ~bodies, self.ends, 0))
        return Mux(bodies, held, said)


def _every(words: list[Value], absent: list[Value]) -> Value:
    """Return the AND of the words that are there."""
    pairs = zip(words, absent, strict=True)
    return ~either([~(word | gone.replicate(len(word))) for word, gone in pairs])


def join_of(layout: StreamLayout) -> Join:
    """Return the join of a router."""
    return SerialJoin(layout) if layout.join == "serial" else TreeJoin(layout)
