"""The credit counter against a number."""

from typing import Any

import cocotb

from tests.rtl.support import Bench, Scoreboard

PLACES = (1, 3, 16)


@cocotb.test()
@cocotb.parametrize(places=PLACES)
async def credits_are_counted(dut: Any, places: int) -> None:
    """Spends whenever it may, now eagerly, now lazily, with credits in the same cycle or not."""
    bench, board = Bench(dut), Scoreboard(f"places_{places}")
    pins, rng, free = bench.pins[f"places_{places}"], board.rng, places
    await bench.reset()
    extremes = set()
    for cycle in range(600):
        eager = cycle // 60 % 2
        spend = free > 0 and rng.random() < (0.9 if eager else 0.2)
        credit = free < places and rng.random() < (0.2 if eager else 0.9)
        pins.drive({"spend": spend, "credit": credit})
        await bench.settle()
        board.compare(
            cycle,
            seen=pins.read(["available"]),
            expected={"available": free > 0},
            stimulus={"spend": spend, "credit": credit},
        )
        free += credit - spend
        extremes.add(free)
        await bench.edge()
    assert {0, places} <= extremes
