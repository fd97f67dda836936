"""The saturating counter against a number."""

from typing import Any

import cocotb

from tests.rtl.support import Bench, Scoreboard

SHAPES = ((1, 1), (3, 5), (8, 9), (8, 15))
"""Width, and most events in a cycle."""


@cocotb.test()
@cocotb.parametrize(shape=SHAPES)
async def events_are_counted_up_to_the_last_value(dut: Any, shape: tuple[int, int]) -> None:
    """Runs from reset to the greatest value, on from there, and once more after a reset."""
    width, most = shape
    bench, board = Bench(dut), Scoreboard(f"width_{width}_most_{most}")
    pins, rng, last = bench.pins[board.name], board.rng, (1 << width) - 1
    for _ in range(3):
        await bench.reset()
        count = 0
        for cycle in range(3 * last // most + 20):
            events = rng.choice([0, 1, most, rng.randint(0, most)])
            pins.drive({"events": events})
            await bench.settle()
            board.compare(
                cycle, seen=pins.read(["count"]), expected={"count": count}, stimulus=events
            )
            count = min(last, count + events)
            await bench.edge()
        assert count == last
