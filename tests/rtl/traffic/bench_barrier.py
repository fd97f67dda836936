"""The process that arrives by itself, against the rules of a barrier."""

from typing import Any

import cocotb

from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.support import Bench, Scoreboard

SPEC = MeshSpec(kind="mesh", width=4, height=4, barrier_registers=3, data_bits=5)


@cocotb.test()
@cocotb.parametrize(jitter=[0, 7, 255])
async def member_waits_for_its_release(dut: Any, jitter: int) -> None:
    """Arrives once an episode, lingers no longer than ``jitter`` says, minds ``enable``."""
    bench, board = Bench(dut), Scoreboard(f"jitter_{jitter}")
    pins, rng = bench.pins["member"], board.rng
    member = 0b101
    await bench.reset()
    pins.drive({"index": 6, "member": member, "jitter": jitter, "enable": 1})
    for _ in range(20):  # nobody arrives before a seed is loaded
        await bench.settle()
        assert pins["arrive"] == 0
        await bench.edge()
    pins.drive({"load": 1, "seed": rng.getrandbits(32)})
    await bench.edge()
    pins.drive({"load": 0})
    inside, free_since = set[int](), dict.fromkeys((0, 2), 0)
    arrivals, waits, words, paused = 0, set[int](), set[int](), 0
    for cycle in range(1500):
        enable = cycle % 500 < 450
        paused = 0 if enable else paused + 1
        released = {r for r in inside if rng.random() < 0.2}
        pins.drive({"enable": enable, "released": sum(1 << r for r in released)})
        await bench.settle()
        seen = pins.read(["arrive", "data"])
        case = f"cycle {cycle}: {seen}, inside {inside}, released {released}, seed {board.seed}"
        assert seen["arrive"] & ~member == 0, case
        assert enable or seen["arrive"] == 0, case
        inside -= released
        free_since |= dict.fromkeys(released, cycle)
        for r in (0, 2):
            if seen["arrive"] >> r & 1:
                assert r not in inside, case
                inside.add(r)
                arrivals += 1
                if cycle % 500 > 300 and enable:
                    waits.add(cycle - free_since[r])
                words.add(seen["data"] >> 5 * r & 31)
            elif r not in inside and cycle % 500 > 300 and enable:
                assert cycle - free_since[r] < max(jitter, 1), case
        await bench.edge()
    assert len(words) > (10 if jitter < 255 else 5)
    assert max(waits) <= jitter
    assert len(waits) == 1 if jitter == 0 else len(waits) > 3
    assert arrivals > 20
