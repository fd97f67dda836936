"""A node interface against its contract: the process's side, the link's, and packets past it."""

from collections import Counter as Tally
from collections import deque
from typing import Any

import cocotb

from syncfabric.models.messages import Counter
from tests.rtl.irregular.specs import network
from tests.rtl.irregular.unit_model import UnitInputs, UnitModel
from tests.rtl.irregular.unit_stimuli import UnitStimuli
from tests.rtl.support import Bench, Scoreboard

CASES = {
    "node": network(barrier_registers=2),
    "node_one_cycle_all": network(
        cycles_per_hop=1, operations="all", channels=2, barrier_registers=1
    ),
    "node_two_channels": network(operations="all", channels=2, buffer_flits=2, barrier_registers=2),
}
TARGET = 3
CYCLES = 1200


class Uplink:
    """The way of messages and flits to the switch: who may go, and flits that wait."""

    def __init__(self, places: int, *, buffered: bool) -> None:
        self.places, self.buffered = places, buffered
        self.held: deque[tuple[int, int]] = deque()
        self.credit, self.sent_last = 1, False

    @property
    def is_open(self) -> bool:
        return self.credit > 0 if self.buffered else not self.sent_last

    def loses(self, flit: tuple[int, int] | None) -> bool:
        """Return whether the flit from the source finds no place."""
        return flit is not None and len(self.held) == self.places

    def out(self, flit: tuple[int, int] | None, *, sync: bool) -> tuple[int, int] | None:
        """Return the flit on the link."""
        if sync:
            return None
        return self.held[0] if self.held else flit

    def step(self, flit: tuple[int, int] | None, *, sync: bool, credit: bool) -> None:
        """End the cycle."""
        lost, empty = self.loses(flit), not self.held
        if not sync and not empty:
            self.held.popleft()
        if flit is not None and not lost and (sync or not empty):
            self.held.append(flit)
        self.credit += credit - sync
        self.sent_last = sync


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def node_agrees_with_contract(dut: Any, case: str) -> None:
    """Arrivals at any time, two in a cycle, messages of all kinds, a source without credits."""
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, UnitModel(spec, node=True)
    stimuli, events, channels = UnitStimuli(rng, model), Tally[str](), spec.channels
    uplink = Uplink(channels * spec.buffer_flits, buffered=spec.buffered)
    await bench.reset()
    for cycle in range(CYCLES):
        if cycle % 40 == 0 and not stimuli.requests:
            stimuli.set_up(cycle // 40 % len(stimuli.groups))
        inputs = stimuli.inputs(rng.choice([0.05, 0.3]))
        flit, down = None, None
        if rng.random() < (0.4 if cycle // 100 % 2 else 0.95):
            flit = 1 << rng.randrange(channels), rng.getrandbits(spec.layout.flit.width)
        if not inputs.links and rng.random() < 0.5:
            down = 1 << rng.randrange(channels), rng.getrandbits(spec.layout.flit.width)
        inputs.opens = {0} if uplink.is_open else set()
        inputs.overflows = uplink.loses(flit)
        sync_credit = spec.buffered and not uplink.credit and rng.random() < 0.4
        credits, back = rng.getrandbits(channels), rng.getrandbits(channels)
        stimulus, expected = _driven(model, inputs), _before(model)
        stimulus |= {
            "local_in__valid": flit[0] if flit else 0,
            "local_in__flit": flit[1] if flit else 0,
            "local_out__credit": back,
            "uplink__credit": credits,
            "downlink__valid": down[0] if down else 0,
            "downlink__sync_valid": 0 in inputs.links,
            "downlink__flit": down[1] if down else 0,
        }
        if 0 in inputs.links:
            stimulus["downlink__flit"] = inputs.links[0].bits(spec)
        if spec.buffered:
            stimulus["uplink__sync_credit"] = sync_credit
            expected["downlink__sync_credit"] = model.inputs[0].credit
        model.step(inputs)
        sync = bool(model.sent)
        out = uplink.out(flit, sync=sync)
        expected |= {
            "uplink__sync_valid": sync,
            "uplink__valid": out[0] if out else 0,
            "uplink__flit": out[1] if out else model.letter.bits(spec),
            "local_in__credit": credits,
            "local_out__valid": down[0] if down else 0,
            "local_out__flit": down[1] if down else 0,
            "downlink__credit": back,
        }
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        events["held"] += bool(uplink.held) and out is not None
        events["sent"] += sync
        events["released"] += sum(register.released for register in model.registers)
        uplink.step(flit, sync=sync, credit=sync_credit)
        await bench.edge()
    assert min(events["held"], events["sent"], events["released"]) > 20, events
    assert min(model.counters[c] for c in Counter) > 5, model.counters


def _driven(model: UnitModel, inputs: UnitInputs) -> dict[str, int]:
    """Return the values of the process's and the config port's pins."""
    bits = model.spec.data_bits
    values: dict[str, int] = {
        "target": TARGET,
        "start": inputs.start,
        "arrive": sum(1 << r for r in inputs.arrive),
        "data": sum(data << r * bits for r, data in inputs.arrive.items()),
        "config__valid": inputs.request is not None,
        "config__node": TARGET,
    }
    if inputs.request is not None:
        names = ("config__address", "config__write", "config__data")
        values |= dict(zip(names, inputs.request, strict=True))
    return values


def _before(model: UnitModel) -> dict[str, int]:
    """Return what must be seen in a cycle whatever its inputs."""
    registers, bits = model.registers, model.spec.data_bits
    expected: dict[str, int] = {
        "released": sum(1 << r for r, register in enumerate(registers) if register.released),
        "result": sum(register.result << r * bits for r, register in enumerate(registers)),
        "ready": sum(
            1 << r for r, register in enumerate(registers) if register.valid and model.started
        ),
        "done": sum(1 << r for r, register in enumerate(registers) if register.done),
        "config__ready": model.answer.ready,
        "config__error": model.answer.error,
        "config__rdata": model.answer.data,
        "observe": model.observed,
    }
    return expected
