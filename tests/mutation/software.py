"""Mutants of what sends packets: those of nodes' software, and those of traffic patterns."""

from tests.mutation.mutant import Mutant

_SOURCE = "rtl/traffic/source.py"
_TESTS = ("tests/rtl/traffic/test_source.py", "tests/sim/drive/test_backends.py")
_PATTERNS = "models/patterns.py"
_GOALS = ("tests/rtl/traffic/test_source.py", "tests/sim/drive/test_patterns.py")
_EXAMPLES = ("tests/models/test_patterns.py",)

SOFTWARE = (
    Mutant(
        "a packet of software breaks into one of the generator",
        _SOURCE,
        "own.eq(begun | ((word == 0) & software.waiting))",
        "own.eq(begun | software.waiting)",
        _TESTS,
    ),
    Mutant(
        "a packet of the generator breaks into one of software",
        _SOURCE,
        "begun.eq(~put.tail)",
        "begun.eq(0)",
        _TESTS,
    ),
    Mutant(
        "a flit of software goes on its own channel, not its packet's",
        _SOURCE,
        "channel.eq(Mux(begun, kept, Mux(own, put.channel, turn)))",
        "channel.eq(Mux(own, put.channel, turn))",
        _TESTS,
    ),
    Mutant(
        "a lost flit of software is not counted",
        _SOURCE,
        "self.overflow.eq(self.overflow + packets.lost + software.lost)",
        "self.overflow.eq(self.overflow + packets.lost)",
        _TESTS,
    ),
    Mutant(
        "patterns: a node sends to itself",
        _SOURCE,
        "hit &= ~(goal.aimed & (goal.node == self.index))",
        "hit &= ~(goal.aimed & (goal.node == ~self.index))",
        _GOALS,
    ),
    Mutant(
        "patterns: the share is drawn by the bits that draw the node",
        _SOURCE,
        "(b[:16] <= goal.share)",
        "(b[16:] <= goal.share)",
        _GOALS,
    ),
    Mutant(
        "patterns: the model takes goal 0 for none",
        "models/traffic.py",
        "aimed = (goal >= 0) & (",
        "aimed = (goal > 0) & (",
        ("tests/models/test_traffic.py", *_GOALS),
    ),
    Mutant(
        "patterns: tornado goes a node too far",
        _PATTERNS,
        "-(-radix // 2) - 1",
        "-(-radix // 2)",
        _EXAMPLES,
    ),
    Mutant(
        "patterns: neighbour moves along the first dimension alone",
        _PATTERNS,
        "weight *= radix",
        "weight *= len(nodes)",
        _EXAMPLES,
    ),
    Mutant(
        "patterns: shuffle loses the highest bit",
        _PATTERNS,
        "nodes >> max(0, bits - 1)",
        "nodes >> bits",
        _EXAMPLES,
    ),
    Mutant(
        "load: packets of the cycle before the measurement are counted",
        "sim/fabric/waits.h",
        "created = cycle - 1 - latency",
        "created = cycle - latency",
        ("tests/sim/test_load.py",),
    ),
    Mutant(
        "load: nodes that send nothing count",
        "sim/load.py",
        "/ MEASURED / senders",
        "/ MEASURED / len(goals)",
        ("tests/cli/test_load.py",),
    ),
    Mutant(
        "load: a point beyond saturation counts as stable",
        "sim/load.py",
        "if sum(came.values()) < created or not created:",
        "if not created:",
        ("tests/cli/test_load.py",),
    ),
    Mutant(
        "patterns: a hot node is for itself",
        _PATTERNS,
        "hot[(node + 1) % len(hot)] if len(hot) > 1 else ANY",
        "node",
        _EXAMPLES,
    ),
)
