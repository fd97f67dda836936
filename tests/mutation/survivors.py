"""Mutants of what only the largest sizes and rare inputs show, once missed by all tests."""

from tests.mutation.mutant import Mutant

AXI, UART = "rtl/host/axi_lite.py", "rtl/host/console.py"
_AXI, _UART = (f"tests/rtl/host/test_{name}.py::test_" for name in ("axi_lite", "uart"))
_ARBITERS = "tests/rtl/parts/test_arbiter.py::test_"
_ROUTING = "tests/rtl/router/test_routing.py::test_"
_ENGINE = "tests/rtl/engine/test_lockstep.py::test_every_port_is_a_parents_and_a_childs"


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
        "rtl/cores/interface.py",
        "self.unacknowledged + (queue.w_en & of_head) - self.acked\n",
        "(self.unacknowledged + (queue.w_en & of_head) - self.acked)[:4]\n",
        ("tests/rtl/cores/test_interface.py::test_hundreds_of_packets_may_be_unacknowledged",),
    ),
    Mutant(
        "coordinates from 512 on are not told apart",
        "rtl/router/routing.py",
        "here, there = getattr(router, name), getattr(header, name)",
        "here, there = getattr(router, name)[:9], getattr(header, name)[:9]",
        ("tests/rtl/router/test_routing.py",),
    ),
    Mutant(
        "a buffer of 16 places uses 15",
        "rtl/router/input_port.py",
        "place == self._places - 1",
        "place == min(self._places, 15) - 1",
        _all_places("router/test_input_port"),
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
    Mutant(
        "a manager looks at one bit of a reply's tag",
        "rtl/lifecycle/manager.py",
        "(self.reply.tag == tag)",
        "(self.reply.tag[0] == tag[0])",
        ("tests/rtl/lifecycle/test_manager.py",),
    ),
    Mutant(
        "a table knows 12 routers",
        "rtl/router/routing.py",
        "header.router < self.routers",
        "header.router < min(self.routers, 12)",
        (f"{_ROUTING}a_table_has_every_router_and_every_port",),
    ),
    Mutant(
        "a router of 16 ports takes its sink for port 0",
        "rtl/router/routing.py",
        "known & (code == output)",
        "known & (code[:4] == output)",
        (f"{_ROUTING}a_table_has_every_router_and_every_port",),
    ),
    Mutant(
        "a source's codes have four bits",
        "rtl/router/routing.py",
        "code == output if known is None",
        "code[:4] == output if known is None",
        (f"{_ROUTING}a_source_names_every_port",),
    ),
    Mutant(
        "a packet in channel 2 stays there beyond a dateline",
        "rtl/router/router.py",
        "range(0, self._dated, 2)",
        "range(0, min(self._dated, 2), 2)",
        ("tests/rtl/planes/test_bench.py",),
    ),
    Mutant(
        "beyond a dateline channel 2 waits for its own credits",
        "rtl/router/router.py",
        "state[c | (c < self._dated)]",
        "state[c | (c < min(self._dated, 2))]",
        ("tests/rtl/planes/test_bench.py",),
    ),
    Mutant(
        "engine: nothing comes from a parent at port 15",
        "rtl/engine/rule.py",
        "(image.parent & port[: self._layout.links]).any()",
        "(image.parent[:15] & port[: self._layout.links]).any()",
        (_ENGINE,),
    ),
    Mutant(
        "engine: nothing goes to a parent at port 15",
        "rtl/engine/rule.py",
        "Mux(down, image.children[p], image.parent[p])",
        "Mux(down, image.children[p], image.parent[p] if p < 15 else 0)",
        (_ENGINE,),
    ),
)
