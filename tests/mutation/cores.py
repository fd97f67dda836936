"""Mutants of what joins a core to its network."""

from tests.mutation.mutant import Mutant

_PORT = "tests/rtl/cores/test_barrier_port.py"
_INTERFACE = "tests/rtl/cores/test_interface.py"
_WORDS = "tests/rtl/cores/test_system_words.py"
_TAP = "tests/rtl/cores/test_config_tap.py"


def _port(name: str, old: str, new: str) -> Mutant:
    return Mutant(name, "rtl/cores/barrier_port.py", old, new, (_PORT,))


def _half(name: str, half: str, old: str, new: str) -> Mutant:
    return Mutant(name, f"rtl/cores/{half}.py", old, new, (_INTERFACE,))


def _words(name: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(name, f"rtl/cores/{file}.py", old, new, (_WORDS,))


def _tap(name: str, old: str, new: str) -> Mutant:
    return Mutant(name, "rtl/transport/config_chain.py", old, new, (_TAP,))


CORES = (
    _half(
        "packets of two channels are mixed",
        "interface",
        "inside.eq(~self.flit.tail)",
        "inside.eq(0)",
    ),
    _tap("a tap asks until it is answered", "asks & ~asked", "asks"),
    _tap("a tap asks only once", "(asked | asks) & ~ready", "asked | asks"),
    _tap("a tap asks the host's node", "request.node.eq(self.index)", "request.node.eq(0)"),
    _tap("a tap answers the host for its core", "with m.Else():", "with m.If(1):"),
    _port(
        "an arrive in a group that was killed stops the core",
        "~status.ready & ~broken",
        "~status.ready",
    ),
    _port(
        "an arrive as its group ends waits for ever",
        "self.ready if shape.has_last else inside",
        "inside",
    ),
    _port("an arrive goes to a register that is broken", "one & self.ready", "one"),
    _words(
        "a core takes a flit that is not there",
        "system_words",
        "here.recv_take.eq(here.recv_valid)",
        "here.recv_take.eq(1)",
    ),
    _words(
        "a core's read of FLIT is answered before there is one",
        "system_words",
        "bus.ready.eq(here.recv_valid)",
        "bus.ready.eq(1)",
    ),
    _words(
        "a core sends a flit without room",
        "system_words",
        "here.send_valid.eq(here.send_ready)",
        "here.send_valid.eq(1)",
    ),
    _words(
        "a core is told of room where a flit waits",
        "system_words",
        "bus.result[1].eq(here.send_ready)",
        "bus.result[1].eq(here.recv_valid)",
    ),
    _words(
        "a refusal of the config port shows for good",
        "system_words",
        "refused.eq(self.config.error)",
        "refused.eq(refused | self.config.error)",
    ),
    _words(
        "a core reaches the next one's node",
        "system_words",
        "port.node.eq(core)",
        "port.node.eq((core + 1) % cores)",
    ),
    _words(
        "all cores take one's answer of the config port for theirs",
        "system_words",
        "Mux(answered, bits[whose], 0)",
        "Mux(answered, self.valid, 0)",
    ),
    _words(
        "a core may ask the config port again before the others",
        "system_words",
        "arbiter.advance.eq(~busy)",
        "arbiter.advance.eq(0)",
    ),
    _port(
        "a core's arrive does not wait for the fence",
        "accepted.eq(~self.fenced)",
        "accepted.eq(1)",
    ),
    _port(
        "a core's WAIT is answered before the release",
        "[bus.ready.eq(~status.waiting), self.waiting.eq(status.waiting)]",
        "[bus.ready.eq(1), self.waiting.eq(status.waiting)]",
    ),
    _port(
        "a core arrives where it is no member",
        "with m.If(~status.ready & ~broken):",
        "with m.If(0):",
    ),
    _port(
        "a core's second WAIT is answered, too",
        "arrived.eq((arrived | Mux(accepted, one, 0)) & ~Mux(waits & bus.ready, one, 0)),",
        "arrived.eq(arrived | Mux(accepted, one, 0)),",
    ),
    _half(
        "a core's interface forgets the acknowledgement of a packet of no words",
        "interface",
        "acks.w_en.eq(comes & flit.tail)",
        "acks.w_en.eq(comes & flit.tail & ~flit.head)",
    ),
    _half(
        "a core's interface acknowledges a packet before its tail",
        "interface",
        "acks.w_en.eq(comes & flit.tail)",
        "acks.w_en.eq(comes & flit.head)",
    ),
    _half(
        "an acknowledgement goes to the source of the packet before",
        "interface",
        "Mux(flit.head, head.core, sender)",
        "sender",
    ),
    _half(
        "a core's interface gives credits without room for acknowledgements",
        "interface",
        "& (acks.level + out < KEPT_ACKS)",
        "",
    ),
    _half(
        "an acknowledgement and a word leave in the same cycle",
        "interface",
        "queue.r_rdy & credits[PACKETS] & ~self.ack_sent",
        "queue.r_rdy & credits[PACKETS]",
    ),
    _half(
        "a packet's last word is no tail",
        "interface",
        "Const(0, 1), left == 1)",
        "Const(0, 1), left == 0)",
    ),
    _half(
        "a core's interface counts packets, and not their acknowledgements",
        "interface",
        "(queue.w_en & of_head) - self.acked",
        "(queue.w_en & of_head)",
    ),
)
