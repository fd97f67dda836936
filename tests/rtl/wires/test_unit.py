"""Units of all shapes against the contract's table, in every cycle."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.wires.unit import WireUnit
from tests.rtl.support import SEED, clocked
from tests.rtl.wires.model import UnitModel
from tests.rtl.wires.stimuli import INDEX, live

MESH = MeshSpec(kind="mesh", width=3, height=2)
SWITCHES = IrregularSpec(
    kind="irregular", ports=6, switches=1, links=(), nodes=((0, 0), (0, 1), (0, 2)), setup="local"
)
NODE_PORT = ("released", "ready", "done", "broken")
ROUTER, SWITCH, INTERFACE = (MESH, 4, True), (SWITCHES, 6, False), (SWITCHES, 1, True)
CASES: dict[str, tuple[tuple[MeshSpec | IrregularSpec, int, bool], WirePlane]] = {
    "router": (ROUTER, WirePlane(3, 2)),
    "router without data": (ROUTER, WirePlane(2, 0, watchdog=5)),
    "router with parity": (ROUTER, WirePlane(3, 1, parity=True)),
    "router, long links": (ROUTER, WirePlane(2, 2, link_registers=1, parity=True, watchdog=40)),
    "router, shared wires": (ROUTER, WirePlane(3, 2, shared=True)),
    "router, shared, parity, long": (ROUTER, WirePlane(2, 3, 2, shared=True, parity=True)),
    "router, one slot": (ROUTER, WirePlane(1, 1, link_registers=3)),
    "switch": (SWITCH, WirePlane(2, 2)),
    "switch, shared wires": (SWITCH, WirePlane(2, 1, 1, shared=True)),
    "switch with parity": (SWITCH, WirePlane(2, 0, parity=True, watchdog=9)),
    "interface": (INTERFACE, WirePlane(3, 2, watchdog=7)),
    "interface, shared wires": (INTERFACE, WirePlane(3, 2, shared=True, parity=True)),
    "interface, long link": (INTERFACE, WirePlane(2, 0, link_registers=2, watchdog=2)),
}


def play(
    case: str, calm: int, ends: Sequence[int]
) -> tuple[list[dict[str, int]], list[dict[str, int]], Counter[str]]:
    """Return a unit's inputs, what it must show, and how often what happened.

    At each of ``ends`` it is reset, amid whatever goes on.
    """
    (_, links, process), plane = CASES[case]
    model = UnitModel(plane, links, process=process)
    rng = random.Random(f"{SEED}/{case}")
    inputs, expected, seen = [], [], Counter[str]()
    for begin, end in pairwise((0, *ends)):
        for cycle in live(model, rng, calm - begin, end - begin):
            inputs.append(cycle.inputs(plane, process=process) | {"index": INDEX, "rst": 0})
            expected.append(shown(model))
            for slot in model.slots:
                seen["down"] += slot.dn
                seen["whole"] += slot.released and not slot.broken
                seen["broken"] += slot.released and slot.broken
                seen["fault"] += slot.fault
            seen["refused"] += model.answer[1]
            if len(inputs) <= calm:
                seen["stray"] = max(seen["stray"], model.counters[1])
            model.step(cycle.links, cycle.arrive, cycle.data, cycle.asked, cycle.beside)
        # In that cycle all inputs are anything, but for the config port: its memory has no reset.
        quiet = {"config__valid": 0, "index": INDEX, "rst": 1}
        inputs.append({name: rng.getrandbits(64) for name in inputs[-1]} | quiet)
        expected.append({})
        model = model.reset()
    return inputs, expected, seen


def shown(model: UnitModel) -> dict[str, int]:
    """Return a unit's outputs."""
    plane, bits = model.plane, model.plane.data_bits
    out = {"observe": model.observe()}
    out |= dict(zip(("config__ready", "config__error", "config__rdata"), model.answer, strict=True))
    for p in range(model.links):
        out[f"out_{p}"] = model.drives(p).word(plane)
    if model.process:
        for name in NODE_PORT:
            values = [
                model.ready(r) if name == "ready" else getattr(slot, name)
                for r, slot in enumerate(model.slots)
            ]
            out[name] = sum(int(value) << r for r, value in enumerate(values))
        out["result"] = sum(slot.result << bits * r for r, slot in enumerate(model.slots))
    return out


@pytest.mark.parametrize("case", CASES)
def test_every_cycle(case: str) -> None:
    (network, links, process), plane = CASES[case]
    inputs, expected, happened = play(case, 300, (300, 500, 600))
    unit = WireUnit(network, plane, links, process=process)
    for cycle, (shown, right) in enumerate(zip(clocked(unit, inputs), expected, strict=True)):
        wrong = {n: (shown[n], right[n]) for n in right if shown[n] != right[n]}
        assert not wrong, f"cycle {cycle}: seen, expected {wrong}; {inputs[cycle]}; seed {SEED}"
    assert happened["down"] > 5, happened
    assert happened["refused"] > 5, happened
    assert happened["fault"] or plane.slots == 1 or not process, happened
    assert happened["whole"] or not process, happened
    assert happened["broken"] or not process, happened
    # Wires that are as they should be are never bad.
    assert not happened["stray"] or plane.watchdog, happened
