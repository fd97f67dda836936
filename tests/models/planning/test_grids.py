"""Planner btm on grids of any dimensions: trees, judged link by link, and networks end to end."""

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from math import log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.errors import DeadlockError, SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.btm import Tree, build_tree, sectors
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.planners import plan_groups
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.set_up import Epochs, set_up_writes
from tests.models.planning.checker import check

Spot = tuple[int, ...]


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Meshes and tori of 1 to 6 dimensions, up to some 700 routers."""
    sides: list[int] = []
    for _ in range(draw(st.integers(1, 6))):
        sides.append(draw(st.integers(1, max(1, min(9, 700 // prod(sides))))))
    return Grid(tuple(sides), wraps=draw(st.booleans()))


@st.composite
def groups(draw: st.DrawFn) -> tuple[Grid, list[Spot]]:
    """Any members, in any order, of any grid."""
    grid, rng = draw(grids()), random.Random(draw(st.integers(0, 2**32)))
    spots = list(product(*map(range, grid.sides)))
    most = len(spots) if draw(st.booleans()) else min(12, len(spots))
    return grid, rng.sample(spots, draw(st.integers(1, most)))


def path(grid: Grid, start: Spot, to: Spot, *, backwards: bool) -> list[tuple[Spot, int, int]]:
    """Return the routers on a message's path, with the dimension and direction it leaves by."""
    here, crossed = list(start), []
    for axis in sorted(range(len(to)), reverse=backwards):
        side, ring = grid.sides[axis], grid.wraps and grid.sides[axis] > 2
        while here[axis] != to[axis]:
            up, down = (to[axis] - here[axis]) % side, (here[axis] - to[axis]) % side
            step = 1 if to[axis] > here[axis] else -1
            if ring and up != down:
                step = 1 if up < down else -1
            crossed.append((tuple(here), axis, step))
            here[axis] = (here[axis] + step) % side
    return [*crossed, (to, -1, 0)]


def check_tree(grid: Grid, members: list[Spot], tree: Tree) -> None:
    """Find one tree of all members, and no two messages on a link unless one is above the other."""
    spots = [tuple(spot) for spot in tree.places.tolist()]
    assert spots == members
    parent, port = tree.parent.tolist(), tree.port.tolist()
    assert parent.count(-1) == 1
    above: list[set[int]] = []
    for i in range(len(members)):
        line, at = {i}, i
        while (at := parent[at]) >= 0:
            assert at not in line, "no tree"
            line.add(at)
        above.append(line)
    number = {spot: i for i, spot in enumerate(spots)}
    children = Counter((up, side) for up, side in zip(parent, port, strict=True) if up >= 0)
    assert max(children.values(), default=0) <= 1
    users: dict[frozenset[Spot], list[int]] = {}
    for i, up in enumerate(parent):
        if up < 0:
            continue
        axis = next(axis for axis, ports in enumerate(grid.axes) if port[i] in ports)
        backwards = 2 * axis >= len(grid.sides)
        down = path(grid, spots[up], spots[i], backwards=backwards)
        back = path(grid, spots[i], spots[up], backwards=not backwards)
        assert [spot for spot, *_ in down] == [spot for spot, *_ in back][::-1]
        assert down[0][1] == axis
        assert port[i] == grid.axes[axis][down[0][2] < 0]
        for (a, *_), (b, *_) in pairwise(down):
            users.setdefault(frozenset((a, b)), []).append(i)
        for spot, *_ in down[1:-1]:
            # No path leads through a member above both of its ends.
            assert number.get(spot) not in above[up] - {up}
    for passing in users.values():
        for one, other in combinations(passing, 2):
            assert one in above[other] or other in above[one]


@settings(max_examples=400, deadline=None)
@given(groups())
def test_one_tree_of_all_members_whose_messages_never_meet(case: tuple[Grid, list[Spot]]) -> None:
    grid, members = case
    check_tree(grid, members, build_tree(members, grid))


@pytest.mark.parametrize(
    "grid",
    [Grid((2,) * 9), Grid((16, 16, 16)), Grid((64, 33), wraps=True), Grid((6,) * 4, wraps=True)],
    ids=["hypercube-512", "mesh-16x16x16", "torus-64x33", "torus-6x6x6x6"],
)
def test_all_members_of_large_grids(grid: Grid) -> None:
    members = list(product(*map(range, grid.sides)))
    tree = build_tree(members, grid)
    check_tree(grid, members, tree)
    assert tree.height >= log(len(members) * (grid.ports - 1) + 1, grid.ports) - 1.001


def test_a_torus_of_65536_takes_seconds() -> None:
    grid = Grid((256, 256), wraps=True)
    places = np.stack([np.tile(np.arange(256), 256), np.repeat(np.arange(256), 256)], axis=1)
    begin = time.process_time()
    tree = build_tree(places, grid)
    assert time.process_time() - begin < 5
    assert tree.longest_path >= 256


def test_sectors_of_five_dimensions_cover_all_but_the_centre_by_their_own_sign() -> None:
    steps = np.array(list(product((-1, 0, 1), repeat=5)))
    for offset, sector in zip(steps.tolist(), sectors(steps).tolist(), strict=True):
        assert not any(offset) or offset[sector % 5] == (1 if sector < 5 else -1)


def test_the_root_of_a_torus_has_the_least_sum_of_squares() -> None:
    rng = random.Random(4)
    for sides in ((7,), (6, 5), (3, 2, 4), (8, 8)):
        grid = Grid(sides, wraps=True)
        spots = list(product(*map(range, sides)))
        members = rng.sample(spots, rng.randint(1, len(spots)))

        def squares(spot: Spot, grid: Grid = grid, members: list[Spot] = members) -> int:
            apart = (
                (abs(a - b), s)
                for m in members
                for a, b, s in zip(spot, m, grid.sides, strict=True)
            )
            return sum(min(d, s - d) ** 2 for d, s in apart)

        root = members[build_tree(members, grid).root_position]
        assert (-squares(root), root) == max((-squares(spot), spot) for spot in members)


def network_of(topology: str, keys: str = "", planner: str = "btm") -> MessageSpec:
    text = (
        f'name = "grid"\n[network]\nkind = "irregular"\ntopology = "{topology}"\n{keys}\n'
        f'[[group]]\nid = 1\nmembers = "all"\nplanner = "{planner}"\n'
    )
    return reader.loads(text).message_network


ROUTED = 'transport = "routed"'
NAMES = [
    "torus-4x4",
    "mesh-3x3x3",
    "hypercube-16",
    "ring-8",
    "torus-5x2x3",
    "mesh-4x3",
    "torus-2x2",
]


@pytest.mark.parametrize("name", NAMES)
def test_plans_and_writes(name: str) -> None:
    network, rng = network_of(name, ROUTED + '\nsetup = "local"'), random.Random(name)
    nodes = network.topology.graph.nodes
    some = [nodes, *(tuple(rng.sample(nodes, rng.randint(1, len(nodes)))) for _ in range(6))]
    plans = plan_groups(
        network, [GroupSpec(id=i, members=members, planner="btm") for i, members in enumerate(some)]
    )
    check(
        network, [plan.to_json() for plan in plans], set_up_writes(plans, network.shape, Epochs())
    )
    for plan in plans:
        assert plan.bound_least <= plan.bound == plan.bound_btm


def of(name: str, keys: str) -> BarrierPlan:
    text = f'name = "grid"\n[network]\nkind = "irregular"\ntopology = "{name}"\n{ROUTED}\n{keys}\n'
    return make_plan(reader.loads(text + '[[group]]\nid = 1\nmembers = "all"\n'))


@pytest.mark.parametrize("name", [*NAMES, "torus-4x4x4", "torus-5x5", "hypercube-64"])
def test_messages_cannot_deadlock(name: str) -> None:
    """Those of both classes in one channel could, from two dimensions on."""
    plan = of(name, "")
    deadlock.check(plan)
    network = plan.spec.message_network
    grid = network.shape.router.grid
    assert grid
    if len(grid.sides) > 1:
        with pytest.raises(DeadlockError, match=r"\n  sync: link from switch"):
            deadlock.check(plan, shared=True)


def dependencies(plan: BarrierPlan) -> Iterator[tuple[tuple[int, int, str], tuple[int, int, str]]]:
    """Yield each channel that some message holds, and the next one on its path."""
    shape = plan.spec.message_network.shape
    grid = shape.router.grid
    assert grid
    for start, to in product(range(grid.routers), repeat=2):
        for backwards in (False, True):
            name = "-".join(name.upper() for name in grid.names[:: -1 if backwards else 1])
            steps = path(grid, grid.place(start), grid.place(to), backwards=backwards)
            held, before, odd = None, -1, False
            for spot, axis, step in steps[:-1]:
                router = grid.router(spot)
                assert router is not None
                port = grid.axes[axis][step < 0]
                odd = (odd and axis == before) or (router, port) in shape.datelines
                now = (router, port, f"sync {name}" + ", behind datelines" * odd)
                if held:
                    yield held, now
                held, before = now, axis


@pytest.mark.parametrize(
    "name", ["torus-4x3", "ring-6", "mesh-3x2x3", "hypercube-8", "torus-5x2x3"]
)
def test_the_edges_are_those_of_every_message(name: str) -> None:
    plan = of(name, "")
    sink = plan.spec.message_network.shape.router.links
    edges = {
        tuple((end.place, end.port, end.lane) for end in edge)
        for edge in deadlock.channel_graph(plan).edges
        if edge[1].port != sink and edge[0].lane.startswith("sync")
    }
    used = set(dependencies(plan))
    assert used <= edges
    # A message halfway around does not close a ring: no other edge is too many.
    assert name.startswith(("torus-4", "ring-6")) or edges == used


def test_rings_without_datelines_are_refused() -> None:
    """Packets could deadlock there, too, and so could messages alone."""
    plan = of("ring-9", "channels = 2\ndatelines = []")
    with pytest.raises(DeadlockError):
        deadlock.check(plan)
    graph = deadlock.channel_graph(plan)
    alone = graph.subgraph([channel for channel in graph if channel.lane.startswith("sync")])
    assert len(deadlock.find_cycle(alone)) == 9


@pytest.mark.parametrize(
    ("topology", "keys", "planner", "refusal"),
    [
        ("torus-4x4", ROUTED, "shortest", '"shortest" with routed messages is for kind = "mesh"'),
        ("torus-4x4", ROUTED, "cs", 'planner "cs" with routed messages is for kind = "mesh"'),
        ("torus-4x4", "", "btm", 'planner "btm" is for transport = "routed"; set it in [network]'),
        ("mesh-3x3", f"{ROUTED}\ninterfaces = true", "btm", "needs nodes in the routers"),
        ("mesh-3x3", f"{ROUTED}\nports = 9", "btm", "links must be 4 with transport 'routed'"),
        ("hypercube-4096", ROUTED, "btm", "takes 9 words with transport 'routed' and 12 links"),
    ],
)
def test_what_cannot_be_is_refused(topology: str, keys: str, planner: str, refusal: str) -> None:
    with pytest.raises(SpecError, match=re.escape(refusal)):
        network_of(topology, keys, planner)


def test_a_port_that_leads_away_is_refused() -> None:
    network = network_of("mesh-3x3x3", ROUTED)
    tree = build_tree([(0, 0, 0), (2, 2, 2)], network.topology.graph.grid)
    wrong = Tree(tree.places, tree.parent, np.array([1, 1]), grid=tree.grid)
    with pytest.raises(ValueError, match="by a port that leads towards it"):
        PortTree.routed(wrong, network.topology.graph)
