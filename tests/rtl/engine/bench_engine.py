"""Engines against their golden models: everything that they send, release and answer."""

import json
import logging
import os
from collections import Counter
from typing import Any

import cocotb

from tests.rtl.engine.lockstep import Lockstep, build, differences
from tests.rtl.support import Bench, Scoreboard

CYCLES, RESETS = 3000, (700, 1300)

CASES = {
    "one": build(4, 16, 1, watchdog=7),
    "two_shared": build(4, 16, 2, watchdog=9, shared=True),
    "three": build(4, 16, 3, "all", 32, watchdog=13),
    "block_ram": build(4, 64, 4, "all", 4, watchdog=5),
}
TOP = {
    "one_data": build(4, 16, 1, "bitwise", 4),
    "two": build(4, 16, 2, "bitwise", 8, watchdog=11),
    "block_ram_shared": build(2, 64, 4, "bitwise", 32, shared=True),
    "four_shared": build(4, 32, 4, "bitwise", 4, watchdog=7, shared=True),
    "four": build(3, 8, 4, "all", 8, watchdog=14),
    "three_shared": build(5, 4, 3, "bitwise", 32, own=False, read_back=False, shared=True),
    "one_all": build(4, 3, 1, "all", 4, watchdog=19, counters=False),
    "links_16": build(16, 16, 1, "bitwise", 8, own=False, watchdog=19),
    "links_15_shared": build(15, 32, 2, "all", 4, watchdog=23, shared=True),
    "data_32": build(15, 32, 3, "all", 32, watchdog=37),
    "groups_256": build(15, 256, 4, "all", 32, watchdog=65),
    "groups_256_shared": build(16, 256, 4, "bitwise", 32, own=False, shared=True),
    "one_link": build(1, 1, 1, "all", 4, watchdog=5),
}
WANTED = {"GO", "SETUP", "KILL", "READ", "access", "access refused"}
ALL = WANTED | {
    *("PLAIN", "LAST", "BROKEN", "freed", "arrive"),
    *("release PLAIN", "release GO", "release LAST", "release BROKEN"),
    *("SETUP refused", "GO refused", "KILL refused", "KILL of no group"),
}
"""What must happen in each case, and in all of a harness."""

TOTAL = Counter[str]()

BUILT = [case for case in (*CASES, *TOP) if case in json.loads(os.environ.get("RACK_PORTS", "{}"))]
"""Those of the harness that the bench runs on."""


@cocotb.test()
@cocotb.parametrize(case=BUILT)
async def engine_agrees_with_golden_engine(dut: Any, case: str) -> None:
    """Every output in every cycle, with resets amid whatever is under way."""
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, seen = bench.pins[case], board.rng, Counter[str]()
    parameters = {**CASES, **TOP}[case]
    lockstep = Lockstep(parameters, rng)
    await bench.reset(shaken=50)
    for cycle in range(CYCLES + 40 * parameters.layout.entries):
        if cycle in RESETS:
            await bench.reset_amid(rng)
            seen += lockstep.stimuli.seen
            lockstep.reset()
        driven, expected = lockstep.step()
        pins.drive(driven)
        await bench.settle()
        wrong = differences(expected, pins.read(expected))
        assert not wrong, f"{case}: cycle {cycle}: {wrong}; stimulus {driven}; seed {board.seed}"
        await bench.edge()
    seen += lockstep.stimuli.seen
    logging.getLogger(case).info(dict(seen))
    assert seen.keys() >= WANTED, WANTED - seen.keys()
    TOTAL.update(seen)
    if BUILT and case == BUILT[-1]:
        assert TOTAL.keys() >= ALL, ALL - TOTAL.keys()
