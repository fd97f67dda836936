"""What all unit benches share: parts in a harness, pins to drive and read, and a scoreboard."""

import json
import os
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from amaranth import Cat, ClockDomain, Module, Shape, Value
from amaranth.hdl import MemoryData
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator

from syncfabric.sim.assemble.verilog import convert
from syncfabric.sim.simulators import find_simulator
from syncfabric.sim.simulators.base import Design
from tests.cocotb_runs import build_cocotb, run_cocotb
from tests.rtl.quick_engine import QuickEngine

SEED = int(os.environ.get("SEED", "1"))
"""Seed of all random stimuli; set the variable ``SEED`` for others."""


class Harness(wiring.Component):
    """Components side by side under one top, so that one build serves many parameters.

    Parameters
    ----------
    parts : mapping of str to Component
        Port ``p`` of part ``name`` becomes port ``name__p``.
    """

    def __init__(self, parts: Mapping[str, wiring.Component]) -> None:
        self._parts = dict(parts)
        super().__init__({name: Out(part.signature) for name, part in parts.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name, part in self._parts.items():
            m.submodules[name] = part
            wiring.connect(m, part, wiring.flipped(getattr(self, name)))
        return m


def ports(part: wiring.Component) -> dict[str, tuple[str, int]]:
    """Return direction (``in``, ``out``) and width of every port."""
    found = {}
    for path, member, value in part.signature.flatten(part):
        width = len(value.as_value()) if hasattr(value, "as_value") else len(value)
        found["__".join(path)] = ("in" if member.flow == wiring.In else "out", width)
    return found


def run_bench(
    simulator: str, parts: Mapping[str, wiring.Component], bench: str, folder: Path
) -> None:
    """Build a harness, or take it from the cache, and run a cocotb bench on it.

    Raises
    ------
    BenchError
        A test of the bench failed; its message is in the text.
    """
    shapes = {name: ports(part) for name, part in parts.items()}
    source = folder / "harness.v"
    source.write_text(convert(Harness(parts), "harness"))
    tool = find_simulator(simulator)
    built = build_cocotb(tool, Design("harness", [source]))
    env = {"RACK_PORTS": json.dumps(shapes)}
    run_cocotb(tool, built, bench, folder=folder / "run", env=env, seconds=300)


class Panel:
    """The pins of a part in Amaranth's simulator, by name; a field of a view is its name's end.

    A design settles whenever something is driven, so all is driven at once.

    Parameters
    ----------
    part : Component
    """

    def __init__(self, part: wiring.Component) -> None:
        self.part, self.domain = part, ClockDomain("sync")
        self.outputs = [name for name, (flow, _) in ports(part).items() if flow == "out"]
        self._values: dict[str, Value] = {"rst": self.domain.rst}
        self._driven: dict[str, int] = {}

    def value(self, name: str) -> Value:
        """Return a pin, or a part of one."""
        if name not in self._values:
            port: Any = self.part
            for step in name.split("__"):
                port = getattr(port, step)
            self._values[name] = Value.cast(port)
        return self._values[name]

    def drive(self, context: Any, words: Mapping[str, int]) -> None:
        """Drive pins, ``rst`` among them; the others stay."""
        new = {name: word for name, word in words.items() if self._driven.get(name) != word}
        self._driven |= new
        word = at = 0
        for name, value in new.items():
            width = len(self.value(name))
            word |= (int(value) & (1 << width) - 1) << at
            at += width
        if new:
            context.set(Cat(map(self.value, new)), word)

    def read(self, context: Any, names: Iterable[str] | None = None) -> dict[str, int]:
        """Return these pins, or all outputs."""
        names = self.outputs if names is None else names
        return {name: context.get(self.value(name)) for name in names}

    def play(self, bench: Callable[[Any], Awaitable[None]]) -> None:
        """Simulate the part under a bench."""
        whole = Module()
        whole.domains.sync = self.domain
        whole.submodules.part = self.part
        simulate(whole, bench)


def simulate(design: Any, bench: Callable[[Any], Awaitable[None]]) -> None:
    """Run a design under a bench in Amaranth's simulator, with memories in any state at first."""
    rng, made = random.Random(f"{SEED} memories"), MemoryData.__init__

    def any_state(data: MemoryData, *, shape: Any, depth: int, init: Any, **more: Any) -> None:
        words = init or [rng.getrandbits(Shape.cast(shape).width) for _ in range(depth)]
        made(data, shape=shape, depth=depth, init=words, **more)

    with patch.object(MemoryData, "__init__", any_state):
        simulator = Simulator(design, engine=QuickEngine)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def evaluate(part: wiring.Component, cases: Iterable[Mapping[str, int]]) -> list[dict[str, int]]:
    """Return the outputs of a combinational component for each case of its inputs."""
    seen, panel = list[dict[str, int]](), Panel(part)

    async def bench(context: Any) -> None:
        for case in cases:
            panel.drive(context, case)
            seen.append(panel.read(context))

    panel.play(bench)
    return seen


def clocked(part: wiring.Component, cases: Iterable[Mapping[str, int]]) -> list[dict[str, int]]:
    """Return the outputs of a component in each of its first cycles; inputs stay until changed.

    Input ``rst`` resets it.
    """
    seen, panel = list[dict[str, int]](), Panel(part)

    async def bench(context: Any) -> None:
        for case in cases:
            panel.drive(context, case)
            seen.append(panel.read(context))
            await context.tick()

    panel.play(bench)
    return seen


def agree(
    part: wiring.Component,
    cases: Sequence[Mapping[str, int]],
    expected: Sequence[Mapping[str, int]],
) -> None:
    """Compare outputs of a component with what is expected of each cycle, where anything is.

    Raises
    ------
    AssertionError
        Something differs: cycle, all that differs, stimulus and seed.
    """
    rows = zip(cases, expected, clocked(part, cases), strict=True)
    for cycle, (case, wanted, seen) in enumerate(rows):
        wrong = [
            f"{n} = {seen[n]:#x}, not {word:#x}" for n, word in wanted.items() if seen[n] != word
        ]
        assert not wrong, f"cycle {cycle}: {', '.join(wrong)}; stimulus {case}; seed {SEED}"


class Pins:
    """The ports of one part of a harness, as plain numbers; one of no bits reads as 0.

    Parameters
    ----------
    dut : cocotb handle
        The harness.
    part : str
        Name of the part.
    shapes : mapping
        What ``ports`` gave for it.
    """

    def __init__(self, dut: Any, part: str, shapes: Mapping[str, tuple[str, int]]) -> None:
        wires = {name: flow for name, (flow, width) in shapes.items() if width}
        handles = {name: getattr(dut, f"{part}__{name}") for name in wires}
        self._inputs = {name: handles[name] for name in wires if wires[name] == "in"}
        self._outputs = {name: handles[name] for name in wires if wires[name] == "out"}
        self._empty = shapes.keys() - wires.keys()
        self._driven: dict[str, int] = {}

    def clear(self) -> None:
        """Drive every input with 0."""
        self._driven.clear()
        self.drive(dict.fromkeys(self._inputs, 0))

    def shake(self, rng: random.Random) -> None:
        """Drive every input with something."""
        self.drive({name: rng.getrandbits(len(self._inputs[name])) for name in self._inputs})

    def drive(self, values: Mapping[str, int]) -> None:
        """Drive inputs; the others stay."""
        for name, value in values.items():
            if self._driven.get(name) != value and name not in self._empty:
                self._inputs[name].value = self._driven[name] = int(value)

    def read(self, names: Iterable[str]) -> dict[str, int]:
        """Return these outputs, as they are now."""
        outputs, empty = self._outputs, self._empty
        return {name: 0 if name in empty else int(outputs[name].value) for name in names}

    def __contains__(self, name: str) -> bool:
        return name in self._inputs or name in self._outputs

    def __getitem__(self, name: str) -> int:
        return self.read([name])[name]


class Bench:
    """A harness under a simulator: its pins and its clock.

    A cycle begins just after the falling edge: drive, ``settle``, read, and ``edge`` ends it.
    Up to three ``settle`` fit in, so that an input can answer an output of the same cycle.

    Parameters
    ----------
    dut : cocotb handle
        The harness.
    """

    def __init__(self, dut: Any) -> None:
        shapes = json.loads(os.environ["RACK_PORTS"])
        self._dut = dut
        self.pins = {part: Pins(dut, part, shape) for part, shape in shapes.items()}

    async def reset(self, *, shaken: int = 0) -> None:
        """Start the clock, clear all inputs and reset all parts.

        Parameters
        ----------
        shaken : int
            Cycles before the reset, in which every input is random: the reset must undo that.
        """
        from cocotb.clock import Clock

        Clock(self._dut.clk, 10, unit="ns").start()
        self._reset(0)
        for cycle in range(shaken):
            for pins in self.pins.values():
                pins.shake(random.Random(f"{SEED}/{cycle}"))
            await self.edge()
        for pins in self.pins.values():
            pins.clear()
        self._reset(1)
        for _ in range(2):
            await self.edge()
        self._reset(0)

    async def reset_amid(self, rng: random.Random, **fixed: int) -> None:
        """Reset all parts for one cycle, in which inputs but these are random; then clear all."""
        for pins in self.pins.values():
            pins.shake(rng)
            pins.drive(fixed)
        self._reset(1)
        await self.edge()
        self._reset(0)
        for pins in self.pins.values():
            pins.clear()

    def _reset(self, value: int) -> None:
        if hasattr(self._dut, "rst"):  # a flush can take its place
            self._dut.rst.value = value

    async def settle(self) -> None:
        """Wait until what was driven has reached the outputs."""
        from cocotb.triggers import Timer

        await Timer(1, "ns")

    async def edge(self) -> None:
        """End the cycle."""
        from cocotb.triggers import FallingEdge

        await FallingEdge(self._dut.clk)


class Scoreboard:
    """Compares what is seen with what is expected, and says all there is to know of a difference.

    Parameters
    ----------
    name : str
        What is compared.
    seed : int
        Seed of the stimuli.
    """

    def __init__(self, name: str, *, seed: int = SEED) -> None:
        self.name, self.seed, self.compared = name, seed, 0

    @property
    def rng(self) -> random.Random:
        """A new generator that depends on name and seed alone."""
        return random.Random(f"{self.seed}/{self.name}")

    def compare(
        self, cycle: int, *, seen: Mapping[str, int], expected: Mapping[str, int], stimulus: object
    ) -> None:
        """Compare what stands in ``expected``.

        Raises
        ------
        AssertionError
            Something differs: cycle, all that differs, stimulus and seed.
        """
        self.compared += 1
        wrong = [name for name, value in expected.items() if seen[name] != value]
        if wrong:
            both = ", ".join(f"{n} = {seen[n]:#x}, expected {expected[n]:#x}" for n in wrong)
            raise AssertionError(
                f"{self.name}: cycle {cycle}: {both}; stimulus {stimulus}; seed {self.seed}"
            )
