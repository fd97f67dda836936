"""In every cycle the model of the router agrees with a reference model of the contract."""

import random
from collections import Counter
from dataclasses import astuple

import pytest

from syncfabric.models.golden.router import Flit
from tests.models.golden import reference_router
from tests.models.golden.reference_router import ReferenceRouter
from tests.models.golden.router_stimuli import RouterStimuli, draw_router


def play(seed: int, kind: str, cycles: int) -> Counter[str]:
    rng = random.Random(f"{kind} {seed}")
    build = draw_router(rng, kind)
    stimuli = RouterStimuli(build, rng)
    dimensions: dict[int, int] = {}
    minimal = None
    if kind in ("dimension", "adaptive"):
        grid = build.grid
        port_pairs = reference_router.port_pairs(grid.sides, grid.pairs)
        dimensions = {port: d for d, ports in enumerate(port_pairs) for port in ports}
        setup = build.ordinary if build.datelines and build.ordinary else build.channels
        shape = grid.sides, grid.wraps, grid.pairs
        rest = *shape, build.place, build.ports, build.own
        rule = reference_router.dimension(*rest, setup)
        if kind == "adaptive":
            minimal = reference_router.Minimal(*rest, setup, build.escapes)
            rule = minimal.first
    elif kind == "table":
        rule = reference_router.table(build.ports, build.number, build.routes)
    else:
        rule = reference_router.source(build.ports)
    sizes = build.ports, build.channels, build.buffer_flits
    lines = build.datelines, build.ordinary, dimensions
    rules = rule, build.pairs, build.output_register
    reference = ReferenceRouter(*sizes, *rules, *lines, minimal=minimal)
    for cycle in range(cycles):
        inputs = stimuli.inputs()
        words = {i: astuple(flit)[:4] for i, flit in inputs.flits.items()}
        expected = reference.cycle(words, inputs.credits, inputs.messages)
        got = stimuli.step(inputs)
        links = {o: astuple(x)[:4] if isinstance(x, Flit) else x for o, x in got.links.items()}
        seen = {"links": links, "credits": got.credits, "dropped": got.dropped}
        seen["late"] = stimuli.router.late
        assert seen == expected, f"cycle {cycle}: {build}"
    return stimuli.seen


@pytest.mark.parametrize("kind", ["dimension", "adaptive", "table", "source"])
def test_model_agrees_with_the_reference(kind: str) -> None:
    seen = sum((play(seed, kind, 150) for seed in range(40)), Counter[str]())
    assert min(seen[what] for what in ("head", "body", "tail", "message", "dropped")) > 100
    assert kind != "adaptive" or min(seen["adapted"], seen["escaped"]) > 100


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["dimension", "adaptive", "table", "source"])
@pytest.mark.parametrize("first", range(100, 400, 20))
def test_model_agrees_with_the_reference_at_length(kind: str, first: int) -> None:
    for seed in range(first, first + 20):
        play(seed, kind, 1000)
