"""Whole networks under faults: no false release, nobody waits for ever, no channel is stuck."""

import random
from collections import Counter
from typing import Any

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE, LinkCounter
from syncfabric.models.networks.spec import MeshSpec
from tests.models.golden import irregular_bench
from tests.models.golden.faulty_run import (
    H,
    Run,
    faults_of,
    guarded_links,
    irregular_run,
    mesh_run,
)

MESHES: list[dict[str, Any]] = [
    {"buffer_flits": 2},
    {"sync_links": "own", "channels": 2, "barrier_pipeline": 0, "buffer_flits": 3},
    {"operations": "all"},
    {"channels": 0},
]
IRREGULAR: list[dict[str, Any]] = [
    {"buffer_flits": 2},
    {"cycles_per_hop": 1, "turnaround": "node"},
    {"operations": "all", "channels": 2, "buffer_flits": 2},
]


def rate_of(run: Run) -> float:
    return 0.3 if run.model.network.channels else 0.0


def campaign(run: Run, rng: random.Random, faults: int) -> Counter[str]:
    """Let faults come at random while groups and packets go; return what became of barriers."""
    begin = run.model.cycle + 5
    planned = faults_of(rng, run, (rng.randrange(begin, begin + 240) for _ in range(faults)))
    run.model.inject(planned)
    run.go(rng, 260, rate=rate_of(run))
    run.drain()
    return run.judge.outcome


def counted(run: Run, counter: LinkCounter) -> int:
    places = range(len(run.model._places))
    return sum(run.model._places[place].unit.counters[counter] for place in places)


@pytest.mark.parametrize("options", MESHES, ids=str)
def test_random_faults_of_a_mesh(options: dict[str, Any]) -> None:
    rng = random.Random(str(options))
    outcome: Counter[str] = Counter()
    events = 0
    for faults in (1, 20):
        run = mesh_run(rng, 3, 3, 2, **options)
        outcome += campaign(run, rng, faults)
        events += counted(run, LinkCounter.CORRUPT) + counted(run, LinkCounter.LOST)
    assert outcome["released"] > 15
    assert events


@pytest.mark.parametrize("options", IRREGULAR, ids=str)
def test_random_faults_of_an_irregular_network(options: dict[str, Any]) -> None:
    rng = random.Random(str(options))
    outcome: Counter[str] = Counter()
    for faults in (1, 20):
        network = irregular_bench.line(3, check_bits=8, watchdog=H, **options)
        outcome += campaign(irregular_run(rng, network, 2), rng, faults)
    assert outcome["released"] > 15


@pytest.mark.long
@pytest.mark.parametrize("options", [*MESHES, *IRREGULAR], ids=str)
def test_many_random_faults(options: dict[str, Any]) -> None:
    rng = random.Random(f"many {options}")
    outcome: Counter[str] = Counter()
    for _ in range(60):
        faults = rng.choice([1, 1, 2, 8])
        if options in MESHES:
            run = mesh_run(rng, 4, 3, 3, **options)
        else:
            network = irregular_bench.random_network(rng, check_bits=8, watchdog=H, **options)
            run = irregular_run(rng, network, 2)
            if not guarded_links(run.model):
                continue
        outcome += campaign(run, rng, faults)
    assert outcome["released"] > 1000
    assert outcome["broken"] > 20


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_dead_links_and_a_dead_node(kind: str) -> None:
    """All links of a place die, and its process is silent: the others are told, in time."""
    rng = random.Random(kind)
    for place in (1, 4):
        if kind == "mesh":
            run = mesh_run(rng, 3, 2, 3)
        else:
            network = irregular_bench.line(3, check_bits=8, watchdog=H)
            run = irregular_run(rng, network, 3)
            place += len(network.nodes) if place == 1 else 0
        model = run.model
        dies = model.cycle + 60
        ends = {link: model.ends(link) or () for link in guarded_links(model)}
        model.inject(
            Fault(dies, link, FaultKind.DEAD) for link, both in ends.items() if place in both
        )
        run.silent = {place}
        run.go(rng, 300, rate=0.0)
        assert run.judge.outcome["broken"]


def test_what_is_wrong_is_counted_where_it_comes_and_what_is_lost_where_it_came_from() -> None:
    network = MeshSpec(kind="mesh", width=2, height=1, check_bits=8)
    model = model_of(network)
    model.put(0, [1, 2, 3])
    east = 0
    while (record := model.step()) is None or not record.valid >> east & 1:
        pass
    model.inject([Fault(model.cycle, east, FaultKind.FLIP, 0b1001)])
    for _ in range(400):
        model.step()

    def ask(node: int, counter: LinkCounter) -> int:
        model.step(config=ConfigRequest(node, COUNTER_BASE + counter, False))
        ready, error, word = model.config_answer
        assert ready
        assert not error
        return word

    counts = {(n, c): ask(n, c) for n in (0, 1) for c in LinkCounter}
    assert counts == {
        (0, LinkCounter.CORRUPT): 0,
        (0, LinkCounter.LOST): 1,
        (1, LinkCounter.CORRUPT): 2,
        (1, LinkCounter.LOST): 0,
    }


def test_faults_need_guards() -> None:
    fault = Fault(9, 0, FaultKind.DROP)
    with pytest.raises(ValueError, match=r"^without check_bits no link has guards$"):
        model_of(MeshSpec(kind="mesh", width=2, height=1)).inject([fault])
    with pytest.raises(ValueError, match=r"^link 1 has no guards$"):
        model_of(MeshSpec(kind="mesh", width=2, height=1, check_bits=8)).inject(
            [Fault(9, 1, FaultKind.DROP)]
        )
    model = model_of(MeshSpec(kind="mesh", width=2, height=1, check_bits=8))
    for _ in range(10):
        model.step()
    with pytest.raises(ValueError, match=r"^cycle 9 is over; it is 10 now$"):
        model.inject([fault])
