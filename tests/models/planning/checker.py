"""What any plan of groups on a network of engines must keep, from its JSON and its writes alone."""

import math
import random
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import networkx as nx
from hypothesis import strategies as st

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MeshSpec, MessageSpec
from tests.models.planning.irregular import draw_network

STEPS = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}


def mesh(width: int, height: int, **keys: Any) -> MeshSpec:
    given = {"transport": "link", "data_bits": 0, **keys}
    return MeshSpec(kind="mesh", width=width, height=height, **given)


def cluster(topology: Irregular, **keys: Any) -> IrregularSpec:
    return IrregularSpec(
        kind="irregular",
        ports=topology.ports,
        switches=topology.switches,
        links=topology.links,
        nodes=topology.nodes,
        **{"transport": "link", "data_bits": 0, "setup": "local", **keys},
    )


@st.composite
def networks(draw: st.DrawFn, most: int = 30) -> MessageSpec:
    """Any small network of link trees."""
    if draw(st.booleans()):
        return mesh(draw(st.integers(1, 6)), draw(st.integers(1, 6)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    switches = draw(st.integers(1, most))
    extra, nodes = draw(st.integers(0, 2 * switches)), draw(st.integers(1, 3 * switches))
    return cluster(draw_network(rng, switches, extra, nodes, draw(st.integers(3, 15))))


def groups_of(
    network: MessageSpec, rng: random.Random, count: int, sizes: Sequence[int], planner: str = ""
) -> list[GroupSpec]:
    """Draw groups of some of the sizes, as far as there are nodes."""
    nodes: Sequence[Node] = network.topology.nodes
    return [
        GroupSpec(
            id=gid,
            members=tuple(rng.sample(nodes, min(len(nodes), rng.choice(sizes)))),
            planner=planner,
        )
        for gid in range(count)
    ]


def links_of(network: MessageSpec) -> dict[Place, Place]:
    """Return the far end of each port with a link, worked out anew."""
    if isinstance(network, IrregularSpec):
        ends = dict(network.links)
        return ends | {b: a for a, b in ends.items()}
    ends = {}
    for y in range(network.height):
        for x in range(network.width):
            for port, (dx, dy) in STEPS.items():
                if 0 <= x + dx < network.width and 0 <= y + dy < network.height:
                    there = (y + dy) * network.width + x + dx
                    ends[y * network.width + x, port] = there, (port + 2) % 4
    return ends


def ports_of(network: MessageSpec, members: Iterable[Sequence[int]]) -> list[Place]:
    """Return router and port of members as a plan's JSON names them."""
    if isinstance(network, MeshSpec):
        return [(y * network.width + x, 4) for x, y in members]
    return [(switch, port) for switch, port in members]


def least_radius(network: MessageSpec, members: Iterable[Sequence[int]]) -> int:
    """Return the least L of a tree: by distances from every member to every router."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from((a[0], b[0]) for a, b in links_of(network).items())
    routers = {router for router, _ in ports_of(network, members)}
    graph.add_nodes_from(routers)
    far = {router: nx.single_source_shortest_path_length(graph, router) for router in routers}
    radius = min(max(far[m].get(r, math.inf) for m in routers) for r in graph)
    return int(radius) + isinstance(network, IrregularSpec)


class Entry(NamedTuple):
    """What an engine holds after its writes."""

    epoch: int
    image: dict[str, int]


def replay(network: MessageSpec, writes: Iterable[Any]) -> dict[tuple[int, int], Entry]:
    """Return what writes set up, by router and entry; GO must come to roots, after all SETUP."""
    layout = network.shape.router.layout
    behind = len(network.topology.nodes) if interfaces(network) else 0
    staged: dict[int, dict[int, int]] = {}
    entries: dict[tuple[int, int], Entry] = {}
    gone: set[tuple[int, int]] = set()
    for target, address, word in writes:
        router = target - behind
        assert router >= 0
        if address:
            assert not gone
            staged.setdefault(router, {})[address - 1] = word
            continue
        commit = COMMIT.unpack(word)
        place = router, commit["entry"]
        if commit["code"] == Code.SETUP:
            assert not gone
            words = staged[router]
            assert sorted(words) == list(range(layout.image_words))
            bits = sum(word << 32 * k for k, word in words.items())
            assert bits < 1 << layout.image.width
            assert commit["epoch"] == (entries[place].epoch if place in entries else 0)
            entries[place] = Entry((commit["epoch"] + 1) % 4, layout.image.unpack(bits))
        else:
            assert commit["code"] == Code.GO
            assert commit["epoch"] == entries[place].epoch
            assert entries[place].image["parent"] == 0
            gone.add(place)
    assert gone == {place for place, entry in entries.items() if not entry.image["parent"]}
    return entries


def check(network: MessageSpec, plans: Sequence[dict[str, Any]], writes: Iterable[Any]) -> None:
    """Check plans as JSON, and the writes that set them up after reset."""
    ends, entries = links_of(network), replay(network, writes)
    taken: set[tuple[int, int]] = set()
    for plan in plans:
        held = {(number(network, e["router"]), e["entry"]) for e in plan["entries"]}
        assert len(held) == len(plan["entries"])
        assert not held & taken, "two groups have one entry"
        taken |= held
        check_group(network, plan, dict(held), entries, ends)
    assert taken == entries.keys()


def interfaces(network: MessageSpec) -> bool:
    """Return whether nodes are at the far end of a link."""
    return isinstance(network, IrregularSpec) and network.interfaces


def number(network: MessageSpec, shown: Any) -> int:
    if isinstance(network, MeshSpec):
        return int(shown[1] * network.width + shown[0])
    return int(shown)


def check_group(
    network: MessageSpec,
    plan: dict[str, Any],
    placed: dict[int, int],
    entries: dict[tuple[int, int], Entry],
    ends: dict[Place, Place],
) -> None:
    """Walk down from the root as messages do, and find all members and all entries once."""
    ports = ports_of(network, plan["members"])
    routed = network.transport == "routed"
    roots = [r for r in placed if not entries[r, placed[r]].image["parent"]]
    assert len(roots) == 1
    layout = network.shape.router.layout
    reached: list[Place] = []
    edges = []
    depth = {roots[0]: 0}
    ahead = list(roots)
    while ahead:
        here = ahead.pop()
        entry = entries[here, placed[here]]
        for port in range(layout.ports):
            if not entry.image["children"] >> port & 1:
                continue
            if (here, port) not in ends:
                reached.append((here, port))
                if port < layout.links:
                    named = entry.image[f"entry_{port}"], entry.image[f"epoch_{port}"]
                    assert named == (placed[here], entry.epoch)
                continue
            there, back, hops = follow(network, ends, entry, here, port, name=port, routed=routed)
            assert there not in depth, "no tree"
            depth[there] = depth[here] + hops
            edges.append((there, here))
            child = entries[there, placed[there]]
            named = entry.image[f"entry_{port}"], entry.image[f"epoch_{port}"]
            assert named == (placed[there], child.epoch)
            assert child.image["parent"] == 1 << back
            name = "u" if routed else back
            named = child.image[f"entry_{name}"], child.image[f"epoch_{name}"]
            assert named == (placed[here], entry.epoch)
            up = follow(network, ends, child, there, back, name=name, routed=routed)
            assert up == (here, port, hops)
            ahead.append(there)
    assert sorted(reached) == sorted(ports)
    assert depth.keys() == placed.keys()
    assert sorted(edges) == sorted(
        (number(network, a), number(network, b)) for a, b in plan["edges"]
    )
    own = interfaces(network)
    assert plan["bound_links"] == max(depth[router] for router, _ in ports) + own
    assert plan["registers"][: len(ports)] == [placed[router] for router, _ in ports]


def follow(
    network: MessageSpec,
    ends: dict[Place, Place],
    entry: Entry,
    here: int,
    port: int,
    *,
    name: int | str,
    routed: bool,
) -> tuple[int, int, int]:
    """Return where a message by a port comes out, its port there, and its links."""
    if not routed:
        return *ends[here, port], 1
    grid = network.shape.router.grid
    assert grid
    goal = [entry.image[f"{coordinate}_{name}"] for coordinate in grid.names]
    order = [*range(len(goal))]
    if entry.image[f"route_class_{name}"]:
        order.reverse()
    hops = 0
    while True:
        here, back = ends[here, port]
        hops += 1
        now = coordinates_of(here, grid.sides)
        if now == goal:
            return here, back, hops
        axis = next(axis for axis in order if now[axis] != goal[axis])
        ahead, side = goal[axis] - now[axis], grid.sides[axis]
        shorter_back = grid.wraps and side > 2 and abs(ahead) > side - abs(ahead)
        port = grid.axes[axis][(ahead < 0) != shorter_back]


def coordinates_of(router: int, sides: Sequence[int]) -> list[int]:
    """Return a router's coordinates, the first of which counts fastest."""
    found = []
    for side in sides:
        found.append(router % side)
        router //= side
    return found
