# amaranth: UnusedElaboratable=no
"""The serial unit against the golden one, in every cycle of a busy life."""

import random
from typing import Any

import pytest
from amaranth.sim import Simulator, SimulatorContext

from syncfabric.models.golden.serial_unit import MOST_STAYS
from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.serial_unit.unit import SerialUnit
from syncfabric.rtl.barrier.unit import observe_bits
from tests.rtl.barrier.bench_unit import NODE, before, driven, network
from tests.rtl.barrier.serial_unit_model import SerialUnitModel
from tests.rtl.barrier.unit_stimuli import UnitStimuli
from tests.rtl.support import SEED, ports

CASES = {
    "plain": network(barrier_unit="serial", barrier_registers=3, data_bits=0),
    "data": network(barrier_unit="serial", barrier_registers=2, data_bits=4),
    "all": network(barrier_unit="serial", barrier_registers=5, data_bits=6, operations="all"),
}
CYCLES = 700


def port(unit: SerialUnit, name: str) -> Any:
    """Return a port by its name as in Verilog."""
    found: Any = unit
    for part in name.split("__"):
        found = getattr(found, part)
    return found.as_value() if hasattr(found, "as_value") else found


@pytest.mark.parametrize("case", list(CASES))
def test_every_cycle_is_the_model_s(case: str) -> None:
    """Groups set up again and again under messages, arrivals, config requests and lost credits."""
    spec = CASES[case]
    unit, rng = SerialUnit(spec), random.Random(f"{case} {SEED}")
    model = SerialUnitModel(spec, NODE)
    stimuli, totals = (
        UnitStimuli(rng, model),
        dict.fromkeys(("releases", "sent", "given up", "in vain"), 0),
    )

    async def bench(sim: SimulatorContext) -> None:
        for cycle in range(CYCLES):
            if cycle % 25 == 0 and not stimuli.requests:
                count = spec.barrier_registers
                stimuli.set_up(rng.randrange(count) if cycle > 300 else cycle // 25 % count)
            inputs, sent = stimuli.inputs(rng.choice([0.05, 0.3])), rng.getrandbits(4)
            if cycle % 350 > 230:  # long enough for a turn to go on
                inputs.credits = 0
            if model.rewritten is not None and rng.random() < 0.7:
                inputs.arrive[model.rewritten] = 0  # refused
            expected, messages = before(model), dict[int, int]()
            stays = model.unit.stays
            totals["in vain"] += any(p in model.unit.served for p in inputs.here)
            model.step(inputs, sent, messages)
            expected["hold"] = sum(1 << p for p in model.hold)
            sent &= sum(1 << p for p in messages)
            idle = {f"{name}_{p}": 0 for p in range(4) for name in ("class", "message")}
            for name, value in (idle | driven(spec, inputs, sent)).items():
                sim.set(port(unit, name), int(value))
            expected |= {
                "take": sum(1 << p for p in model.taken),
                "offer": sum(1 << p for p in messages),
            }
            for p, bits in messages.items():
                expected[f"send_{p}"] = bits
                expected[f"send_class_{p}"] = 1 << spec.layout.sync.unpack(bits)["turn"]
            seen = {name: sim.get(port(unit, name)) for name in expected}
            assert seen == expected, cycle
            stimuli.took(inputs, model.taken)
            totals["releases"] += len(model.release)
            totals["sent"] += sent.bit_count()
            totals["given up"] += stays == MOST_STAYS
            await sim.tick()

    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert totals["releases"] > 10, totals
    assert totals["sent"] > 20, totals
    assert totals["given up"] > 0, totals
    assert totals["in vain"] > 20, totals
    counters = model.unit.counters
    assert min(counters[c] for c in Counter) > 0, counters


def test_ports() -> None:
    spec: MeshSpec = CASES["all"]
    found = ports(SerialUnit(spec))
    assert found["hold"] == ("out", 4)
    assert found["observe"] == ("out", observe_bits(spec))
    assert found["result"] == ("out", 5 * 6)
