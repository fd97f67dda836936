"""The switch against its contract: lock step, credits, strobe and flush under traffic, overflow."""

import random
from typing import Any

import cocotb

from syncfabric.models.networks.spec import StaticSpec
from tests.rtl.static.switch_model import BITS, SwitchModel
from tests.rtl.support import Bench, Scoreboard

CASES = {
    f"switch_{w}_{b}_{o}": StaticSpec(
        kind="static",
        width=2,
        height=2,
        flit_bits=3,
        switch_buffer=w,
        core_buffer=b,
        injection_buffer=o,
    )
    for w, b, o in ((1, 2, 3), (2, 1, 2), (3, 4, 1))
}
NAMES = ("east", "north", "west", "south", "core")
PHASE = 120


def images(rng: random.Random, before: list[int]) -> list[int]:
    """Return bits for the chain, in its order: some outputs as before, at most one select each."""
    bits = []
    for o in range(5):
        chosen, flush = [0] * 4, int(rng.random() < 0.4)
        if rng.random() < 0.3:
            chosen, flush = before[5 * o : 5 * o + 4], 0
        elif rng.random() < 0.9:
            chosen[rng.randrange(4)] = 1
        bits += [*chosen, flush]
    return bits


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def it_does_what_the_contract_says(dut: Any, case: str) -> None:
    """All inputs and outputs busy or slow; routes are loaded and strobed all the time."""
    spec, bench, board = CASES[case], Bench(dut), Scoreboard(case)
    pins, rng = bench.pins[case], board.rng
    places = [spec.switch_buffer] * 4 + [spec.injection_buffer]
    beyond = [spec.switch_buffer] * 4 + [spec.core_buffer]
    model = SwitchModel(places, beyond)
    away = [0] * 5  # flits in the buffers beyond, whose credits come later
    bits, multicast, flushes, overflows = [0] * BITS, 0, 0, 0
    slow = [0.5] * 5
    await bench.reset(shaken=50)
    # What flushes a link is high in reset, but here the neighbours are only wires.
    pins.drive({f"{name}_in__flush": 1 for name in NAMES[:4]})
    await bench.edge()
    for cycle in range(40 * PHASE):
        phase = cycle % PHASE
        if phase == 0:
            bits, slow = images(rng, bits), [rng.choice((0.0, 0.3, 0.9)) for _ in range(5)]
            load, careless = rng.choice((0.3, 1.0)), rng.random() < 0.1
        shift, strobe = phase < BITS, phase == BITS
        bit = bits[BITS - 1 - phase] if shift else rng.getrandbits(1)
        flushed = {i for i in range(4) if rng.random() < 0.01}
        arriving = {
            i: rng.getrandbits(3)
            for i in range(5)
            if rng.random() < load and (careless or len(model.queues[i]) < places[i])
        }
        credits = {o for o in range(5) if away[o] and rng.random() >= slow[o]}
        drive = {"route__shift": shift, "route__strobe": strobe, "route_in": bit}
        for port, name in enumerate(NAMES):
            drive[f"{name}_in__valid"] = port in arriving
            drive[f"{name}_in__flit"] = arriving.get(port, rng.getrandbits(3))
            drive[f"{name}_out__credit"] = port in credits
            if port < 4:
                drive[f"{name}_in__flush"] = port in flushed
        expected = model.outputs([int(i in arriving) for i in range(5)])
        pins.drive(drive)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=drive)
        moving = model.moving()
        overflows += expected["overflow"] > 0
        multicast += any(model.select.count(i) > 1 for i in moving)
        flushes += len(model.flush)
        for o in range(5):
            away[o] += (model.select[o] in moving) - (o in credits)
            if o in model.flush:
                away[o] = 0
        model.edge(arriving, credits, flushed, bit if shift else None, strobe)
        await bench.edge()
    assert min(multicast, flushes, overflows) > 10, (multicast, flushes, overflows)
