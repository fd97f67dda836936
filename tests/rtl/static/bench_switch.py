"""The switch against its contract: lock step, credits, strobe and flush under traffic, overflow."""

import random
from typing import Any

import cocotb

from syncfabric.models.networks.spec import StaticSpec
from tests.models.golden.static_plans import network_of, with_places
from tests.rtl.static.switch_model import SwitchModel
from tests.rtl.support import Bench, Scoreboard

CASES = {
    f"switch_{w}_{b}_{o}": StaticSpec(
        kind="static",
        width=2,
        height=2,
        flit_bits=3,
        switch_buffer=w,
        core_buffer=b,
        injection_buffer=o,
    )
    for w, b, o in ((1, 2, 3), (2, 1, 2), (3, 4, 1))
} | {
    "graph_own": network_of('topology = "hypercube-8"', flit_bits=3),
    "graph_outside": network_of('topology = "fat-tree-3x2"', flit_bits=3, **with_places((1, 1, 1))),
}
"""Those of graphs can turn back; the last has its nodes at the lowest and the highest port."""
NODES = {"graph_outside": {0, 5}}
PHASE = 120


def images(rng: random.Random, before: list[int], width: int) -> list[int]:
    """Return bits for the chain, in its order: some outputs as before, at most one select each."""
    bits = []
    for first in range(0, len(before), width):
        chosen, flush = [0] * (width - 1), int(rng.random() < 0.4)
        if rng.random() < 0.3:
            chosen, flush = before[first : first + width - 1], 0
        elif rng.random() < 0.9:
            chosen[rng.randrange(width - 1)] = 1
        bits += [*chosen, flush]
    return bits


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def it_does_what_the_contract_says(dut: Any, case: str) -> None:
    """All inputs and outputs busy or slow; routes are loaded and strobed all the time."""
    spec, bench, board = CASES[case], Bench(dut), Scoreboard(case)
    pins, rng = bench.pins[case], board.rng
    outside, links = NODES.get(case, set()), len(spec.layout.links)
    names = [f"port_{port}" for port in range(links)] + ["core"] * spec.graph.own
    if spec.graph.columns:
        names = ["east", "north", "west", "south", "core"]
    places = [spec.switch_buffer] * links + [spec.injection_buffer] * spec.graph.own
    beyond = [spec.switch_buffer] * links + [spec.core_buffer] * spec.graph.own
    nodes = {links} if spec.graph.own else outside
    model = SwitchModel(places, beyond, names, not spec.graph.columns, nodes)
    ports = model.ports
    away = [0] * len(ports)  # flits in the buffers beyond, whose credits come later
    bits, multicast, flushes, overflows, turned = [0] * model.bits, 0, 0, 0, 0
    slow = [0.5] * len(ports)
    await bench.reset(shaken=50)
    # What flushes a link is high in reset, but here the neighbours are only wires.
    pins.drive({f"{name}_in__flush": 1 for name in names[:links]})
    if outside:
        pins.drive({"node_ports": sum(1 << port for port in outside)})
    await bench.edge()
    for cycle in range(20 * PHASE):
        phase = cycle % PHASE
        if phase == 0:
            bits, slow = (
                images(rng, bits, model.width),
                [rng.choice((0.0, 0.3, 0.9)) for _ in ports],
            )
            load, careless = rng.choice((0.3, 1.0)), cycle // PHASE % 10 == 5
        shift, strobe = phase < model.bits, phase == model.bits
        bit = bits[model.bits - 1 - phase] if shift else rng.getrandbits(1)
        flushed = {i for i in range(links) if rng.random() < 0.01}
        arriving = {
            i: rng.getrandbits(3)
            for i in ports
            if rng.random() < load and (careless or len(model.queues[i]) < places[i])
        }
        credits = {o for o in ports if away[o] and rng.random() >= slow[o]}
        drive = {"route__shift": shift, "route__strobe": strobe, "route_in": bit}
        for port, name in enumerate(names):
            drive[f"{name}_in__valid"] = port in arriving
            drive[f"{name}_in__flit"] = arriving.get(port, rng.getrandbits(3))
            drive[f"{name}_out__credit"] = port in credits
            if port < links:
                drive[f"{name}_in__flush"] = port in flushed
        expected = model.outputs([int(i in arriving) for i in ports])
        pins.drive(drive)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=drive)
        moving = model.moving()
        overflows += expected["overflow"] > 0
        multicast += any(model.select.count(i) > 1 for i in moving)
        turned += any(source == o for o, source in enumerate(model.select) if source in moving)
        flushes += len(model.flush)
        for o in ports:
            away[o] += (model.select[o] in moving) - (o in credits)
            if o in model.flush:
                away[o] = 0
        model.edge(arriving, credits, flushed, bit if shift else None, strobe)
        await bench.edge()
    assert min(multicast, flushes, overflows) > 10, (multicast, flushes, overflows)
    assert (turned > 10) == (not spec.graph.columns), turned
