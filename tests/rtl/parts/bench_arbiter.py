"""Both arbiters against lists: who is granted in every cycle, and how long anybody waits."""

from collections.abc import Collection
from typing import Any

import cocotb

from syncfabric.models.golden.transport.message_links import LeastRecentlySent
from tests.rtl.support import Bench, Scoreboard

COUNTS = (1, 2, 3, 5, 8)
CYCLES = 400


class RoundRobin:
    """A hand that goes round ``size`` places, first at 0, and stops after the one it chose."""

    def __init__(self, size: int) -> None:
        self.hand, self.size = 0, size

    def choose(self, candidates: Collection[int]) -> int:
        """Return the first candidate at or after the hand, and move the hand just after it."""
        chosen = min(candidates, key=lambda place: (place - self.hand) % self.size)
        self.hand = (chosen + 1) % self.size
        return chosen


def chosen_bits(word: int) -> list[int]:
    return [i for i in range(word.bit_length()) if word >> i & 1]


@cocotb.test()
@cocotb.parametrize(count=COUNTS)
async def least_recent_agrees_with_list(dut: Any, count: int) -> None:
    """``sent`` is the grant, nothing, or anybody: only who was sent moves to the end."""
    bench, board = Bench(dut), Scoreboard(f"recent_{count}")
    pins, rng, model = bench.pins[f"recent_{count}"], board.rng, LeastRecentlySent(count)
    await bench.reset()
    for cycle in range(CYCLES):
        request = rng.getrandbits(count)
        grant = 1 << model.first(chosen_bits(request)) if request else 0
        sent = rng.choice([grant, grant, 0, 1 << rng.randrange(count)])
        pins.drive({"request": request, "sent": sent})
        await bench.settle()
        board.compare(
            cycle, seen=pins.read(["grant"]), expected={"grant": grant}, stimulus=(request, sent)
        )
        if sent:
            model.sent(sent.bit_length() - 1)
        await bench.edge()


@cocotb.test()
@cocotb.parametrize(count=COUNTS)
async def round_robin_agrees_with_pointer(dut: Any, count: int) -> None:
    """The pointer moves with ``advance`` only, and only if somebody was granted."""
    bench, board = Bench(dut), Scoreboard(f"robin_{count}")
    pins, rng, model = bench.pins[f"robin_{count}"], board.rng, RoundRobin(count)
    await bench.reset()
    for cycle in range(CYCLES):
        request, advance = rng.getrandbits(count) & rng.getrandbits(count), rng.random() < 0.7
        hand = model.hand
        grant = 1 << model.choose(chosen_bits(request)) if request else 0
        if not advance:
            model.hand = hand
        pins.drive({"request": request, "advance": advance})
        await bench.settle()
        board.compare(
            cycle, seen=pins.read(["grant"]), expected={"grant": grant}, stimulus=(request, advance)
        )
        await bench.edge()


@cocotb.test()
@cocotb.parametrize(kind=["recent", "robin"], count=COUNTS)
async def nobody_waits_longer_than_a_round(dut: Any, kind: str, count: int) -> None:
    """One grant a cycle while anybody asks, to one who asks, and each within ``count`` cycles."""
    bench, board = Bench(dut), Scoreboard(f"{kind}_{count}")
    pins, rng = bench.pins[f"{kind}_{count}"], board.rng
    await bench.reset()
    request, waited = 0, [0] * count
    for cycle in range(CYCLES):
        request |= rng.getrandbits(count) & rng.getrandbits(count)
        pins.drive({"request": request})
        await bench.settle()
        grant = pins["grant"]
        pins.drive({"sent": grant} if kind == "recent" else {"advance": 1})
        case = f"cycle {cycle}: request {request:b}, grant {grant:b}, seed {board.seed}"
        assert grant & ~request == 0, case
        assert grant.bit_count() == bool(request), case
        for i in range(count):
            waited[i] = waited[i] + 1 if (request & ~grant) >> i & 1 else 0
        assert max(waited) < count, case
        request &= ~grant
        await bench.edge()
