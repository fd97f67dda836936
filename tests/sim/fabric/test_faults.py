"""Hardware and golden model do the same in every cycle, whatever becomes of their links."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.network import CollectiveNetwork, model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.words import RouterWord, config_address
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.runner import Session
from syncfabric.sim.drive.scenario import Scenario
from tests.models.golden.planes.network_race import injected
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import SEED, irregular, mesh, plan_of, random_groups
from tests.sim.fabric.faulty import compare, random_faults

NETWORKS: Mapping[str, MessageSpec] = {
    "mesh, own links": mesh(3, 3, check_bits=8, watchdog=100),
    "mesh, shared links, wide messages": mesh(
        3, 2, check_bits=8, channels=2, message_links="shared", data_bits=32, operations="all"
    ),
    "mesh, routed": mesh(3, 3, check_bits=8, transport="routed", watchdog=90),
    "mesh, no packets, registers": mesh(3, 3, check_bits=3, channels=0, link_registers=2),
    "mesh, managers": mesh(3, 3, check_bits=4, setup="manager", watchdog=100, groups=2),
    "irregular": irregular(SMALL, check_bits=8, watchdog=70, link_registers=1),
    "irregular, managers": irregular(
        SMALL, check_bits=8, channels=2, buffer_flits=3, message_links="shared", setup="manager"
    ),
}
CYCLES, BEGIN = 4_000, 1_200
KINDS = (FaultKind.FLIP, FaultKind.DROP, FaultKind.CREDIT, FaultKind.INJECTED)


def play(name: str, faults: list[Fault], folder: Path, *asks: tuple[int, ConfigRequest]) -> Session:
    """Run a network under faults."""
    spec = NETWORKS[name]
    plan = plan_of(spec, *random_groups(spec, random.Random(SEED)))
    background = 0.3 if spec.channels else 0.0
    scenario = Scenario(episodes=10**6, policy="mixed", seed=SEED, background=background)
    return compare(plan, scenario, faults, CYCLES, folder, asks)


def reads(spec: MessageSpec) -> list[tuple[int, ConfigRequest]]:
    """Return requests at the end for what every router has counted, and for its fences."""
    words = RouterWord.FENCE, RouterWord.CORRUPT, RouterWord.LOST
    return [
        (
            CYCLES - 600,
            ConfigRequest(spec.shape.target_of(n), config_address(w), False),
        )
        for n in range(spec.shape.routers)
        for w in words
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("name", NETWORKS)
def test_faults_that_pass(name: str, tmp_path: Path) -> None:
    spec, rng = NETWORKS[name], random.Random(f"{SEED} {name}")
    cycles = sorted(rng.sample(range(BEGIN, CYCLES - 700), 40))
    model = model_of(spec)
    assert isinstance(model, CollectiveNetwork)
    form = model.nodes[0].ends[0].form
    faults = random_faults(spec, rng, cycles, KINDS, lambda: injected(rng, form, rng.randrange(4)))
    driver = play(name, faults, tmp_path, *reads(spec)).driver
    assert driver.begin_cycle is not None
    assert sum(len(group.latency) for group in driver.groups) > 10


@pytest.mark.nightly
@pytest.mark.parametrize("name", NETWORKS)
def test_a_link_dies_and_is_closed(name: str, tmp_path: Path) -> None:
    spec, rng = NETWORKS[name], random.Random(f"{SEED} {name}")
    shape = spec.shape
    ends = rng.choice(shape.links)
    ports = shape.router.links + shape.router.own
    faults = [Fault(BEGIN, ports * n + p, FaultKind.DEAD) for n, p in sorted(ends)]
    fence = config_address(RouterWord.FENCE)
    asks = [
        (cycle, ConfigRequest(shape.target_of(n), fence, write, 1 << p))
        for cycle, write in ((BEGIN + 500, True), (BEGIN + 700, False))
        for n, p in ends
    ]
    play(name, faults, tmp_path, *asks, *reads(spec))
