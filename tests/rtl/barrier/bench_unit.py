"""The barrier unit against the golden one: everything that it takes, sends, releases, answers."""

from typing import Any

import cocotb

from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.barrier.unit_model import UnitInputs, UnitModel
from tests.rtl.barrier.unit_stimuli import UnitStimuli
from tests.rtl.support import Bench, Scoreboard

NODE = 4
CYCLES, RESETS = 1500, range(140, 600, 97)
"""And when there is a reset, in the middle of whatever groups do."""


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=3, height=3, **options)


CASES = {
    "pipelined": network(barrier_registers=2),
    "direct_serial": network(
        barrier_registers=2, barrier_pipeline=0, operations="all", data_bits=6
    ),
}


def driven(spec: MeshSpec, inputs: UnitInputs, sent: int) -> dict[str, int]:
    """Return the pins' values for a cycle."""
    values: dict[str, int] = {
        "x": NODE % 3,
        "y": NODE // 3,
        "index": NODE,
        "start": inputs.start,
        "here": sum(1 << port for port in inputs.here),
        "sent": sent,
        "has_credit": inputs.credits,
        "overflows": inputs.overflows,
        "arrive": sum(1 << r for r in inputs.arrive),
        "data": sum(data << r * spec.data_bits for r, data in inputs.arrive.items()),
        "config__valid": inputs.request is not None,
        "config__node": NODE,
    }
    for port, message in inputs.here.items():
        values |= {f"class_{port}": 1 << message.turn, f"message_{port}": message.raw}
    if inputs.request is not None:
        names = ("config__address", "config__write", "config__data")
        values |= dict(zip(names, inputs.request, strict=True))
    return values


def before(model: UnitModel) -> dict[str, int]:
    """Return what must be seen in a cycle whatever its inputs."""
    registers, bits = model.unit.registers, model.spec.data_bits
    expected: dict[str, int] = {
        "released": sum(1 << r for r, _ in model.release),
        "result": sum(register.result << r * bits for r, register in enumerate(registers)),
        "ready": sum(
            (register.valid and model.started and not register.relay) << r
            for r, register in enumerate(registers)
        ),
        "done": sum(register.done << r for r, register in enumerate(registers)),
        "config__ready": model.answer[0],
        "config__error": model.answer[1],
        "config__rdata": model.answer[2],
        "observe": model.unit.observe(),
    }
    return expected


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def unit_agrees_with_golden_unit(dut: Any, case: str) -> None:
    """Groups set up again and again under messages, arrivals, config requests, lost credits."""
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, UnitModel(spec, NODE)
    stimuli, numbers = UnitStimuli(rng, model), spec.barrier_registers
    releases = sent_messages = 0
    await bench.reset(shaken=50)
    for cycle in range(CYCLES):
        if cycle in RESETS:
            await bench.reset_amid(rng, config__valid=0)
            model = model.reset()
            stimuli = UnitStimuli(rng, model)
            for register in range(spec.barrier_registers):
                stimuli.set_up(register, after_reset=True)
        if cycle % 25 == 0 and not stimuli.requests:
            stimuli.set_up(rng.randrange(numbers) if cycle > 400 else cycle // 25 % numbers)
        inputs, sent = stimuli.inputs(rng.choice([0.05, 0.3])), rng.getrandbits(4)
        expected, messages = before(model), dict[int, int]()
        model.step(inputs, sent, messages)
        sent &= sum(1 << port for port in messages)
        stimulus = driven(spec, inputs, sent)
        pins.drive(stimulus)
        await bench.settle()
        expected |= {
            "take": sum(1 << port for port in model.taken),
            "offer": sum(1 << port for port in messages),
        }
        for port, bits in messages.items():
            expected[f"send_{port}"] = bits
            expected[f"send_class_{port}"] = 1 << spec.layout.sync.unpack(bits)["turn"]
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        stimuli.took(inputs, model.taken)
        releases += len(model.release)
        sent_messages += sent.bit_count()
        await bench.edge()
    assert releases > 10
    assert sent_messages > 40
    counters = model.unit.counters
    assert min(counters[c] for c in Counter) > 0, counters
