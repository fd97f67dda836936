"""The engine's RTL and its golden model agree in every cycle, in Amaranth's simulator."""

import random
from collections import Counter
from typing import Any

import pytest
from amaranth import Cat, ClockDomain, Module
from amaranth.sim import Simulator

from syncfabric.rtl.engine.engine import Engine
from tests.models.golden.engine_stimuli import Build, draw_build
from tests.rtl.engine.lockstep import Lockstep, build, differences
from tests.rtl.support import SEED, ports

CYCLES, RESETS = 1400, (311, 757)

SMALL = {
    "one stage": build(2, 2, 1),
    "one stage, data": build(3, 4, 1, "bitwise", 3, watchdog=19),
    "shared": build(2, 4, 2, "all", 4, watchdog=17, shared=True),
    "no process": build(3, 2, 2, own=False, counters=False),
    "three stages": build(3, 4, 3, "all", 6, watchdog=23, read_back=False),
    "four stages, shared": build(2, 3, 4, "bitwise", 9, shared=True),
    "block RAM": build(2, 33, 4, "all", 4, watchdog=5),
}
WANTED = {"PLAIN", "GO", "SETUP", "READ", "access"}


def value(part: Any, pin: str) -> Any:
    """Return the signal of a pin by its name in Verilog."""
    for step in pin.split("__"):
        part = getattr(part, step)
    return part.as_value() if hasattr(part, "as_value") else part


def play(parameters: Build, seed: object, cycles: int = CYCLES) -> Counter[str]:
    """Run both, and return what has happened."""
    rng = random.Random(f"{SEED}/{seed}")
    lockstep = Lockstep(parameters, rng)
    engine = Engine(parameters.layout, **parameters.options)
    whole = Module()
    whole.domains.sync = domain = ClockDomain("sync")
    whole.submodules.engine = engine
    widths = {name: width for name, (way, width) in ports(engine).items() if way == "out"}
    shown = Cat(value(engine, name) for name in widths)
    seen: Counter[str] = Counter()

    async def bench(ctx: Any) -> None:
        for cycle in range(cycles):
            driven, expected = lockstep.step()
            for name, word in driven.items():
                ctx.set(value(engine, name), word)
            word, found = ctx.get(shown), {}
            for name, width in widths.items():
                found[name], word = word & (1 << width) - 1, word >> width
            wrong = differences(expected, found)
            assert not wrong, f"{parameters}: seed {seed}, cycle {cycle}: {wrong}; {driven}"
            if cycle in RESETS:
                seen.update(lockstep.stimuli.seen)
                ctx.set(domain.rst, 1)
                await ctx.tick()
                ctx.set(domain.rst, 0)
                lockstep.reset()
            else:
                await ctx.tick()
        seen.update(lockstep.stimuli.seen)

    simulator = Simulator(whole)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


@pytest.mark.parametrize("name", list(SMALL))
def test_small_engine_agrees_with_its_golden_model(name: str) -> None:
    seen = play(SMALL[name], name)
    assert seen.keys() >= WANTED


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200))
def test_any_engine_agrees_with_its_golden_model(seed: int) -> None:
    parameters = draw_build(random.Random(seed))
    play(parameters, seed, 3 * parameters.layout.entries + 1500)
