"""Ways to break what only the largest sizes and rare inputs show, once missed by all tests."""

from tests.mutation.mutant import Mutant

__all__ = ["SURVIVORS"]

AXI, UART = "rtl/host/axi_lite.py", "rtl/host/console.py"
_AXI, _UART = (f"tests/rtl/host/test_{name}.py::test_" for name in ("axi_lite", "uart"))
_ARBITERS = "tests/rtl/parts/test_arbiter.py::test_"


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
        "AXI: writes starve behind reads that never pause",
        AXI,
        "can_write & ~(can_read & wrote)",
        "can_write & ~can_read",
        (f"{_AXI}reads_and_writes_take_turns_for_long",),
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
        "columns from 512 on are not told apart",
        "rtl/router/routing.py",
        "_ways(router.x, header.x, EAST",
        "_ways(router.x[:9], header.x[:9], EAST",
        ("tests/rtl/router/test_routing.py",),
    ),
    Mutant(
        "rows from 512 on are not told apart",
        "rtl/router/routing.py",
        "_ways(router.y, header.y, NORTH",
        "_ways(router.y[:9], header.y[:9], NORTH",
        ("tests/rtl/router/test_routing.py",),
    ),
    Mutant(
        "a buffer of 16 places uses 15",
        "rtl/router/input_port.py",
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
        "rtl/static/buffer.py",
        "most = self._places - 1",
        "most = min(self._places, 15) - 1",
        _all_places("static/test_buffer"),
    ),
    Mutant(
        "a round robin of 17 forgets one",
        "rtl/parts/arbiter.py",
        "~self.grant[i:j].any()",
        "~self.grant[i : min(j, 15)].any()",
        (f"{_ARBITERS}round_robin_agrees_with_pointer",),
    ),
    Mutant(
        "a least recent of 17 forgets one",
        "rtl/parts/arbiter.py",
        "for j in range(count) if j != i\n",
        "for j in range(min(count, 16)) if j != i\n",
        (f"{_ARBITERS}least_recent_agrees_with_list",),
    ),
)
