"""Trees over links of different length: none has less radius, and bounds know of registers."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.long_links import LongLinks
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec
from syncfabric.models.planning import least_radius
from syncfabric.models.planning.least_radius import centre_of
from syncfabric.models.planning.planners import least_tree, plan_groups, plan_on_wires, stretched
from tests.models.planning.engines import Barriers
from tests.models.planning.irregular import draw_network


def drawn(rng: random.Random, **keys: Any) -> IrregularSpec:
    """Return a network with some long links."""
    switches = rng.randint(2, 9)
    graph = draw_network(rng, switches, rng.randint(0, 6), 2 * switches, rng.randint(4, 9))
    base = rng.randint(0, 2)
    pairs = {(min(a, b), max(a, b)): rng.randint(base + 1, 15) for (a, _), (b, _) in graph.links}
    some = rng.sample(sorted(pairs), rng.randint(1, len(pairs)))
    long = tuple(LongLinks(registers=pairs[pair], between=(pair,)) for pair in some)
    given: dict[str, Any] = {"setup": "local", "ports": graph.ports, "link_registers": base, **keys}
    return IrregularSpec(
        kind="irregular",
        switches=graph.switches,
        links=graph.links,
        nodes=graph.nodes,
        long_links=long,
        **given,
    )


def cycles(network: IrregularSpec, hop: int) -> list[list[int]]:
    """Return the cycles between all routers (Floyd and Warshall)."""
    size = network.switches
    far = [[0 if a == b else 10**9 for b in range(size)] for a in range(size)]
    for ((a, _), (b, _)), more in zip(network.links, network.topology.extra, strict=True):
        far[a][b] = far[b][a] = min(far[a][b], hop + more)
    for k, a, b in itertools.product(range(size), repeat=3):
        far[a][b] = min(far[a][b], far[a][k] + far[k][b])
    return far


@pytest.mark.parametrize("seed", range(12))
def test_no_tree_has_a_less_radius(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(least_radius, "MOST_MEASURED", rng.choice((0, 1024)))
    network, hop = drawn(rng), rng.randint(1, 4)
    far = cycles(network, hop)
    nodes = network.topology.nodes
    members = rng.sample(nodes, rng.randint(1, len(nodes)))
    routers = sorted({router for router, _ in members})
    least = min(max(row[router] for router in routers) for row in far)
    graph, unit = stretched(network.topology, hop)
    centre = centre_of(graph, np.array(routers))
    assert centre.radius * unit == least
    assert all(root < network.switches for root in centre.roots(0))
    tree = least_tree(network.topology, GroupSpec(id=1, members=tuple(members)), hop)
    assert tree.reach(hop) == least
    assert {*tree.routers.tolist()} >= {*routers}
    assert tree.graph is network.topology


def test_the_shorter_of_two_links() -> None:
    """It has the greater port."""
    links = (((0, 0), (1, 0)), ((0, 1), (1, 1)))
    graph = Irregular(4, 2, links, ((0, 2), (1, 2)), extra=(3, 0))
    tree = least_tree(graph, GroupSpec(id=1, members=graph.nodes))
    assert tree.reach(1) == 1
    assert tree.parent_port.tolist() in ([-1, 1], [1, -1])
    assert graph.without([(0, 0)]).extra == (0,)


def test_the_bound_of_a_stream() -> None:
    """A register counts upwards and downwards (V10)."""
    links = (((0, 0), (1, 0)), ((1, 1), (2, 0)))
    keys: dict[str, Any] = {"setup": "local", "channels": 0, "wires": 1, "streams": 1}
    bounds = []
    for long in ((), (LongLinks(registers=7, between=((0, 1),)),)):
        nodes = ((0, 2), (1, 2), (2, 2))
        network = IrregularSpec(
            **keys, kind="irregular", ports=3, switches=3, links=links, nodes=nodes, long_links=long
        )
        group = GroupSpec(id=1, members=nodes, planner="wires", stream=True)
        ((plan,), _) = plan_on_wires(network, [group])
        bounds.append(plan.stream_bound)
    assert bounds[0] is not None
    assert bounds[1] == bounds[0] + 2 * 7


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("wires", [0, 1])
def test_bounds_hold_and_are_reached(seed: int, wires: int) -> None:
    """By the golden engines, with one member after all others, each in turn."""
    rng = random.Random(seed)
    network = drawn(rng, wires=wires, groups=2, engine_stages=rng.choice((0, 3)))
    nodes = network.topology.nodes
    members = tuple(rng.sample(nodes, rng.randint(2, len(nodes))))
    group = GroupSpec(id=1, members=members, planner="wires" if wires else "shortest")
    if wires:
        ((plan,), _) = plan_on_wires(network, [group])
    else:
        (plan,) = plan_groups(network, [group])
    assert plan.bound is not None
    late = 3 * plan.bound
    if wires:
        far = cycles(network, 1 + network.link_registers)
        links = [max(row[router] for router, _ in members) for row in far]
        assert plan.bound == plan.bound_least == 2 * min(links) + 3
        return
    barriers = Barriers(network, [plan])
    took = [
        barriers.barrier(plan, [late * (i == last) for i in range(len(members))])
        for last in range(len(members))
    ]
    assert max(took) == plan.bound_least <= plan.bound
    for _ in range(8):
        assert barriers.barrier(plan, [rng.randint(0, 9) for _ in members]) <= plan.bound
