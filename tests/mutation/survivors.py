"""Ways to break what only the largest sizes and rare inputs show, once missed by all tests."""

from tests.mutation.mutant import Mutant

__all__ = ["SURVIVORS"]

AXI, UART = "rtl/host/axi_lite.py", "rtl/host/uart.py"
DECODER = "rtl/irregular/routing.py"
_AXI, _UART = (f"tests/rtl/host/test_{name}.py::test_" for name in ("axi_lite", "uart"))
_MESH = "tests/rtl/mesh/test_routing.py::test_all_bits_of_a_coordinate_are_compared"
_HEADS = "tests/rtl/irregular/test_routing.py::test_every_head_goes_where_it_must"
_ARBITERS = "tests/rtl/parts/test_arbiter.py::test_"
_EAST_WEST = "east, west = _ways(x, destination.x, 0 in legal, 2 in legal)"
_NORTH_SOUTH = "north, south = _ways(y, destination.y, 1 in legal, 3 in legal)"


def _all_places(part: str, test: str = "every_place_is_used") -> tuple[str, ...]:
    return (f"tests/rtl/{part}.py::test_{test}",)


SURVIVORS = (
    Mutant(
        "AXI: a write goes first though one went last",
        AXI,
        "can_write & ~(can_read & wrote)",
        "can_write",
        (f"{_AXI}of_both_that_goes_first_which_did_not_go_last",),
    ),
    Mutant(
        "AXI: reads starve behind writes that never pause",
        AXI,
        "can_read = has_read & ~axi.rvalid",
        "can_read = has_read & ~axi.rvalid & ~axi.awvalid",
        (f"{_AXI}reads_go_on_beside_writes_that_never_pause",),
    ),
    Mutant(
        "UART: the stop bit of a byte that is sent is cut short",
        UART,
        "left.eq(9)]",
        "left.eq(8)]",
        (f"{_UART}each_bit_is_sent_for_its_time",),
    ),
    Mutant(
        "UART: a glitch is taken for a start bit",
        UART,
        'with m.If(line):\n                    m.next = "idle"\n'
        '                with m.Else():\n                    m.next = "bits"',
        'm.next = "bits"',
        (f"{_UART}a_glitch_is_no_start_bit",),
    ),
    Mutant(
        "a core's count of unacknowledged packets wraps at 16",
        "rtl/cores/sender.py",
        "self.unacknowledged + (queue.w_en & of_head) - self.acked\n",
        "(self.unacknowledged + (queue.w_en & of_head) - self.acked)[:4]\n",
        ("tests/rtl/cores/test_interface.py::test_hundreds_of_packets_may_be_unacknowledged",),
    ),
    Mutant(
        "a manager compares one bit of a reply's tag",
        "rtl/setup/rounds.py",
        "(self.tag == tag)",
        "(self.tag[0] == tag[0])",
        ("tests/rtl/setup/test_rounds.py::test_a_reply_of_a_command_before_is_not_counted",),
    ),
    Mutant(
        "four bits of X are compared",
        "rtl/mesh/routing.py",
        _EAST_WEST,
        _EAST_WEST.replace("x, destination.x", "x[:4], destination.x[:4]"),
        (_MESH,),
    ),
    Mutant(
        "four bits of Y are compared",
        "rtl/mesh/routing.py",
        _NORTH_SOUTH,
        _NORTH_SOUTH.replace("y, destination.y", "y[:4], destination.y[:4]"),
        (_MESH,),
    ),
    Mutant(
        "a buffer of 16 places uses 15",
        "rtl/parts/channel.py",
        "place == self._places - 1",
        "place == min(self._places, 15) - 1",
        _all_places("parts/test_channel"),
    ),
    Mutant(
        "15 credits for 16 places",
        "rtl/parts/credit.py",
        "init=self._places - 1)",
        "init=min(self._places, 15) - 1)",
        _all_places("parts/test_credit", "there_are_as_many_credits_as_places"),
    ),
    Mutant(
        "a static buffer of 16 places uses 15",
        "rtl/static/level.py",
        "most = self._places - 1",
        "most = min(self._places, 15) - 1",
        _all_places("static/test_buffer"),
    ),
    Mutant(
        "a round robin of 17 forgets one",
        "rtl/parts/arbiter.py",
        "~self.grant[i:j].any()",
        "~self.grant[i : min(j, 15)].any()",
        (f"{_ARBITERS}a_round_robin_of_the_most_requesters",),
    ),
    Mutant(
        "a least recent of 17 forgets one",
        "rtl/parts/arbiter.py",
        "for j in range(count) if j != i\n",
        "for j in range(min(count, 16)) if j != i\n",
        (f"{_ARBITERS}the_least_recent_of_the_most_requesters",),
    ),
    Mutant(
        "a switch of 16 ports sends by port 0 what no table has",
        DECODER,
        "*(Const(ports, bits) for _ in range(missing))",
        "*(Const(ports % 16, bits) for _ in range(missing))",
        (_HEADS,),
    ),
    Mutant(
        "a switch of 16 ports sends by port 0 what has no route",
        DECODER,
        "Mux(bad, ports, route.port_0)",
        "Mux(bad, ports % 16, route.port_0)",
        (_HEADS,),
    ),
    Mutant(
        "a table has 12 switches",
        DECODER,
        "table.word_select(header.switch, bits)",
        "table.word_select(header.switch % 12, bits)",
        (_HEADS,),
    ),
    Mutant(
        "a packet in channel 2 stays there beyond a dateline",
        "rtl/irregular/input_port.py",
        "return channel | 1 if channel | 1 < ordinary else channel",
        "return channel | 1 if channel | 1 < min(ordinary, 2) else channel",
        ("tests/rtl/irregular/test_packets.py",),
    ),
    Mutant(
        "nothing goes to a parent at port 15",
        "rtl/irregular/image.py",
        "self.towards_parent.eq(1 << self.parent)",
        "self.towards_parent.eq((1 << self.parent)[:15])",
        ("tests/rtl/irregular/test_register.py::test_messages_go_to_any_parent_and_come_from_it",),
    ),
    Mutant(
        "wires: three bits of the parent's link are compared",
        "rtl/wires/images.py",
        "Cat(tree.parent == p for p in range(links))",
        "Cat(tree.parent[:3] == p for p in range(links))",
        ("tests/rtl/wires/test_images.py::test_every_link_is_a_parent_and_a_child",),
    ),
)
