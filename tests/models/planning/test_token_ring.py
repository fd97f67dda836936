"""A ring through its members' cores, and how far its root's flits go."""

import random

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import StaticGroupPlan, make_plan
from syncfabric.models.planning.static_images import reach
from syncfabric.models.planning.static_routes import token_routes

CORE = Port.LOCAL


def planned(rng: random.Random, planner: str) -> tuple[StaticSpec, StaticGroupPlan]:
    network = StaticSpec(kind="static", width=rng.randint(2, 5), height=rng.randint(2, 5))
    nodes = network.topology.nodes
    members = tuple(rng.sample(nodes, rng.randint(2, len(nodes))))
    groups = (GroupSpec(id=1, members=members, planner=planner),)
    group = make_plan(NetworkSpec(name="one", network=network, groups=groups)).groups[0]
    assert isinstance(group, StaticGroupPlan)
    return network, group


@pytest.mark.parametrize("seed", range(12))
def test_the_token_passes_every_core_once_on_the_links_of_the_ring(seed: int) -> None:
    network, group = planned(random.Random(seed), "ring")
    mesh, routes, own = network.topology, token_routes(group), group.routes()
    assert routes.keys() == own.keys()
    assert all(source is not port for (*_, port), source in routes.items())
    # Walk it, flit in hand: no output shares an input with another, so the way is one.
    assert len({(x, y, source) for (x, y, _), source in routes.items()}) == len(routes)
    outputs = {(x, y, source): port for (x, y, port), source in routes.items()}
    here, source, links, met = group.root, CORE, 0, []
    while True:
        port = outputs[(*here, source)]
        if port is CORE:
            met.append((here, links))
            source = CORE
            if here == group.root:
                break
            continue
        links += 1
        to = mesh.neighbour(here, port)
        assert to is not None
        here, source = to, port.opposite
    assert links == group.links
    assert sorted(node for node, _ in met) == sorted(group.members)
    assert met == list(reach(mesh, group).items())


@pytest.mark.parametrize("seed", range(6))
def test_reach_in_a_tree(seed: int) -> None:
    network, group = planned(random.Random(seed), "tree")
    above = dict(group.edges or ())
    for node, links in reach(network.topology, group).items():
        for _ in range(links):
            node = above[node]
        assert node == group.root
    found = reach(network.topology, group)
    assert found.keys() == set(group.members) - {group.root}
    assert max(found.values()) == group.longest_path


def test_a_tree_has_no_token() -> None:
    _, group = planned(random.Random(1), "tree")
    with pytest.raises(PlanError, match="a token goes round a ring of two members or more"):
        token_routes(group)
