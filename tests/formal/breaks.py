"""Ways to break the blocks, each with the proof that must fail of it."""

from tests.formal.breaks_of_access import ACCESS_BREAKS
from tests.formal.breaks_of_engine import ENGINE_BREAKS
from tests.formal.breaks_of_lifecycle import LIFECYCLE_BREAKS
from tests.formal.kinds import Break

__all__ = ["BREAKS"]


BREAKS = (
    Break(
        "a full channel still accepts",
        "fifo: channel of 3 places",
        "rtl/router/input_port.py",
        "write.eq(self.push & ~full)",
        "write.eq(self.push)",
    ),
    Break(
        "the second flit of a static buffer is the first again",
        "fifo: static buffer of 2",
        "rtl/static/buffer.py",
        "m.d.sync += second.eq(self.flit)",
        "m.d.sync += second.eq(self.front)",
    ),
    Break(
        "a traffic queue shows an entry that has left",
        "fifo: traffic queue of 4",
        "rtl/traffic/queue.py",
        "read.addr.eq(Mux(moves, after, first))",
        "read.addr.eq(first)",
    ),
    Break(
        "a credit is lost when one is spent in the same cycle",
        "credits: link of any delay, 4 places",
        "rtl/parts/credit.py",
        "with m.If(self.credit ^ self.spend):",
        "with m.If(self.credit | self.spend):",
    ),
    Break(
        "a level rises though one leaves",
        "credits: static link, 2 places",
        "rtl/static/buffer.py",
        "rises.eq(some & self.up & ~self.down)",
        "rises.eq(some & self.up)",
    ),
    Break(
        "a counter begins again at 0",
        "counter of up to 9 a cycle",
        "rtl/parts/counter.py",
        "Mux(summed[width:].any(), ~0, summed)",
        "Mux(summed[width:].any(), 0, summed)",
    ),
    Break(
        "who was sent stays where it was",
        "arbiter: least recently sent, 5",
        "rtl/parts/arbiter.py",
        "~self.sent[i] & (self.sent[j] | first[i, j])",
        "self.sent[j] | first[i, j]",
    ),
    Break(
        "the pointer never moves",
        "arbiter: round robin, 5",
        "rtl/parts/arbiter.py",
        "first[i, j].eq(~self.grant[i:j].any())",
        "first[i, j].eq(1)",
    ),
    Break(
        "a static switch looks at two of four credits",
        "static switch",
        "rtl/static/switch.py",
        "ready[i].eq(buffer.some & free[0] & free[1])",
        "ready[i].eq(buffer.some & free[0])",
    ),
    Break(
        "what is lost is not refunded",
        "guards: flits and credits lost",
        "rtl/guard/ends.py",
        "refund.eq(refund + Mux(heard | fence, out, 0)",
        "refund.eq(refund + Mux(fence, out, 0)",
    ),
    Break(
        "a generator that lets pairs of flips pass",
        "guards: up to 3 wires flipped, and losses",
        "rtl/guard/shape.py",
        "8: 0x7}",
        "8: 0x1}",
    ),
    Break(
        "a flit whose valid bit is lost is not missed",
        "guards: up to 3 wires flipped, and losses",
        "rtl/guard/ends.py",
        "bad.eq(~good & (lanes.any() | ~right) & ~self.fence)",
        "bad.eq(~good & lanes.any() & ~self.fence)",
    ),
    Break(
        "a fenced port still sends",
        "fence of a sender",
        "rtl/guard/ends.py",
        "eq(Mux(self.fence, 0, getattr(inside, name)))",
        "eq(getattr(inside, name))",
    ),
    Break(
        "a fenced port still takes",
        "fence of a receiver",
        "rtl/guard/ends.py",
        "lanes.eq(Mux(self.fence, 0, part.lanes(link)))",
        "lanes.eq(part.lanes(link))",
    ),
    *ENGINE_BREAKS,
    *LIFECYCLE_BREAKS,
    *ACCESS_BREAKS,
)
