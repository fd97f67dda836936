"""The two slots of an input against a table of what waits in them."""

from typing import Any

import cocotb

from syncfabric.models.networks.mesh import Port, Turn
from tests.rtl.mesh.walks import outputs_from
from tests.rtl.support import Bench, Scoreboard

NAMES = ("present", "route", "credit", "overflow")


@cocotb.test()
@cocotb.parametrize(port=range(4), well_behaved=[True, False])
async def slots_agree_with_table(dut: Any, port: int, well_behaved: bool) -> None:
    """Alternation, credits, routes; an ill-behaved sender also sends to occupied slots."""
    bench, board = Bench(dut), Scoreboard(f"port_{port}")
    pins, rng = bench.pins[board.name], board.rng
    waits: dict[int, int] = {}  # class: output
    last, freed, turns, overflows = 1, 0, [0, 0], 0
    await bench.reset()
    for cycle in range(700):
        push = rng.choice([None, 0, 1])
        if push in waits and well_behaved:
            push = None
        output = rng.choice(outputs_from(port, Turn(push or 0)))
        credit = rng.getrandbits(8)
        eligible = [
            turn for turn, way in waits.items() if way == Port.LOCAL or credit >> 2 * way + turn & 1
        ]
        presented = None
        if eligible:
            presented = 1 - last if len(eligible) == 2 else eligible[0]
        free = presented is not None and rng.random() < 0.5
        routes = {f"push_route_{turn}": 1 << rng.randrange(5) for turn in range(2)}
        if push is not None:
            routes[f"push_route_{push}"] = 1 << output
        bits = 0 if push is None else 1 << push
        pins.drive({"push": bits, **routes, "has_credit": credit, "free": free})
        await bench.settle()
        expected = {
            "present": 0 if presented is None else 1 << presented,
            "route": 0 if presented is None else 1 << waits[presented],
            "credit": freed,
            "overflow": push in waits,
        }
        stimulus = {"push": push, "output": output, "has_credit": bin(credit), "free": free}
        board.compare(cycle, seen=pins.read(NAMES), expected=expected, stimulus=stimulus)
        freed = 0
        taken = push is not None and push not in waits
        overflows += push is not None and not taken
        if presented is not None:
            last = presented
            turns[presented] += 1
            if free:
                freed = 1 << presented
                del waits[presented]
        if push is not None and taken:
            waits[push] = output
        await bench.edge()
    assert min(turns) > 50
    assert bool(overflows) != well_behaved


@cocotb.test()
@cocotb.parametrize(port=range(4))
async def both_classes_present_in_turn(dut: Any, port: int) -> None:
    """Two messages that nobody takes are shown one after the other, class 0 first."""
    bench = Bench(dut)
    pins = bench.pins[f"port_{port}"]
    await bench.reset()
    for turn in (1, 0):
        pins.drive({"push": 1 << turn, f"push_route_{turn}": 1 << Port.LOCAL})
        await bench.edge()
    pins.drive({"push": 0})
    seen = []
    for _ in range(6):
        await bench.settle()
        seen.append(pins["present"])
        await bench.edge()
    assert seen == [1, 2, 1, 2, 1, 2]
