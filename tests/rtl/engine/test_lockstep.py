"""The engine's RTL and its golden model agree in every cycle, in Amaranth's simulator."""

import random
from collections import Counter
from typing import Any

import pytest

from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.engine.rule import Rule
from tests.models.golden.engine_stimuli import Build, draw_build
from tests.rtl.engine.lockstep import Lockstep, build, differences
from tests.rtl.support import SEED, Panel, evaluate

CYCLES, RESETS = 1400, (311, 757)

SMALL = {
    "one stage": build(2, 2, 1),
    "one stage, data": build(3, 4, 1, "bitwise", 3, watchdog=19),
    "shared": build(2, 4, 2, "all", 4, watchdog=17, shared=True),
    "no process": build(3, 2, 2, own=False, counters=False),
    "three stages": build(3, 4, 3, "all", 6, watchdog=23, read_back=False),
    "four stages, shared": build(2, 3, 4, "bitwise", 9, shared=True),
    "block RAM": build(2, 33, 4, "all", 4, watchdog=5),
    "keys": build(3, 4, 2, "bitwise", 5, key_bits=3, watchdog=19),
    "keys, three stages": build(2, 2, 3, "all", 9, key_bits=16, shared=True),
}
WANTED = {"PLAIN", "GO", "SETUP", "READ", "access"}


def play(parameters: Build, seed: object, cycles: int = CYCLES) -> Counter[str]:
    """Run both, and return what has happened."""
    rng = random.Random(f"{SEED}/{seed}")
    lockstep = Lockstep(parameters, rng)
    panel, seen = Panel(Engine(parameters.layout, **parameters.options)), Counter[str]()

    async def bench(context: Any) -> None:
        for cycle in range(cycles):
            driven, expected = lockstep.step()
            panel.drive(context, {**driven, "rst": cycle in RESETS})
            wrong = differences(expected, panel.read(context))
            assert not wrong, f"{parameters}: seed {seed}, cycle {cycle}: {wrong}; {driven}"
            if cycle in RESETS:
                seen.update(lockstep.stimuli.seen)
                lockstep.reset()
            await context.tick()
        seen.update(lockstep.stimuli.seen)

    panel.play(bench)
    return seen


@pytest.mark.parametrize("name", list(SMALL))
def test_small_engine_agrees_with_its_golden_model(name: str) -> None:
    seen = play(SMALL[name], name)
    assert seen.keys() >= WANTED


def test_every_port_is_a_parents_and_a_childs() -> None:
    """Of the most links: the last child's message goes up, BROKEN of the parent goes down."""
    rows, sends = list[dict[str, int]](), list[int]()
    for up in range(16):
        parent, child = 1 << up, 1 << (up + 1) % 16
        image = {"image__parent": parent, "image__children": child, "state__missing": child}
        for port, kind in ((child, Kind.PLAIN), (parent, Kind.BROKEN)):
            message = {"active": 1, "state__alive": 1, "port": port, "message__kind": kind}
            rows.append(image | message)
            sends.append(parent if kind is Kind.PLAIN else child)
    seen = evaluate(Rule(EngineLayout(16, False, 2, 0, "none")), rows)
    assert [row["sends"] for row in seen] == sends


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(200))
def test_any_engine_agrees_with_its_golden_model(seed: int) -> None:
    parameters = draw_build(random.Random(seed))
    play(parameters, seed, 3 * parameters.layout.entries + 1500)
