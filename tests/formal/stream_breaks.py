"""Mutants of operators and streams, by the proof that must fail of it."""

from tests.formal.kinds import Faults

STREAM_FAULTS: Faults = {
    "operators: a lane of integers": (
        (
            "words of two bytes have four",
            "byte, half = self.type == Type.INT8, self.type != Type.INT32",
            "byte, half = self.type == Type.INT8, self.type == Type.INT8",
        ),
    ),
    "operators: a lane of bf16": (
        (
            "a difference forgets what was shifted out",
            "carry = aligned.subtracts & ~aligned.sticky",
            "carry = aligned.subtracts",
        ),
    ),
    "operators: a lane of fp32": (
        ("a half is rounded up", "half & (last | word[1]", "half & (1 | word[1]"),
    ),
    "core of a static node, whatever is tried": (
        (
            "who waits at a static node arrives once more",
            "accepted.eq(port.arrive & port.ready & ~waiting & ~clear)",
            "accepted.eq(port.arrive & port.ready & ~clear)",
        ),
    ),
    "core of a static node with a watchdog, whatever is tried": (
        (
            "a role that is refused is written all the same",
            "with m.If(writes & to_word[StaticWord.ROLE] & self.idle):",
            "with m.If(writes & to_word[StaticWord.ROLE]):",
            "rtl/static/config.py",
        ),
    ),
    "loader of routes, whatever is asked": (
        (
            "a word for the loader is taken in the middle of another",
            "                ~shifting\n                & Mux(",
            "                Mux(",
        ),
    ),
    "static node, whatever processes send": (
        (
            "what a process sends gets into the chain of routes",
            "switch.route_in.eq(self.route_in)",
            "switch.route_in.eq(self.route_in | self.port.send_valid)",
        ),
    ),
    "slots of barrier wires with streams": (
        (
            "a slot is set up while words of its stream are there",
            "asks & ~((commit.code == Code.SETUP) & waiting.any())",
            "asks",
        ),
        (
            "a stream that has failed goes on",
            "ends = ends | (alive & self.breaks)",
            "pass",
            "rtl/slots/slot.py",
        ),
    ),
    "streams: a buffer, cut to 3": (
        (
            "a full channel of a stream still takes",
            "pushes[c].eq(self.valid[c] & ~places.full)",
            "pushes[c].eq(self.valid[c])",
        ),
        ("words of two channels of streams share places", "channel >> i & 1", "0"),
        (
            "a buffer shows what it is not asked for",
            "return Mux(chosen, number, 0)",
            "return number",
        ),
        ("reset leaves what is at address 0", "enable |= self.clear", "enable |= 0"),
    ),
    "streams: guards of a link, whatever is harmed": (
        ("a guard hands on words behind a loss", "valid[c] & ~failed[c]", "valid[c]"),
        ("places of lost words stay away", "now + count - got - passes[c]", "now"),
        ("a loss is not found", "failed | lost | silent", "failed | silent"),
        ("a credit comes by a wrong count", "credit[c].eq(right & ", "credit[c].eq("),
    ),
    "streams: a fork": (
        (
            "a port gets a word twice",
            "left.eq(Mux(down, first, self.children) & ~copied)",
            "left.eq(Mux(down, first, self.children))",
        ),
        ("a fork copies without a credit", "able.eq(left & self.credits)", "able.eq(left)"),
        (
            "a word leaves though a port has not had it",
            "self.granted & self.fork_ready & ~(left & ~here).any()",
            "self.granted & self.fork_ready",
        ),
        ("who takes nothing gets no tail", "self.nulls.eq(~first)", "self.nulls.eq(0)"),
    ),
    "streams: tree join": (
        (
            "a head is joined with a body",
            "~any_end[-1] & (any_end == every_end)",
            "(any_end == every_end)",
        ),
        (
            "a channel that has failed joins",
            "                & ~self.failed\n",
            "",
            "rtl/streams/plane.py",
        ),
    ),
    "streams: serial join": (
        (
            "a serial join takes a port's word twice",
            "rest.eq(ports & ~chosen)",
            "rest.eq(Mux(self.idle, ports, ports & ~chosen))",
        ),
    ),
    "streams: credits of a router, channels 1": (
        (
            "the turn's credits do not come back",
            "back = sources[c].credit & channel.target[q]",
            "back = Const(0, 1)",
        ),
        (
            "words of a channel that is closed stay",
            "leaves | (buffer.holds & drains)",
            "leaves",
        ),
        (
            "SETUP does not wait for a result",
            "                    | join.under_way[c]\n",
            "",
        ),
    ),
    "streams: two channels of a router": (
        (
            "the first channel is always served first",
            "choice.advance.eq(1)",
            "choice.advance.eq(0)",
        ),
    ),
    "streams: links shared with packets, tree join": (
        (
            "copies take a pause's place",
            "self.forks.eq(times[",
            "self.forks.eq(0 & times[",
        ),
        (
            "a flit leaves beside a word",
            "arbiter.grant[place] & ~blocked",
            "arbiter.grant[place] & ~without",
            "rtl/router/router.py",
        ),
    ),
    "streams: links shared with packets, serial join": (
        ("a pause of a serial join has one cycle", "cls(wide=2)", "cls(wide=1)"),
        ("pauses are too far apart", "_BETWEEN = 3", "_BETWEEN = 8"),
    ),
    "streams: operands of a process, channels 1": (
        (
            "a beat is taken with its head",
            "(goes & (~starts | null))",
            "goes",
        ),
        (
            "what is left of a packet that was cut is sent",
            "with m.Elif(begun[c] & ~opens[c]):",
            "with m.Elif(begun[c] & ~opens[c] & accepted):",
        ),
    ),
    "streams: results of a process, channels 2": (
        (
            "a packet is ended twice",
            "kept.eq(cut & ~Mux(loads, chosen, 0))",
            "kept.eq(cut)",
        ),
        ("a beat is loaded over another", "loads.eq(~beat.tvalid | beat.tready)", "loads.eq(1)"),
    ),
}
"""As in ``breaks.py``."""
