"""An input of the engine against a list: order, what waits, what is dropped."""

import random
from typing import Any

import pytest
from amaranth.sim import Simulator

from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.rtl.engine.queue import Queue


@pytest.mark.parametrize(("groups", "block"), [(4, False), (32, False), (64, True)])
@pytest.mark.parametrize("pace", [0.15, 0.3])
def test_a_queue_is_a_list(groups: int, block: bool, pace: float) -> None:
    """Messages leave in order; a BROKEN that would wait, or what has no room, is dropped."""
    layout = EngineLayout(1, False, groups, 6, "bitwise")
    queue = Queue(layout, block=block)
    places = max(16, layout.entries)
    rng = random.Random(groups)
    held: list[int] = []
    behind: list[tuple[int, int]] = []
    seen = {"full": 0, "broken": 0, "deep": 0, "empty": 0}

    async def bench(ctx: Any) -> None:
        last = -3
        for now in range(3000):
            # What waits fills up and runs dry in turns. Block RAM is served every third cycle.
            rate = 0.9 if now // 300 % 2 else pace
            message = layout.message.pack(
                {
                    "entry": rng.randrange(groups),
                    "kind": rng.choice((*Kind, Kind.PLAIN, Kind.LAST)),
                    "data": rng.getrandbits(6),
                }
            )
            valid = rng.random() < rate
            take = bool(held) and rng.random() < 0.5 and (not block or now - last >= 3)
            ctx.set(queue.valid, valid)
            ctx.set(queue.message.as_value(), message)
            ctx.set(queue.take, take)
            if held:
                assert ctx.get(queue.head.as_value()) == held[0]
            full = len(behind) == places
            if take:
                held.pop()
                last = now
            waits = bool(held or behind)
            ready = bool(behind) and (not block or behind[0][0] <= now - 2)
            assert ctx.get(queue.waits) == bool(held or ready)
            if not held and ready:
                held.append(behind.pop(0)[1])
            broken = layout.message.unpack(message)["kind"] == Kind.BROKEN
            dropped = valid and waits and (broken or full)
            assert ctx.get(queue.overflow) == dropped
            assert ctx.get(queue.comes) == valid or (block and waits)
            seen["full"] += dropped and not broken
            seen["broken"] += dropped and broken
            seen["deep"] += len(behind) > places // 2
            seen["empty"] += not held
            if valid and not waits:
                held.append(message)
            elif valid and not dropped:
                behind.append((now, message))
            await ctx.tick()

    simulator = Simulator(queue)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert all(seen.values()), seen
