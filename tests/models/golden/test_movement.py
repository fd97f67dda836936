"""Whole networks: what is left out of a step changes nothing; faults are in test_wiring."""

import random
from collections import Counter
from typing import Any

import pytest

from syncfabric.models.golden.network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.network import Place
from syncfabric.models.layout.words import RouterWord
from tests.models.golden.planes.nets import draw_irregular, draw_mesh, irregular, mesh
from tests.models.golden.planes.network_race import NetworkRace
from tests.models.golden.planes.plain_network import PlainNetwork
from tests.nightly import nightly_but


def play(seed: int, kind: str, managers: int, cycles: int) -> Counter[str]:
    rng = random.Random(f"{kind} {managers} {seed}")
    race = NetworkRace((draw_mesh if kind == "mesh" else draw_irregular)(rng, managers), rng)
    for _ in range(cycles):
        race.step()
    return race.seen


@pytest.mark.parametrize("managers", nightly_but([0, 1], [0, 1, 3]))
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_it_is_as_if_all_nodes_were_stepped(kind: str, managers: int) -> None:
    seeds = range(4 + 2 * managers)
    seen = sum((play(seed, kind, managers, 500) for seed in seeds), Counter[str]())
    assert min(seen[what] for what in ("wires", "releases", "guards", "skipped", "put")) > 5


def test_watchdogs_that_visit_often() -> None:
    """Their visits are left out while nothing waits, and never where members are awaited."""
    seen = Counter[str]()
    for seed in range(4):
        rng = random.Random(seed)
        keys: dict[str, Any] = {
            "watchdog": rng.choice((17, 18, 31)),
            "groups": rng.choice((2, 4, 16)),
        }
        race = NetworkRace(mesh(rng.randint(1, 3), 2, engine_stages=rng.randint(1, 3), **keys), rng)
        race.eager = 0.02
        for _ in range(700):
            race.step()
        seen += race.seen
    assert min(seen[what] for what in ("wires", "releases", "skipped")) > 20, seen


@pytest.mark.parametrize("registers", [0, 2])
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_guards_at_rest_ask_for_what_is_lost(kind: str, registers: int) -> None:
    """A link is closed, and opened when a packet has been lost on it: nothing else moves then."""
    keys: dict[str, Any] = {"check_bits": 8, "link_registers": registers, "buffer_flits": 2}
    links: list[tuple[Place, Place]] = [((0, 0), (1, 1))]
    row = irregular(links, [(0, 2), (1, 2)], 3, **keys)
    shape = mesh(2, 1, **keys) if kind == "mesh" else row
    net, plain = CollectiveNetwork(shape), PlainNetwork(shape)
    probes = empties = 0

    def run(cycles: int, config: ConfigRequest | None = None) -> None:
        nonlocal probes, empties
        for _ in range(cycles):
            idle = net.idle_until() != net.cycle
            record = net.step(config=config)
            assert record == plain.step(config=config)
            assert record is None or not idle
            config = None
            for _, guards in record.guards if record else ():
                probes += guards.probe > 0
                empties += guards.empty > 0

    port = 2 if kind == "mesh" else 1
    fence = ConfigRequest(shape.target_of(1), 32 + RouterWord.FENCE, True, 1 << port)
    run(60)
    run(60, fence)
    for each in (net, plain):
        each.put(0, [shape.header_of(shape.nodes[1]), 5, 6, 7])
    run(20)
    run(300, ConfigRequest(fence.node, fence.address, True, 0))
    assert probes > 0
    assert empties > 0
    assert net.idle_until() is None
    assert net.nodes[0].words.counter(RouterWord.LOST) > 0


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(n, marks=pytest.mark.campaign if n % 50 else pytest.mark.nightly)
        for n in range(100, 300, 10)
    ],
)
def test_it_is_as_if_all_nodes_were_stepped_at_length(kind: str, first: int) -> None:
    for seed in range(first, first + 10):
        play(seed, kind, seed % 5, 3000)
