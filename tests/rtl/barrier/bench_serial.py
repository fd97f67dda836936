"""The serial combiner's turn against a hand that goes round ports and registers."""

from typing import Any

import cocotb

from syncfabric.models.golden.order import RoundRobin
from tests.rtl.support import Bench, Scoreboard

REGISTERS = (1, 4)


@cocotb.test()
@cocotb.parametrize(registers=REGISTERS)
async def one_arrival_a_cycle(dut: Any, registers: int) -> None:
    """Ports EAST to SOUTH, then the registers; who is not chosen is held."""
    bench, board = Bench(dut), Scoreboard(f"registers_{registers}")
    pins, rng, hand = bench.pins[board.name], board.rng, RoundRobin(4 + registers)
    await bench.reset()
    for cycle in range(500):
        ports = {p for p in range(4) if rng.random() < 0.4}
        waiting = {r for r in range(registers) if rng.random() < 0.4}
        candidates = ports | {4 + r for r in waiting}
        chosen = hand.choose(candidates) if candidates else None
        bits = 0 if chosen is None else 1 << chosen
        stimulus = {
            "countable": sum(1 << p for p in ports),
            "waiting": sum(1 << r for r in waiting),
        }
        expected = {
            "chosen": bits % 16,
            "chosen_local": bits // 16,
            "held": sum(1 << p for p in ports if p != chosen),
        }
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        await bench.edge()
