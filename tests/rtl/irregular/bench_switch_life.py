"""One switch against its contract: any packets, messages, requests, tables, datelines, resets."""

import random
from collections import Counter as Tally
from collections import deque
from typing import Any

import cocotb

from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.bench_switch_story import CASES
from tests.rtl.irregular.packets import packet
from tests.rtl.irregular.switch_model import SwitchInputs, SwitchModel, SwitchPlace
from tests.rtl.irregular.unit_stimuli import UnitStimuli
from tests.rtl.support import Bench, Scoreboard

LIVES, CYCLES = 6, 500


class Life:
    """A switch from one reset to the next, and its neighbours."""

    def __init__(self, rng: random.Random, spec: IrregularSpec) -> None:
        self.rng, self.spec = rng, spec
        ports, layout = range(spec.ports), spec.layout
        self.place = SwitchPlace(
            rng.randrange(spec.switches),
            rng.randrange(layout.nodes + spec.switches),
            tuple(rng.choice([*ports, rng.randrange(8)]) for _ in range(spec.switches)),
            rng.getrandbits(spec.ports),
        )
        self.model = SwitchModel(spec, self.place)
        self.stimuli = UnitStimuli(rng, self.model.unit)
        self.packets = {(p, v): deque[int]() for p in ports for v in range(spec.channels)}
        self.beyond = dict.fromkeys(self.model.credits, 0)  # flits in the neighbours' buffers
        self.paces: tuple[float, ...] = (0.0, 0.0, 0.0)

    def constants(self) -> dict[str, int]:
        """Return the pins that stay."""
        bits = self.spec.layout.port_bits
        return {
            "number": self.place.number,
            "target": self.place.target,
            "routes": sum(code << bits * d for d, code in enumerate(self.place.table)),
            "dateline": self.place.dateline,
        }

    def change(self) -> None:
        """Ask for a new image of a group, and go on at another pace."""
        choices = [0.02, 0.1, 0.4], [0.1, 0.5, 0.9], [0.1, 0.5, 1.0]
        self.paces = tuple(self.rng.choice(pace) for pace in choices)
        if not self.stimuli.requests:
            self.stimuli.set_up(self.rng.randrange(len(self.stimuli.groups)))

    def inputs(self) -> SwitchInputs:
        """Return what comes in a cycle; an overflow is rare."""
        rng, (messages, flits, credits) = self.rng, self.paces
        found = SwitchInputs(self.stimuli.inputs(messages))
        for p in range(self.spec.ports):
            v = rng.randrange(self.spec.channels)
            kept = self.model.has_place(p, v) or rng.random() < 0.03
            if p in found.unit.links or not kept or rng.random() >= flits:
                continue
            left = self.packets[p, v]
            if not left:
                left.extend(packet(rng, self.spec))
            found.flits[p] = v, left[0]
        found.credits = {at for at, n in self.beyond.items() if n and rng.random() < credits}
        return found

    def step(self, inputs: SwitchInputs) -> None:
        """Go through a cycle; a flit that is lost comes again."""
        for p, (v, _) in inputs.flits.items():
            if self.model.has_place(p, v):
                self.packets[p, v].popleft()
        self.model.step(inputs)
        for place in inputs.credits:
            self.beyond[place] -= 1
        for o, (v, _) in self.model.on_links.items():
            self.beyond[o, v] += 1

    def driven(self, inputs: SwitchInputs) -> dict[str, int]:
        """Return the pins' values; for a request to others now and then, if there is none."""
        rng, spec, request = self.rng, self.spec, inputs.unit.request
        values: dict[str, int] = {"config__valid": 0}
        names = ("config__address", "config__write", "config__data")
        if request is not None:
            values = {"config__valid": 1, "config__node": self.place.target}
            values |= dict(zip(names, request, strict=True))
        elif rng.random() < 0.2:
            others = [n for n in range(1 << spec.layout.target_bits) if n != self.place.target]
            values = {"config__valid": 1, "config__node": rng.choice(others), "config__write": 1}
        for p in range(spec.ports):
            v, word = inputs.flits.get(p, (None, rng.getrandbits(spec.layout.flit.width)))
            if p in inputs.unit.links:
                word = inputs.unit.links[p].bits(spec)
            values |= {
                f"in_{p}__valid": 0 if v is None else 1 << v,
                f"in_{p}__sync_valid": p in inputs.unit.links,
                f"in_{p}__flit": word,
                f"out_{p}__credit": sum(1 << v for o, v in inputs.credits if o == p),
            }
        return values

    def before(self) -> dict[str, int]:
        """Return what is seen in a cycle whatever comes."""
        answer, freed = self.model.unit.answer, self.model.freed
        expected: dict[str, int] = {
            "config__ready": answer.ready,
            "config__error": answer.error,
            "config__rdata": answer.data,
            "observe": self.model.unit.observed,
        }
        for p in range(self.spec.ports):
            expected[f"in_{p}__credit"] = 1 << freed[p] if p in freed else 0
        return expected

    def after(self) -> dict[str, int]:
        """Return what is on the links in the cycle that was stepped through."""
        unit, flits, expected = self.model.unit, self.model.on_links, dict[str, int]()
        for p in range(self.spec.ports):
            expected[f"out_{p}__sync_valid"] = p in unit.sent
            expected[f"out_{p}__valid"] = 1 << flits[p][0] if p in flits else 0
            if p in unit.sent:
                expected[f"out_{p}__flit"] = unit.letter.bits(self.spec)
            elif p in flits:
                expected[f"out_{p}__flit"] = flits[p][1]
        return expected


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def it_agrees_with_its_contract(dut: Any, case: str) -> None:
    """Every cycle of several lives, each in another place of a network."""
    bench, board, events = Bench(dut), Scoreboard(case), Tally[str]()
    pins, rng = bench.pins[case], board.rng
    await bench.reset(shaken=20)
    for number in range(LIVES):
        if number:
            await bench.reset_amid(rng)
        life = Life(rng, CASES[case])
        pins.drive(life.constants())
        for cycle in range(CYCLES):
            if cycle % 50 == 0:
                life.change()
            inputs, expected = life.inputs(), life.before()
            life.step(inputs)
            expected |= life.after()
            stimulus = life.driven(inputs)
            pins.drive(stimulus)
            await bench.settle()
            board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
            events["flits"] += len(life.model.on_links)
            events["messages"] += len(life.model.unit.sent)
            await bench.edge()
        counters = life.model.unit.counters
        events["strays"] += counters[Counter.STRAY]
        events["overflows"] += counters[Counter.OVERFLOW]
        events["refused writes"] += counters[Counter.REFUSED_WRITE]
    assert min(events["flits"], events["messages"]) > 300, events
    assert min(events.values()) > 10, events
