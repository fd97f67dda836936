"""The cycles of collectives by software on static networks, by running every member as the last."""

import itertools
import random

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.timing.static import (
    allreduce_cycles,
    broadcast_cycles,
    flit_cycles,
    reduce_cycles,
)
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Policy, Scenario
from syncfabric.sim.drive.static.operations import Collective
from tests.models.golden.static_bench import Group, cycle, mesh_of, random_tree, ring, static
from tests.models.timing.exact import broadcast_late, reduce_late
from tests.sim.drive.static.planned import plan_of

SIZES = ((2, 2), (3, 2), (4, 2), (3, 3), (3, 4))
BUFFERS = list(itertools.product((1, 2, 3), (1, 2, 3, 5), (1, 2, 3)))
FLITS = (1, 2, 3, 4, 6, 9, 14, 20, 40)
LATE = 500


def took(
    spec: StaticSpec,
    group: Group,
    kind: str,
    flits: int,
    *,
    work: int = 0,
    policy: Policy = "together",
    episodes: int = 1,
) -> list[int]:
    """Return the cycles of each operation; with policy ``late`` each member is the last in turn."""
    plan = plan_of(spec, group)
    asked = Collective(0, kind, flits, "sum", work)
    scenario = Scenario(episodes=episodes, policy=policy, jitter=LATE, collectives=(asked,))
    outcome = ScenarioRunner(plan, scenario).run_model()
    assert (outcome.hang, outcome.mismatches) == (None, [])
    return outcome.collectives[0].cycles


def check_ring(seed: int) -> None:
    rng = random.Random(seed)
    spec = static(*(size := rng.choice(SIZES)), rng.choice(BUFFERS))
    path = cycle(*size)
    inside = {path[0], *rng.sample(path[1:], rng.randint(1, len(path) - 1))}
    group = ring(path, [node for node in path if node in inside])
    links, members = len(path), len(group.members)
    places = [path.index(node) for node in group.members]
    flits, work = rng.choice(FLITS), rng.randint(0, 3)

    most = broadcast_cycles(links, flits, spec)
    assert took(spec, group, "broadcast", flits) == [most]
    late = took(spec, group, "broadcast", flits, policy="late", episodes=members)
    assert late[0] == most == max(late)
    if flit_cycles(spec) == 1:
        assert late[1:] == [broadcast_late(links, place, flits, spec) for place in places[1:]]

    scatter = broadcast_cycles(links, (members - 1) * flits, spec)
    assert took(spec, group, "scatter", flits) == [scatter]

    most = reduce_cycles(links, members, flits, work, spec)
    assert took(spec, group, "reduce", flits, work=work) == [most]
    late = took(spec, group, "reduce", flits, work=work, policy="late", episodes=members)
    assert late[0] == most == max(late)
    assert late[1:] == [
        reduce_late(links, place, members - 2 - i, flits, work, spec)
        for i, place in enumerate(places[1:])
    ]

    most = allreduce_cycles(links, members, places[-1], flits, work, spec)
    late = took(spec, group, "allreduce", flits, work=work, policy="late", episodes=members)
    assert took(spec, group, "allreduce", flits, work=work) == [most]
    assert late[0] == most == max(late)


def check_tree(seed: int) -> None:
    rng = random.Random(seed)
    spec = static(rng.randint(2, 5), rng.randint(2, 4), rng.choice(BUFFERS))
    group = random_tree(rng, mesh_of(spec), spec.topology.nodes)
    members, flits = len(group.members), rng.choice(FLITS)
    most = broadcast_cycles(group.length, flits, spec)
    assert took(spec, group, "broadcast", flits) == [most]
    late = took(spec, group, "broadcast", flits, policy="late", episodes=members)
    assert late[0] == most == max(late)
    scatter = broadcast_cycles(group.length, (members - 1) * flits, spec)
    assert took(spec, group, "scatter", flits) == [scatter]


@pytest.mark.parametrize("seed", range(20))
def test_rings(seed: int) -> None:
    check_ring(seed)


@pytest.mark.parametrize("seed", range(20))
def test_trees(seed: int) -> None:
    check_tree(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_many_rings_and_trees(seed: int) -> None:
    check_ring(seed)
    check_tree(seed)


@pytest.mark.parametrize("kind", ["broadcast", "reduce", "allreduce"])
def test_all_members_of_4x4(kind: str) -> None:
    """The cycles of the documentation, worked out by hand: N = P = 16, eight flits, w = 1."""
    assert took(static(4, 4), ring(cycle(4, 4)), kind, 8, work=1) == [
        {
            # seven flits more, injection, 16 links, core, and the cycle after
            "broadcast": 7 + 1 + 16 + 1 + 1,
            # and at each of 15 cores the core link, the injection link and its work
            "reduce": 7 + 1 + 16 + 15 * 3 + 1 + 1,
            # round once and the root's work; then 15 links and 14 cores to the last
            "allreduce": 1 + 16 + 15 * 3 + 1 + 1 + 7 + 1 + 15 + 14 * 3 + 1 + 1,
        }[kind]
    ]
