"""What stands in for a spill engine's memory and queue: what one group sees of them.

What the other 255 groups hold, and where they stand in the queue, is anything at any time, so what
is proved holds beside whatever they do. `SpillMemoryProof` says that the memory is for one group
as the one here is, and `FifoProof` that the queue is a queue; a queue of 256 never overflows, for a
group is in it at most once, as is claimed of each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from amaranth import Elaboratable, Module, Mux, Signal, Value
from amaranth.hdl import Fragment
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.parts.gid_queue import GidQueue
from syncfabric.rtl.spill import base, entries, operations
from syncfabric.rtl.spill.entries import EntryMemory
from syncfabric.rtl.spill.operations import SpillOperations
from syncfabric.rtl.spill.turn import OperationTurn
from tests.formal.properties import Properties

__all__ = ["OneEntry", "OneGid", "SpillMemoryProof", "SpillParts", "place_engine"]


class OneEntry(EntryMemory):
    """A memory that holds the entry of one GID; any other one's is `strange`.

    Parameters
    ----------
    layout : StructLayout
    me, strange : Value
    """

    def __init__(self, layout: data.StructLayout, me: Value, strange: Value) -> None:
        self._me, self._strange = me, strange
        self.kept = Signal(layout)
        super().__init__(layout)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        mine = self.gid == self._me
        m.d.comb += self.entry.eq(Mux(mine, self.kept.as_value(), self._strange))
        with m.If(self.write & mine):
            m.d.sync += self.kept.eq(self.after)
        return m


class OneGid(GidQueue):
    """A queue in which one GID is, or not; others come out before it or after it.

    Parameters
    ----------
    me : Value
    others, first : Value
        There are others, and the one GID goes before them.
    which : Value
        Which other one comes out.
    """

    def __init__(self, me: Value, others: Value, first: Value, which: Value) -> None:
        self._me, self._others, self._first, self._which = me, others, first, which
        self.inside, self.leaves = Signal(), Signal()
        super().__init__()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        left = Signal()
        m.d.comb += [
            self.some.eq(self.inside | self._others),
            self.leaves.eq(self.pop & self.inside & (self._first | ~self._others)),
            self.oldest.eq(Mux(left, self._me, self._which)),
        ]
        m.d.sync += [
            left.eq(self.leaves),
            self.inside.eq((self.inside & ~self.leaves) | (self.push & (self.gid == self._me))),
        ]
        return m


@dataclass(frozen=True)
class SpillParts:
    """What is inside an engine.

    Parameters
    ----------
    now : SpillOperations
    turn : OperationTurn
    memory, queue : OneEntry, OneGid
    """

    now: Any
    turn: Any
    memory: OneEntry
    queue: OneGid


class _Elaborated(Elaboratable):
    """What has been elaborated already."""

    def __init__(self, fragment: Fragment) -> None:
        self._fragment = fragment

    def elaborate(self, platform: object) -> Fragment:
        return self._fragment


def place_engine(
    m: Module,
    engine: Elaboratable,
    me: Value,
    strange: Value,
    others: Value,
    first: Value,
    which: Value,
) -> SpillParts:
    """Place an engine with what stands in for its memory and queue; return what is inside.

    Parameters
    ----------
    m : Module
    engine : SpillEngine
    me, strange, others, first, which : Value
        As of `OneEntry` and `OneGid`.
    """
    parts: dict[str, Any] = {}

    def kept(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def called(*shape: Any, **options: Any) -> Any:
            parts[name] = make(*shape, **options)
            return parts[name]

        return called

    with (
        patch.object(base, "SpillOperations", kept("now", SpillOperations)),
        patch.multiple(
            operations,
            OperationTurn=kept("turn", OperationTurn),
            EntryMemory=kept("memory", lambda layout: OneEntry(layout, me, strange)),
            GidQueue=kept("queue", lambda: OneGid(me, others, first, which)),
        ),
    ):
        m.submodules.engine = _Elaborated(Fragment.get(engine, None))
    return SpillParts(**parts)


class SpillMemoryProof(wiring.Component):
    """The memory of entries, cut to four, each read in a cycle and perhaps written in the next."""

    LAYOUT = data.StructLayout({"word": 2})

    def __init__(self) -> None:
        members = {"me": 8, "asked": 8, "read": 1, "write": 1, "after": 2}
        super().__init__({name: In(width) for name, width in members.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.memory = memory = _SmallMemory(self.LAYOUT)
        me = claims.constant("mine", self.me)
        was_read, asked = claims.before("read", self.read), claims.before("asked", self.asked)
        kept = Signal(2)
        m.d.comb += [
            memory.read.eq(self.read),
            memory.asked.eq(self.asked),
            memory.gid.eq(asked),
            memory.write.eq(self.write),
            memory.after.eq(self.after),
        ]
        claims.assume(~self.write | was_read, ~(self.write & self.read), self.asked < 4, me < 4)
        with m.If(self.write & (asked == me)):
            m.d.sync += kept.eq(self.after)
        claims.holds(
            "an entry holds what was written last, and 0 before",
            ~(was_read & (asked == me)) | (memory.entry.as_value() == kept),
        )
        claims.reached("an entry holds something", was_read & (asked == me) & kept.all())
        return m


class _SmallMemory(EntryMemory):
    """The memory with fewer entries; in nothing else does their number count."""

    def elaborate(self, platform: object) -> Module:
        with patch.object(entries, "GROUPS", 4):
            return super().elaborate(platform)
