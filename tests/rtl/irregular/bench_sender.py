"""The sender against a hand that goes round the registers."""

from typing import Any

import cocotb

from syncfabric.models.messages import Kind
from tests.rtl.irregular.specs import network
from tests.rtl.irregular.sync_model import Message
from tests.rtl.support import Bench, Scoreboard

SPEC = network(data_bits=9)
CASES = {"sender_one": (1, 1), "sender_of_a_node": (1, 3), "sender_of_a_switch": (5, 4)}
"""Outputs and registers."""


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def one_register_sends_all_that_it_can(dut: Any, case: str) -> None:
    """All its messages to open outputs, the same to all of them."""
    outputs, sources = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, pointer = bench.pins[case], board.rng, 0
    several, sent_by = 0, [0] * sources
    await bench.reset()
    for cycle in range(600):
        opens = rng.getrandbits(outputs)
        stimulus: dict[str, int] = {"open": opens}
        sends: dict[int, tuple[int, Message]] = {}
        for i in range(sources):
            words = Message(0, rng.randrange(256), rng.randrange(4), rng.getrandbits(9))
            up = rng.random() < 0.3
            children = 0 if up else rng.getrandbits(outputs) & rng.getrandbits(outputs)
            parent = 1 << rng.randrange(outputs) if up else 0
            kinds = Kind(rng.randrange(4)), Kind(rng.randrange(4))
            stimulus |= {
                f"source_{i}__children": children,
                f"source_{i}__parent": parent,
                f"source_{i}__wave": kinds[0],
                f"source_{i}__up_kind": kinds[1],
                f"source_{i}__gid": words.gid,
                f"source_{i}__epoch": words.epoch,
                f"source_{i}__data": words.data,
            }
            able = (children | parent) & opens
            if able:
                sends[i] = able, words._replace(kind=kinds[up])
        chosen = next((i % sources for i in range(pointer, 2 * sources) if i % sources in sends), 0)
        send, message = sends.get(chosen, (0, Message(0, 0, 0, 0)))
        expected = {"send": send, "message": message.bits(SPEC)}
        for i in range(sources):
            expected[f"source_{i}__sent"] = send if i == chosen else 0
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if sends:
            pointer = (chosen + 1) % sources
            sent_by[chosen] += 1
        several += send.bit_count() > 1
        await bench.edge()
    assert min(sent_by) > 50, sent_by
    assert several > 50 or outputs == 1
