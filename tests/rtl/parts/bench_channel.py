"""The control of a buffer, with a memory around it, against a queue of flits."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import cocotb

from tests.rtl.support import Bench, Scoreboard

PLACES = (1, 3, 8)
OUTPUTS = (0, 1, 3, 4)
"""Of five: packets that come from the WEST go to EAST, NORTH, SOUTH or end here."""


@dataclass(frozen=True)
class Flit:
    number: int
    output: int
    head: bool
    tail: bool


def packet(number: int, length: int, output: int) -> list[Flit]:
    return [Flit(number + i, output, i == 0, i == length - 1) for i in range(length)]


@cocotb.test()
@cocotb.parametrize(places=PLACES)
async def flits_leave_as_they_came(dut: Any, places: int) -> None:
    """Fills and drains at any rate; what comes for a full buffer is dropped and sent again."""
    bench, board = Bench(dut), Scoreboard(f"places_{places}")
    pins, rng = bench.pins[board.name], board.rng
    buffer: deque[Flit] = deque()
    to_send: deque[Flit] = deque()
    memory: dict[int, Flit] = {}
    begun = popped_before = False
    seen_levels, overflows, sent, hurry = set(), 0, 0, 0.5
    await bench.reset()
    for cycle in range(1500):
        if cycle % 50 == 0:
            hurry = rng.choice([0.1, 0.5, 0.9])
        if not to_send:
            to_send += packet(sent, rng.randint(1, 5), rng.choice(OUTPUTS))
        push, pop = rng.random() < 1 - hurry, bool(buffer) and rng.random() < hurry
        flit, full = to_send[0], len(buffer) == places
        pins.drive(
            {
                "push": push,
                "push_tail": flit.tail if push else rng.getrandbits(1),
                "push_route": 1 << flit.output if push and flit.head else rng.getrandbits(5),
                "pop": pop,
            }
        )
        await bench.settle()
        expected: dict[str, int] = {
            "occupied": bool(buffer),
            "active": begun,
            "credit": popped_before,
            "overflow": push and full,
        }
        if buffer:
            expected |= {"route": 1 << buffer[0].output, "tail": buffer[0].tail}
        stimulus = {"push": flit if push else None, "pop": pop}
        seen = pins.read([*expected, "write_place", "read_place"])
        board.compare(cycle, seen=seen, expected=expected, stimulus=stimulus)
        assert max(seen["write_place"], seen["read_place"]) < places
        if buffer:
            front = memory[seen["read_place"]]
            assert front == buffer[0], f"cycle {cycle}: {front} before {buffer[0]}"
        if push and not full:
            memory[seen["write_place"]] = flit
            buffer.append(to_send.popleft())
            sent += 1
        if pop:
            begun = not buffer.popleft().tail
        overflows += push and full
        popped_before = pop
        seen_levels.add(len(buffer))
        await bench.edge()
    assert {0, places} <= seen_levels
    assert overflows
