"""Whole networks: what is left out of a step changes nothing."""

import random
from collections import Counter
from typing import Any

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.network import Place
from syncfabric.models.layout.words import RouterWord
from tests.models.golden.planes.nets import draw_irregular, draw_mesh, irregular, mesh
from tests.models.golden.planes.network_race import FAULTS, NetworkRace
from tests.models.golden.planes.plain_network import PlainNetwork


def play(seed: int, kind: str, managers: int, cycles: int) -> Counter[str]:
    rng = random.Random(f"{kind} {managers} {seed}")
    race = NetworkRace((draw_mesh if kind == "mesh" else draw_irregular)(rng, managers), rng)
    for _ in range(cycles):
        race.step()
    return race.seen


@pytest.mark.parametrize("managers", [0, 1, 3])
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_it_is_as_if_all_nodes_were_stepped(kind: str, managers: int) -> None:
    seen = sum((play(seed, kind, managers, 500) for seed in range(8)), Counter[str]())
    assert min(seen[what] for what in ("wires", "releases", "guards", "skipped", "put")) > 5


def test_watchdogs_that_visit_often() -> None:
    """Their visits are left out while nothing waits, and never where members are awaited."""
    seen = Counter[str]()
    for seed in range(8):
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


def play_faults(seed: int, kind: str, cycles: int) -> Counter[str]:
    rng = random.Random(f"faults {kind} {seed}")
    draw, keys = (draw_mesh if kind == "mesh" else draw_irregular), {"check_bits": 8}
    shape = draw(rng, seed % 3, **keys)
    race = NetworkRace(shape, rng)
    race.faults = 0.05 if shape.ends or shape.interfaces else 0.0
    for _ in range(cycles):
        race.step()
    return race.seen


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_faults_of_links(kind: str) -> None:
    """What nobody sent, and what never comes: the same whatever is left out of a step."""
    seen = sum((play_faults(seed, kind, 500) for seed in range(9)), Counter[str]())
    assert min(seen[kind.name] for kind in FAULTS) > 1, seen
    assert min(seen[what] for what in ("wires", "releases", "guards", "skipped", "put")) > 5


@pytest.mark.parametrize("link", [2, 4, 99])
def test_only_links_with_guards_have_faults(link: int) -> None:
    for check_bits in (0, 8):
        net = CollectiveNetwork(mesh(2, 1, check_bits=check_bits))
        with pytest.raises(ValueError, match=f"link {link} has no guards"):
            net.inject([Fault(9, link, FaultKind.DROP)])
    net.step()
    with pytest.raises(ValueError, match="cycle 0 is over"):
        net.inject([Fault(0, 0, FaultKind.DROP)])


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize("first", range(100, 300, 10))
def test_it_is_as_if_all_nodes_were_stepped_at_length(kind: str, first: int) -> None:
    for seed in range(first, first + 10):
        play(seed, kind, seed % 5, 3000)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize("first", range(100, 200, 10))
def test_faults_of_links_at_length(kind: str, first: int) -> None:
    for seed in range(first, first + 10):
        play_faults(seed, kind, 2000)
