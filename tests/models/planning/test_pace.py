"""Bounds of plans against golden engines: never exceeded, and reached where all is tried."""

import itertools
import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MessageSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.pace import Pace
from syncfabric.models.planning.planners import plan_groups
from tests.models.planning.checker import cluster, groups_of, mesh
from tests.models.planning.engines import Barriers
from tests.models.planning.irregular import draw_network

STAR = Irregular(
    5,
    4,
    (((0, 0), (1, 0)), ((0, 1), (2, 0)), ((0, 2), (3, 0))),
    ((0, 3), (1, 1), (1, 2), (2, 1), (3, 1)),
)


def planned(network: MessageSpec, group: GroupSpec) -> GroupPlan:
    (plan,) = plan_groups(network, [group])
    return plan


def worst(network: MessageSpec, plan: GroupPlan, rng: random.Random, tries: int) -> int:
    """Look for delays of members that make the barrier last, by small changes of the worst."""
    barriers = Barriers(network, [plan])
    delays = [0] * len(plan.members)
    best = barriers.barrier(plan, delays)
    for _ in range(tries):
        tried = list(delays)
        for _ in range(rng.randint(1, 3)):
            tried[rng.randrange(len(tried))] = rng.randint(0, 2 * plan.bound_least)
        if (cycles := barriers.barrier(plan, tried)) >= best:
            best, delays = cycles, tried
    return best


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("registers", [0, 1])
def test_formula_of_one_member_after_the_other(stages: int, registers: int) -> None:
    """E11, and a cycle more for the node port: 2 L (S + R) + I + 2 on a mesh."""
    interval = stages - (stages > 2)
    row = mesh(4, 1, engine_stages=stages, link_registers=registers)
    plan = planned(row, GroupSpec(id=1, members=((0, 0), (3, 0))))
    assert plan.bound_links == 2
    assert plan.bound_least == 4 * (stages + registers) + interval + 2
    barriers = Barriers(row, [plan])
    far = [i for i, m in enumerate(plan.members) if abs(m[0] - plan.tree.root % 4) == 2]
    delays = [200 if i in far else 0 for i in range(2)]
    assert barriers.barrier(plan, delays) == plan.bound_least
    # To a node interface: 2 (L - 1) (S + R) + S + 2.
    network = cluster(STAR, engine_stages=stages, link_registers=registers)
    plan = planned(network, GroupSpec(id=1, members=((1, 1), (2, 1), (3, 1))))
    assert plan.bound_links == 2
    assert plan.bound_least == 2 * (stages + registers) + stages + 2
    assert Barriers(network, [plan]).barrier(plan, [0, 0, 200]) == plan.bound_least


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_every_pattern_of_a_small_group(stages: int) -> None:
    """All delays of four members of a star are tried, and the worst is the bound."""
    network = cluster(STAR, engine_stages=stages)
    plan = planned(network, GroupSpec(id=1, members=((0, 3), (1, 1), (2, 1), (3, 1))))
    barriers = Barriers(network, [plan])
    longest = 2 * stages + 2
    patterns = itertools.product(range(longest + 1), repeat=3)
    found = max(barriers.barrier(plan, (*pattern, longest)) for pattern in patterns)
    patterns = itertools.product(range(longest + 1), repeat=3)
    again = max(barriers.barrier(plan, (longest, *pattern)) for pattern in patterns)
    assert max(found, again) == plan.bound


def drawn(rng: random.Random, kind: str) -> MessageSpec:
    keys: dict[str, Any] = {
        "link_registers": rng.randint(0, 2),
        "engine_stages": rng.choice([0, 2, 3, 4]),
    }
    if "own" not in kind:
        keys["output_register"] = rng.randint(0, 1) > 0
        keys |= {"transport": "routed"} if "routed" in kind else {"message_links": "shared"}
    if "cluster" in kind:
        return cluster(draw_network(rng, rng.randint(1, 5), 1, 9, 6), **keys)
    if kind == "routed long":
        pairs = rng.choice(['"wraps"', "[[0, 1], [1, 2]]"])
        keys |= {"kind": "irregular", "topology": rng.choice(["torus-3x3", "torus-4x3", "ring-6"])}
        text = "\n".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())
        text += f"\nlong_links = [{{ registers = {rng.randint(3, 9)}, between = {pairs} }}]"
        network = loads(f'name = "drawn"\n[network]\nsetup = "local"\n{text}\n').network
        assert isinstance(network, IrregularSpec)
        return network
    return mesh(rng.randint(1, 3), rng.randint(1, 3), **keys)


@pytest.mark.parametrize(
    "kind", ["own", "own cluster", "shared", "shared cluster", "routed", "routed long"]
)
def test_bounds_of_any_trees(kind: str) -> None:
    rng = random.Random(kind)
    reached = 0
    for _ in range(6):
        network = drawn(rng, kind)
        planner = rng.choice([name for name in network.planners if name != "btm"] or ["btm"])
        (group,) = groups_of(network, rng, 1, (2, 3, 4), planner)
        plan = planned(network, group)
        found = worst(network, plan, rng, 60)
        assert plan.bound_least <= found <= plan.bound
        reached += found == plan.bound
    assert reached


def test_all_of_a_mesh() -> None:
    """22 cycles on 8x8, where 19 is the least: messages meet at the root and on its column."""
    network = mesh(8, 8)
    plan = planned(network, GroupSpec(id=1, members=tuple(network.topology.nodes)))
    assert (plan.bound_links, plan.bound, plan.bound_least) == (8, 22, 19)
    barriers, rng = Barriers(network, [plan]), random.Random(1)
    for spread in (0, 1, 5, 20):
        delays = [rng.randint(0, spread) for _ in range(64)]
        assert 2 < barriers.barrier(plan, delays) <= plan.bound


def groups_at_once(network: MessageSpec, sizes: Sequence[int], count: int) -> None:
    plans = plan_groups(network, groups_of(network, random.Random(2), count, sizes))
    barriers, rng = Barriers(network, plans), random.Random(3)
    for _ in range(3):
        barriers.barriers({p.id: [rng.randint(0, 30) for _ in p.members] for p in plans})
    assert barriers.events() == 0


def test_sixteen_groups_at_once() -> None:
    """Every group is whole beside the others, and no message is lost or unexpected."""
    groups_at_once(mesh(4, 4), (16,), 16)
    groups_at_once(mesh(5, 5), (2, 3, 8), 25)
    groups_at_once(cluster(draw_network(random.Random(1), 9, 6, 20)), (2, 5, 9), 16)


@pytest.mark.parametrize("interval", [1, 2, 3])
@pytest.mark.parametrize("heads", [(2,), (2, 2), (5, 2, 2), (3, 3, 2, 2), (6, 5, 4)])
def test_wait_at_a_router(interval: int, heads: tuple[int, ...]) -> None:
    """All times at which messages can come, up to their latest, are gone through by E5."""
    last = 0
    for times in itertools.product(*(range(head + 1) for head in heads)):
        last = max(last, last_service(times, interval))
    # Children complete as their own member's message is a head, in 2.
    parent, members = np.array([-1] + [0] * len(heads)), np.array([0] + [1] * len(heads))
    edges = np.array([0, *heads]) - 2
    assert Pace(interval, interval).latest(parent, members, edges)[0] == last


def last_service(times: tuple[int, ...], interval: int) -> int:
    """Return when the last service begins: alone at once, of several one a cycle later."""
    waiting, now = sorted(times), 0
    last = 0
    while waiting:
        now = max(now, waiting[0])
        # A run: until its end each service finds the next message, or the server is idle.
        now += waiting.count(now) > 1 and waiting[0] == now
        while waiting and waiting[0] <= now:
            waiting.pop(0)
            last = now
            now += interval
            if waiting and waiting[0] == now:
                break
    return last
