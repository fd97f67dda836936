"""The synchronization input: what it presents, to whom, and its slot's credit."""

from typing import Any

import cocotb

from tests.rtl.irregular.specs import network
from tests.rtl.irregular.sync_model import Message, SyncModel
from tests.rtl.support import Bench, Scoreboard

REGISTERS = 3
CASES = {
    "input_on_the_link": (network(barrier_registers=REGISTERS), 1),
    "input_after_the_link": (network(barrier_registers=REGISTERS), 2),
    "input_slot_one_cycle": (network(barrier_registers=REGISTERS, operations="all"), 1),
    "input_slot_two_cycles": (network(barrier_registers=REGISTERS, operations="all"), 2),
}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def messages_find_their_register(dut: Any, case: str) -> None:
    """Few GIDs and epochs, registers that come and go; a sender that does not wait for credits."""
    spec, cycles = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng = bench.pins[case], board.rng
    model = SyncModel(buffered=spec.buffered, cycles=cycles)
    names: list[tuple[int, int] | None] = [None] * REGISTERS
    matches = strangers = lost = waits = 0
    await bench.reset()
    for cycle in range(900):
        if rng.random() < 0.4:
            new = (10 * rng.randrange(1, 4), rng.randrange(4))
            names[rng.randrange(REGISTERS)] = new if rng.random() < 0.8 else None
        link = None
        if rng.random() < 0.6:
            gid, epoch = rng.choice([n for n in names if n] or [(7, 0)])
            if rng.random() < 0.4:
                gid, epoch = rng.choice([(gid, epoch ^ 1), (gid, epoch ^ 2), (gid ^ 128, epoch)])
            link = Message(rng.randrange(4), gid, epoch, rng.getrandbits(spec.data_bits))
        shown = model.presented(link)
        match = model.match(link, names)
        take = shown is not None and rng.random() < 0.6
        shows = [name or (rng.randrange(256), rng.randrange(4)) for name in names]
        stimulus: dict[str, int] = {
            "push": link is not None,
            "message": 0 if link is None else link.bits(spec),
            "gids": sum(gid << 8 * r for r, (gid, _) in enumerate(shows)),
            "epochs": sum(epoch << 2 * r for r, (_, epoch) in enumerate(shows)),
            "open": sum(1 << r for r, name in enumerate(names) if name),
        }
        expected: dict[str, int] = {
            "present": shown is not None,
            "match": sum(1 << r for r in match),
        }
        if shown is not None:
            expected["presented"] = shown.bits(spec)
        if spec.buffered:
            stimulus["take"] = take
            expected |= {"credit": model.credit, "overflow": model.overflows(link)}
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        matches += bool(match)
        strangers += shown is not None and not match
        lost += model.overflows(link)
        waits += shown is not None and not take
        model.step(link, names, taken=take)
        await bench.edge()
    assert min(matches, strangers, waits) > 50, (matches, strangers, waits)
    assert lost > 20 or not spec.buffered, lost
