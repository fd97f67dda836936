"""Ways to break what joins a core to its network."""

from tests.mutation.mutant import Mutant

__all__ = ["CORES"]

_PORT = "tests/rtl/cores/test_barrier_port.py"
_INTERFACE = "tests/rtl/cores/test_interface.py"


def _port(name: str, old: str, new: str) -> Mutant:
    return Mutant(name, "rtl/cores/barrier_port.py", old, new, (_PORT,))


def _half(name: str, half: str, old: str, new: str) -> Mutant:
    return Mutant(name, f"rtl/cores/{half}.py", old, new, (_INTERFACE,))


CORES = (
    _port(
        "a core's arrive does not wait for the fence",
        "self.fenced.eq(fence & self.owing), taken.eq(~self.fenced)",
        "self.fenced.eq(fence & self.owing), taken.eq(1)",
    ),
    _port(
        "a core's WAIT is answered before the release",
        "[bus.ready.eq(~status.waiting), self.waiting.eq(status.waiting)]",
        "[bus.ready.eq(1), self.waiting.eq(status.waiting)]",
    ),
    _port(
        "a core arrives where it is no member",
        "with m.If(~status.ready):",
        "with m.If(0):",
    ),
    _port(
        "a core's second WAIT is answered, too",
        "owed.eq((owed | self.arrive) & ~Mux(waits & bus.ready, one, 0)),",
        "owed.eq(owed | self.arrive),",
    ),
    _half(
        "a core's interface forgets the acknowledgement of a packet of no words",
        "receiver",
        "acks.w_en.eq(comes & flit.tail)",
        "acks.w_en.eq(comes & flit.tail & ~flit.head)",
    ),
    _half(
        "a core's interface acknowledges a packet before its tail",
        "receiver",
        "acks.w_en.eq(comes & flit.tail)",
        "acks.w_en.eq(comes & flit.head)",
    ),
    _half(
        "an acknowledgement goes to the source of the packet before",
        "receiver",
        "Mux(flit.head, head.core, sender)",
        "sender",
    ),
    _half(
        "a core's interface gives credits without room for acknowledgements",
        "receiver",
        "& (acks.level + out < KEPT_ACKS)",
        "",
    ),
    _half(
        "an acknowledgement and a word leave in the same cycle",
        "sender",
        "queue.r_rdy & credits[PACKETS] & ~self.ack_sent",
        "queue.r_rdy & credits[PACKETS]",
    ),
    _half(
        "a packet's last word is no tail",
        "sender",
        "Const(0, 1), left == 1)",
        "Const(0, 1), left == 0)",
    ),
    _half(
        "a core's interface counts packets, and not their acknowledgements",
        "sender",
        "(queue.w_en & of_head) - self.acked",
        "(queue.w_en & of_head)",
    ),
)
