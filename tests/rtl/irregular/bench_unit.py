"""The barrier unit of a switch against its contract: what it sends, frees, answers, counts."""

from collections import Counter as Tally
from collections import deque
from typing import Any

import cocotb

from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.specs import network
from tests.rtl.irregular.unit_model import UnitInputs, UnitModel
from tests.rtl.irregular.unit_stimuli import UnitStimuli
from tests.rtl.support import Bench, Scoreboard

CASES = {
    "unit_two_cycles": network(barrier_registers=2),
    "unit_one_cycle": network(ports=4, cycles_per_hop=1, barrier_registers=1),
    "unit_serial": network(ports=4, cycles_per_hop=1, operations="all", barrier_registers=2),
    "unit_serial_two_cycles": network(ports=4, operations="all", barrier_registers=2),
}
TARGET = 7
CYCLES, RESETS = 1100, range(27, 150, 31)
"""And from when on there is a reset as soon as a write is looked at."""


def driven(spec: IrregularSpec, inputs: UnitInputs) -> dict[str, int]:
    """Return the pins' values for a cycle."""
    values: dict[str, int] = {
        "index": TARGET,
        "open": sum(1 << p for p in inputs.opens),
        "overflows": inputs.overflows,
        "strays": inputs.strays,
        "config__valid": inputs.request is not None,
        "config__node": TARGET,
    }
    for p in range(spec.ports):
        values[f"push_{p}"] = p in inputs.links
        if p in inputs.links:
            values[f"message_{p}"] = inputs.links[p].bits(spec)
    if inputs.request is not None:
        names = ("config__address", "config__write", "config__data")
        values |= dict(zip(names, inputs.request, strict=True))
    return values


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def unit_agrees_with_contract(dut: Any, case: str) -> None:
    """Groups set up again and again under messages and requests, and resets."""
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, UnitModel(spec, node=False)
    stimuli, events = UnitStimuli(rng, model), Tally[str]()
    resets, writes = deque(RESETS), False
    await bench.reset(shaken=50)
    for cycle in range(CYCLES):
        if writes and resets and cycle >= resets[0]:
            resets.popleft()
            await bench.reset_amid(rng)
            model = UnitModel(spec, node=False)
            stimuli = UnitStimuli(rng, model)
        if cycle % 25 == 0 and not stimuli.requests:
            stimuli.set_up(cycle // 25 % len(stimuli.groups))
        inputs = stimuli.inputs(rng.choice([0.05, 0.3, 0.6]))
        inputs.opens = {p for p in range(spec.ports) if rng.random() < 0.6}
        inputs.overflows = rng.randrange(spec.ports + 1) if rng.random() < 0.02 else 0
        inputs.strays = rng.random() < 0.05
        stimulus = driven(spec, inputs)
        if inputs.request is None and rng.random() < 0.2:  # somebody else is asked
            other = rng.choice([n for n in range(1 << spec.layout.target_bits) if n != TARGET])
            stimulus |= {"config__valid": 1, "config__node": other, "config__write": 1}
        expected: dict[str, int] = {
            "config__ready": model.answer.ready,
            "config__error": model.answer.error,
            "config__rdata": model.answer.data,
            "observe": model.observed,
        }
        if spec.buffered:
            credit = sum(1 << p for p, source in enumerate(model.inputs) if source.credit)
            expected["credit"] = credit
        model.step(inputs)
        expected |= {"send": sum(1 << p for p in model.sent), "message": model.letter.bits(spec)}
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        events["sent"] += len(model.sent)
        events["several sent"] += len(model.sent) > 1
        events["refused"] += expected["config__error"]
        writes = inputs.request is not None and inputs.request[1]
        await bench.edge()
    counters = model.counters
    assert not resets
    assert min(events["sent"], events["several sent"], events["refused"]) > 20, events
    assert not counters[Counter.REFUSED_ARRIVE]
    assert min(counters[c] for c in Counter if c != Counter.REFUSED_ARRIVE) > 5, counters
