"""Ways to break what carries messages, each with the proof that must fail of it."""

from tests.formal.kinds import Break

__all__ = ["MESSAGE_BREAKS"]

MESSAGE_BREAKS = (
    Break(
        "a mesh's register is gone before its children are told",
        "life of a mesh's register",
        "rtl/barrier/register.py",
        "life.quiet.eq(~status.pending.any())",
        "life.quiet.eq(1)",
    ),
    Break(
        "who was once not the last is never LAST again",
        "life of a switch's register",
        "rtl/setup/life.py",
        "after.last.eq(self.last | self.release)",
        "after.last.eq(self.last)",
    ),
    Break(
        "a message that is shown but not taken is forgotten",
        "mesh's slots of messages: EAST, a unit that leaves some",
        "rtl/mesh/arrivals.py",
        "leaves = Mux(self.take, self.show, 0)",
        "leaves = self.show",
    ),
    Break(
        "a credit comes back as soon as its message has come",
        "mesh's slots of messages: NORTH, a unit that takes all",
        "rtl/mesh/sync_input.py",
        "m.d.sync += self.credit.eq(freed)",
        "m.d.sync += self.credit.eq(pushed)",
    ),
    Break(
        "a message spends no credit",
        "mesh's output for messages: EAST",
        "rtl/mesh/sync_output.py",
        "credit.spend.eq(self.valid[turn])",
        "credit.spend.eq(0)",
    ),
    Break(
        "every register of a mesh is told that its messages are sent",
        "mesh's sender, pipeline 1",
        "rtl/barrier/sender.py",
        "source.sent.eq(Mux(grant[i], sent, 0))",
        "source.sent.eq(sent)",
    ),
    Break(
        "every register of a switch is told that its messages are sent",
        "switch's sender",
        "rtl/irregular/sender.py",
        "source.sent.eq(Mux(arbiter.grant[i], able, 0))",
        "source.sent.eq(able)",
    ),
    Break(
        "a fenced port still sends",
        "fence of a sender",
        "rtl/guard/sender.py",
        "eq(Mux(self.fence, 0, getattr(inside, name)))",
        "eq(getattr(inside, name))",
    ),
    Break(
        "a fenced port still takes",
        "fence of a receiver",
        "rtl/guard/receiver.py",
        "lanes.eq(Mux(self.fence, 0, part.lanes(link)))",
        "lanes.eq(part.lanes(link))",
    ),
)
