"""Hardware and golden model do the same in every cycle, whatever becomes of their links."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE, FENCE, LinkCounter
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.scenario import Scenario
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import SEED, irregular, mesh, plan_of, random_groups
from tests.sim.fabric.faulty import compare, forged_message, guarded_links, random_faults

pytestmark = pytest.mark.long

NETWORKS: Mapping[str, RegisterSpec] = {
    "mesh": mesh(3, 3, check_bits=8, channels=2, buffer_flits=2, watchdog=400),
    "mesh, own links, serial combining": mesh(
        3, 3, check_bits=8, watchdog=300, operations="all", sync_links="own"
    ),
    "mesh, no packets": mesh(3, 3, check_bits=8, channels=0, barrier_pipeline=0, watchdog=200),
    "mesh, managers, few check bits": mesh(3, 3, check_bits=4, setup="manager", watchdog=500),
    "irregular": irregular(SMALL, check_bits=8),
    "irregular, buffered": irregular(
        SMALL, check_bits=8, channels=2, buffer_flits=3, operations="all", watchdog=400
    ),
}
CYCLES = 4_000
ONCE = (FaultKind.FLIP, FaultKind.DROP, FaultKind.CREDIT)


def play(name: str, faults: list[Fault], folder: Path, *asks: tuple[int, ConfigRequest]) -> None:
    """Run a network under faults."""
    spec = NETWORKS[name]
    plan = plan_of(spec, *random_groups(spec, random.Random(SEED)))
    background = 0.3 if spec.channels else 0.0
    scenario = Scenario(episodes=10**6, policy="mixed", seed=SEED, background=background)
    compare(plan, scenario, faults, CYCLES, folder, asks)


@pytest.mark.parametrize("name", NETWORKS)
def test_faults_that_pass(name: str, tmp_path: Path) -> None:
    rng = random.Random(f"{SEED} {name}")
    cycles = sorted(rng.sample(range(300, CYCLES - 500), 15))
    play(name, random_faults(NETWORKS[name], rng, cycles, ONCE), tmp_path)


@pytest.mark.parametrize("name", NETWORKS)
def test_messages_that_nobody_has_sent(name: str, tmp_path: Path) -> None:
    """Of groups that are there or not, for any destination."""
    rng = random.Random(f"{SEED} {name}")
    cycles = sorted(rng.sample(range(300, CYCLES - 500), 40))
    spec = NETWORKS[name]
    gids = [255, *(group.id for group in random_groups(spec, random.Random(SEED)))]
    faults = random_faults(
        spec, rng, cycles, (FaultKind.FORGED,), lambda: forged_message(spec, rng, gids)
    )
    play(name, faults, tmp_path)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_link_dies_and_is_closed(name: str, tmp_path: Path) -> None:
    spec, rng = NETWORKS[name], random.Random(f"{SEED} {name}")
    links = links_of(spec)
    number = rng.choice([n for n in guarded_links(spec) if links.ends[n] and n not in links.inject])
    ports = 5 if spec.kind == "mesh" else spec.ports
    router, port = divmod(number, ports)
    end = links.ends[number]
    assert end
    there = end[0] * ports + end[1]
    faults = [Fault(900, link, FaultKind.DEAD) for link in sorted((number, there))]
    nodes = 0 if spec.kind == "mesh" else len(spec.nodes)
    asks = [
        (cycle, ConfigRequest(nodes + target, FENCE, cycle == 1500, 1 << bit))
        for cycle in (1500, 1800)
        for target, bit in ((router, port), end)
    ]
    asks += [(3000, ConfigRequest(nodes, COUNTER_BASE + counter, False)) for counter in LinkCounter]
    play(name, faults, tmp_path, *asks)
