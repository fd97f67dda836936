"""Golden models in lock-step as tests of a mutant."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.mutation.netlist.benches import Play
from tests.mutation.netlist.device import Device
from tests.rtl.engine.lockstep import differences
from tests.rtl.planes.lockstep import Lockstep

NAMES = 4
"""How often a bench with random stimuli is played, under names of its own, which seed it."""
CYCLES = 3000
"""Of a play in lock-step."""


def lockstep(make: Callable[[random.Random], Lockstep]) -> Callable[[], list[Play]]:
    def play(number: int, device: Device) -> None:
        model = make(random.Random(number))
        for cycle in range(CYCLES):
            if cycle % (CYCLES // 2) == 0:
                device.reset()
                model.reset()
            driven, expected = model.step()
            for name in driven.keys() & device.ports.keys():
                device.set(name, driven[name])
            seen = {name: device.get(name) for name in expected.keys() & device.ports.keys()}
            assert not differences({name: expected[name] for name in seen}, seen)
            device.edge()

    return lambda: [partial(play, number) for number in range(NAMES)]


def among(make: Callable[[random.Random], Any]) -> Callable[[], list[Play]]:
    """Return plays of a lock-step that compares for itself."""

    def play(number: int, device: Device) -> None:
        model = make(random.Random(number))
        device.reset()
        shown = [name for name, (flow, _) in device.ports.items() if flow == "out"]
        for _ in range(CYCLES):
            pins, outputs = model.step()
            for name in pins.keys() & device.ports.keys():
                device.set(name, pins[name])
            assert not model.differences(outputs, {name: device.get(name) for name in shown})
            device.edge()

    return lambda: [partial(play, number) for number in range(NAMES)]
