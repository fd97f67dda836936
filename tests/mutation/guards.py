"""Mutants of the guards of links."""

from tests.mutation.mutant import Mutant


def _broken(name: str, part: str, old: str, new: str, test: str = "guards") -> Mutant:
    """Return a fault that a bench of the guards must notice."""
    return Mutant(
        f"guards: {name}", f"rtl/guard/{part}.py", old, new, (f"tests/rtl/guard/test_{test}.py",)
    )


GUARDS = (
    _broken(
        "check bits forget the highest",
        "shape",
        "if remainder >> (bits - 1) else 0",
        "if remainder >> bits else 0",
        "crc",
    ),
    Mutant(
        "guards: the generator of 16 check bits is another",
        "rtl/guard/shape.py",
        "16: 0x8005",
        "16: 0x8003",
        ("tests/rtl/engine/test_lockstep.py",),
    ),
    _broken(
        "what is wrong goes on",
        "ends",
        "right.eq(check == getattr(link, part.check))",
        "right.eq(1)",
    ),
    _broken(
        "two at once go on",
        "ends",
        "good.eq(right & lanes.any() & ~(lanes & (lanes - 1)).any())",
        "good.eq(lanes.any())",
    ),
    _broken(
        "a packet that lost a flit is not spoilt",
        "ends",
        "m.d.sync += poisoned[c].eq(opens[c])",
        "m.d.sync += poisoned[c].eq(0)",
    ),
    _broken(
        "a flit whose valid bit is lost is not missed",
        "ends",
        "bad.eq(~good & (lanes.any() | ~right) & ~self.fence)",
        "bad.eq(~good & lanes.any() & ~self.fence)",
    ),
    _broken(
        "a wrong flit spoils only the packet that it says it is of",
        "ends",
        "poisoned[c].eq(opens[c])",
        "poisoned[c].eq(poisoned[c] | (opens[c] & valid[c]))",
    ),
    _broken(
        "a packet without its head goes on",
        "ends",
        "passes.eq(mine & ~is_poisoned & (flit.head ^ is_open))",
        "passes.eq(mine & ~is_poisoned & ~(flit.head & is_open))",
    ),
    _broken(
        "a packet without its tail goes on into the next",
        "ends",
        "cuts.eq(mine & is_open & (flit.head | is_poisoned))",
        "cuts.eq(mine & is_open & is_poisoned)",
        "ends",
    ),
    _broken(
        "a packet that lacks a flit goes on",
        "ends",
        "is_poisoned.eq(((poisoned | (opens & late)) & valid).any())",
        "is_poisoned.eq((poisoned & valid).any())",
        "ends",
    ),
    _broken(
        "the number of a flit is stuck",
        "ends",
        "m.d.sync += number.eq(number + 1)",
        "m.d.sync += number.eq(number)",
    ),
    _broken(
        "a flit after the first is never the one that is due",
        "ends",
        "m.d.comb += follows.eq(number + 1)",
        "m.d.comb += follows.eq(0)",
        "ends",
    ),
    _broken(
        "numbers are not covered by the check",
        "shape",
        "numbers = [link.sequence] if self.packets else []",
        "numbers = []",
    ),
    _broken(
        "a packet whose end is lost stays open",
        "ends",
        "ends.eq(asks & ~(asks - 1))",
        "ends.eq(0)",
    ),
    _broken(
        "a receiver that holds something says it is empty",
        "ends",
        "empty = ~held.any()",
        "empty = Const(1, 1)",
    ),
    _broken(
        "credits of flits that are dropped do not come at once",
        "ends",
        "gives.eq(debt.any())",
        "gives.eq(0)",
        "ends",
    ),
    _broken(
        "what is out is forgotten, not refunded",
        "ends",
        "Mux(received | fence, out, 0)",
        "Mux(fence, out, 0)",
    ),
    _broken(
        "a fence keeps what was out",
        "ends",
        "Mux(received | fence, out, 0)",
        "Mux(received, out, 0)",
    ),
    _broken(
        "a refund comes without end",
        "ends",
        "- (pays & ~counts)",
        "- (pays & counts)",
    ),
    _broken(
        "nobody is ever asked",
        "ends",
        "asks.eq(rests & full & still)",
        "asks.eq(rests & full & still & sent)",
    ),
    _broken(
        "a credit that nobody waits for counts",
        "ends",
        "counts.eq(credit & out.any() & ~received & ~fence)",
        "counts.eq(credit & ~received & ~fence)",
        "ends",
    ),
)
