"""The hold buffer of a node interface against a queue."""

from collections import deque
from typing import Any

import cocotb

from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from tests.rtl.irregular.specs import network
from tests.rtl.support import Bench, Scoreboard

CASES: dict[str, IrregularSpec | MeshSpec] = {
    "hold_one": network(),
    "hold_six": MeshSpec(kind="mesh", width=3, height=2, channels=2, buffer_flits=3),
    "hold_eight": network(channels=4, buffer_flits=2),
}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def flits_keep_their_order(dut: Any, case: str) -> None:
    """Past it in the same cycle, or later; a source without credits also sends what is lost."""
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, places = bench.pins[case], board.rng, spec.channels * spec.buffer_flits
    held: deque[tuple[int, int]] = deque()
    straight = late = lost = 0
    await bench.reset()
    for cycle in range(800):
        calm = cycle // 100 % 2
        comes = None
        if rng.random() < (0.4 if calm else 0.7):
            comes = (1 << rng.randrange(spec.channels), rng.getrandbits(spec.layout.flit.width))
        blocked = rng.random() < (0.3 if calm else 0.6)
        full = len(held) == places
        out = None if blocked else held[0] if held else comes
        stimulus: dict[str, int] = {"blocked": blocked, "push": 0, "flit": 0}
        expected: dict[str, int] = {"valid": 0, "out": 0, "overflow": comes is not None and full}
        if comes is not None:
            stimulus["push"], stimulus["flit"] = comes
        if out is not None:
            expected["valid"], expected["out"] = out
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        straight += not held and out is not None
        late += bool(held) and out is not None
        lost += comes is not None and full
        passes = not held and out is not None
        if held and out is not None:
            held.popleft()
        if comes is not None and not full and not passes:
            held.append(comes)
        await bench.edge()
    assert min(straight, late, lost) > 20, (straight, late, lost)
