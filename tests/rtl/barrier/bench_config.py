"""A node's config port against the list of addresses that exist."""

import random
from typing import Any

import cocotb

from syncfabric.models.messages import (
    CONFIG_ADDRESS_BITS,
    COUNTER_BASE,
    COUNTER_BITS,
    Counter,
    RegisterWord,
    register_address,
)
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.support import Bench, Scoreboard

REGISTERS = 3
INDEX = 7
CASES = {"plain": MeshSpec(kind="mesh", width=4, height=3, barrier_registers=REGISTERS)}


def addresses() -> dict[int, tuple[int, RegisterWord] | Counter]:
    """Return what is at every address of a register or counter."""
    found: dict[int, tuple[int, RegisterWord] | Counter] = {
        register_address(r, word): (r, word) for r in range(REGISTERS) for word in RegisterWord
    }
    return found | {COUNTER_BASE + counter: counter for counter in Counter}


def some_address(rng: random.Random) -> int:
    """Return an address: of a register, near the counters, or any."""
    return rng.choice(
        [
            rng.randrange(8 * (REGISTERS + 2)),
            rng.randrange(8 * REGISTERS),
            COUNTER_BASE + rng.randrange(6),
            rng.getrandbits(CONFIG_ADDRESS_BITS),
        ]
    )


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def answers_agree_with_the_list(dut: Any, case: str) -> None:
    """Requests in nearly every cycle, for this node and others; registers refuse at random."""
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, known = bench.pins[case], board.rng, addresses()
    answer: tuple[int, int, int | Counter] = (0, 0, 0)
    answered = [0, 0, 0, 0]
    await bench.reset()
    for cycle in range(1500):
        valid, write = rng.random() < 0.8, rng.random() < 0.5
        node = INDEX if rng.random() < 0.8 else rng.randrange(16)
        address = some_address(rng)
        contents = [[rng.getrandbits(32) for _ in RegisterWord] for _ in range(REGISTERS)]
        counters = [rng.getrandbits(COUNTER_BITS) for _ in Counter]
        ours = valid and node == INDEX
        at = known.get(address)
        writes, register_refuses = 0, False
        if ours and write and isinstance(at, tuple) and at[1] < RegisterWord.STATUS:
            writes = 1 << at[1]
            register_refuses = rng.random() < 0.3
        error = (not writes or register_refuses) if write else at is None
        stimulus = {
            "index": INDEX,
            "config__valid": valid,
            "config__node": node,
            "config__address": address,
            "config__write": write,
            "config__data": rng.getrandbits(32),
            "refused": register_refuses,
            "contents": contents[at[0]][at[1]] if isinstance(at, tuple) else rng.getrandbits(32),
            "counters": sum(value << COUNTER_BITS * i for i, value in enumerate(counters)),
        }
        # A counter is read a cycle later than asked for.
        shown = counters[answer[2]] if isinstance(answer[2], Counter) else answer[2]
        expected = {
            "write": writes,
            "refused_write": ours and write and error,
            "config__ready": answer[0],
            "config__error": answer[1],
            "config__rdata": shown,
        }
        if ours:
            expected["word"] = address % 8
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        answer = (0, 0, 0)
        if ours:
            answered[2 * write + error] += 1
            data: int | Counter = 0
            if not write and at is not None:
                data = contents[at[0]][at[1]] if isinstance(at, tuple) else at
            answer = (1, int(error), data)
        await bench.edge()
    assert min(answered) > 20, answered
