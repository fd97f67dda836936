"""Ways to break set-up through the network."""

from tests.mutation.mutant import Mutant

__all__ = ["SETUP"]


def _broken(name: str, part: str, old: str, new: str, test: str) -> Mutant:
    """Return a fault that a test of the part must notice."""
    return Mutant(name, f"rtl/{part}", old, new, (f"tests/rtl/{test}",))


SINK, MANAGER = "setup/test_sink.py", "setup/test_manager.py"
LIFE, ACCESS = "setup/test_life.py", "setup/test_access.py"
DEATH = "irregular/test_register_life.py"

SETUP = (
    _broken(
        "the root is set up with all the others",
        "setup/rounds.py",
        "limit.eq(self.command.count - setup)",
        "limit.eq(self.command.count)",
        MANAGER,
    ),
    _broken(
        "a busy router is not asked again",
        "setup/rounds.py",
        "m.d.sync += again.eq(1)",
        "m.d.sync += again.eq(0)",
        MANAGER,
    ),
    _broken(
        "the last refusal is told, not the first",
        "setup/rounds.py",
        "with m.If(~refused):",
        "with m.If(1):",
        MANAGER,
    ),
    _broken(
        "a reply of an aborted command counts for the next",
        "setup/rounds.py",
        "is_awaited = (awaited != 0) & (self.tag == tag)",
        "is_awaited = awaited != 0",
        MANAGER,
    ),
    _broken(
        "an abort cuts a packet",
        "setup/rounds.py",
        "ends.eq(ending & (~self.valid | ((place == 0) & ~self.taken)))",
        "ends.eq(ending)",
        MANAGER,
    ),
    _broken(
        "replies do not bear their request's tag",
        "setup/replies.py",
        "slot.tag.eq(self.tag)",
        "slot.tag.eq(0)",
        SINK,
    ),
    _broken(
        "a register that is free since the last cycle uses a message",
        "irregular/register.py",
        "match.eq(Mux(gone, 0, self.match))",
        "match.eq(self.match)",
        DEATH,
    ),
    _broken(
        "a command is said on although a message has come first",
        "irregular/register.py",
        "(by_go | life.command_kill) & ~life.message_broken",
        "(by_go | life.command_kill)",
        DEATH,
    ),
    _broken(
        "a set-up packet that waits for the sink keeps others back",
        "irregular/input_port.py",
        "into_sink = into_sink & self.listening",
        "into_sink = into_sink & 1",
        "irregular/test_packets.py",
    ),
    _broken(
        "any manager ends a group",
        "setup/steps.py",
        "struct(CONTROL)(access.rdata[: CONTROL.width]).manager != asked.manager",
        "0",
        SINK,
    ),
    _broken(
        "only the last word of a register is compared",
        "setup/steps.py",
        "differs.eq(differs | wrong)",
        "differs.eq(wrong)",
        SINK,
    ),
    _broken(
        "a register that refuses its image is said to be set up",
        "setup/steps.py",
        "with m.If(access.error):\n                        m.d.sync += code.eq(Answer.BAD)",
        "with m.If(0):\n                        m.d.sync += code.eq(Answer.BAD)",
        SINK,
    ),
    _broken(
        "a group in the middle of a barrier is said to be cleared",
        "setup/steps.py",
        "with m.If(access.error & ~kills):",
        "with m.If(0):",
        SINK,
    ),
    _broken(
        "a sink takes flits while it works",
        "setup/sink.py",
        "accepts.eq(self.valid & self.listening)",
        "accepts.eq(self.valid)",
        SINK,
    ),
    _broken(
        "a mesh's set-up packet does not wait for the sink",
        "setup/local_port.py",
        "control.pop.eq(self.manager_valid | (self.sink_valid & self.listening))",
        "control.pop.eq(self.manager_valid | self.sink_valid)",
        "setup/test_local_port.py",
    ),
    _broken(
        "all freed groups are reported as one",
        "setup/freed.py",
        "lowest.eq(self.freed & -self.freed)",
        "lowest.eq(self.freed)",
        "setup/test_freed.py",
    ),
    _broken(
        "FREED goes before the answers",
        "setup/replies.py",
        "lowest.eq(self.occupied & -self.occupied)",
        "lowest.eq(Mux(self.occupied[-1], 1 << count, self.occupied & -self.occupied))",
        SINK,
    ),
    _broken(
        "replies go by the table at the manager's own switch, too",
        "irregular/reply_port.py",
        "Mux(self.number == switch, Const(last, bits), entry)",
        "entry",
        "irregular/test_reply_port.py",
    ),
    _broken(
        "GO begins again where it has been",
        "setup/life.py",
        "(self.command_go | self.message_go) & ~was.go",
        "(self.command_go | self.message_go)",
        LIFE,
    ),
    _broken(
        "a process that arrives as its group is killed waits for ever",
        "setup/life.py",
        "self.dies & (self.has_arrived | self.arrives)",
        "self.dies & self.has_arrived",
        LIFE,
    ),
    _broken(
        "after one plain barrier none is the last",
        "setup/life.py",
        "after.last.eq(self.last | self.release)",
        "after.last.eq(self.last)",
        LIFE,
    ),
    _broken(
        "the network hears the sink's answers",
        "setup/access.py",
        "m.d.sync += own.eq(grants)",
        "m.d.sync += own.eq(0)",
        ACCESS,
    ),
)
