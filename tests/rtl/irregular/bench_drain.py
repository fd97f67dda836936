"""Where packets for the switch itself end: whole, one flit a cycle, counted at their tails."""

from typing import Any

import cocotb

from tests.rtl.irregular.specs import network
from tests.rtl.support import Bench, Scoreboard

CASES = {"drain_four": network(ports=4), "drain_seven": network(ports=7)}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def packets_end_one_after_the_other(dut: Any, case: str) -> None:
    """Heads from all inputs at once; bodies with gaps; tails that are heads."""
    ports = CASES[case].ports
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng = bench.pins[case], board.rng
    order, owner = list(range(ports)), None
    left = [rng.randint(1, 4) for _ in range(ports)]
    ends = [0] * ports
    await bench.reset()
    for cycle in range(600):
        eager = rng.choice([0.2, 0.8])
        offers = [i for i in range(ports) if owner in (None, i) and rng.random() < eager]
        tails = [i for i in range(ports) if left[i] == 1]
        taker = next((i for i in order if i in offers), None)
        stimulus = {"offer": sum(1 << i for i in offers), "tail": sum(1 << i for i in tails)}
        expected: dict[str, int] = {
            "take": 0 if taker is None else 1 << taker,
            "busy": owner is not None,
            "ended": taker in tails,
        }
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if taker is not None:
            left[taker] -= 1
            owner = taker if left[taker] else None
            order.remove(taker)
            order.append(taker)
            if not left[taker]:
                left[taker] = rng.randint(1, 4)
                ends[taker] += 1
        await bench.edge()
    assert min(ends) > 10, ends
