"""The process that arrives by itself, and the referee, each against the rules of a barrier."""

from collections import deque
from typing import Any

import cocotb

from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.support import Bench, Scoreboard

SPEC = MeshSpec(kind="mesh", width=4, height=4, barrier_registers=3, data_bits=5)
MEMBERS = (1, 4, 9)
NEVER = 2**32 - 1


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


@cocotb.test()
@cocotb.parametrize(members=MEMBERS)
async def watch_measures_good_episodes(dut: Any, members: int) -> None:
    """Members run ahead into the next episode, even in the cycle of their release."""
    bench, board = Bench(dut), Scoreboard(f"watch_{members}")
    pins, rng = bench.pins[board.name], board.rng
    phase = dict.fromkeys(range(members), "out")  # out, in, or free: released in this episode
    episodes, latencies, last, due = 0, list[int](), 0, -1
    ahead: deque[int] = deque()
    await bench.reset()
    for cycle in range(1200):
        release, arrive = set[int](), set[int]()
        ready = all(state != "out" for state in phase.values())
        if ready and cycle >= due:
            release = {m for m in phase if phase[m] == "in" and rng.random() < 0.5}
        phase |= dict.fromkeys(release, "free")
        for m in phase:
            if phase[m] == "out" and rng.random() < 0.3:
                arrive.add(m)
                phase[m] = "in"
                last, due = cycle, cycle + rng.randint(1, 9)
            elif phase[m] == "free" and m not in ahead and rng.random() < 0.3:
                arrive.add(m)
                ahead.append(m)
                last_ahead = cycle
        stimulus = {
            "cycle": cycle,
            "arrive": sum(1 << m for m in arrive),
            "released": sum(1 << m for m in release),
        }
        expected = {
            "episodes": episodes,
            "errors": 0,
            "latency_min": min(latencies, default=NEVER),
            "latency_max": max(latencies, default=0),
            "latency_sum": sum(latencies),
        }
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if all(state == "free" for state in phase.values()):
            episodes += 1
            latencies.append(cycle - last)
            phase = {m: "in" if m in ahead else "out" for m in phase}
            if ahead:
                last, due = last_ahead, max(last_ahead + 1, cycle + 1)
            ahead.clear()
        await bench.edge()
    assert episodes > 20


@cocotb.test()
async def watch_counts_what_is_wrong(dut: Any) -> None:
    """A release too early, a second release, a second arrival: an error each, no more."""
    bench = Bench(dut)
    pins = bench.pins["watch_4"]
    await bench.reset()
    steps = [
        (0b0111, 0b0000, 0),
        (0b0000, 0b0001, 1),  # released before member 3 arrived
        (0b1000, 0b0000, 1),
        (0b0000, 0b0001, 2),  # again
        (0b1000, 0b0000, 3),  # arrives twice
        (0b0001, 0b0000, 3),
        (0b0001, 0b0000, 4),  # twice for the next episode
        (0b0000, 0b1110, 4),
        (0b0000, 0b0001, 5),  # the others have not arrived yet
    ]
    for cycle, (arrive, release, errors) in enumerate(steps):
        pins.drive({"cycle": cycle, "arrive": arrive, "released": release})
        await bench.edge()
        await bench.settle()
        assert pins["errors"] == errors, f"cycle {cycle}"
    assert pins["episodes"] == 1
