"""Networks with dead links and nodes, drawn at random, and the links that a plan uses."""

import random
from collections.abc import Iterator
from typing import Any

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import STEP, Port
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.plan import BarrierPlan
from tests.models.planning.irregular import draw_network

Crossing = tuple[Any, Any]
"""A link in one direction, by its ends: nodes of a mesh; switches and ports."""


def draw_mesh(rng: random.Random, **keys: Any) -> NetworkSpec:
    """Draw a mesh with one to three groups."""
    width, height = rng.randint(2, 7), rng.randint(2, 7)
    network = MeshSpec(kind="mesh", width=width, height=height, **keys)
    planners = network.planners
    return NetworkSpec(
        name="m", network=network, groups=_groups(rng, network.topology.nodes, planners)
    )


def draw_irregular(rng: random.Random, **keys: Any) -> NetworkSpec:
    """Draw an irregular network with one to three groups."""
    topology = draw_network(rng, rng.randint(3, 12), rng.randint(2, 10), rng.randint(4, 20))
    network = IrregularSpec(
        kind="irregular",
        ports=topology.ports,
        switches=topology.switches,
        links=topology.links,
        nodes=topology.nodes,
        **keys,
    )
    planners = network.planners
    return NetworkSpec(name="i", network=network, groups=_groups(rng, topology.nodes, planners))


def draw_static(rng: random.Random) -> NetworkSpec:
    """Draw a static network with one or two groups, which share no members."""
    width, height = rng.randint(3, 6), rng.randint(3, 6)
    network = StaticSpec(kind="static", width=width, height=height)
    nodes = rng.sample(network.topology.nodes, rng.randint(4, min(9, width * height)))
    cut = rng.randint(2, len(nodes) - 2) if rng.random() < 0.5 else len(nodes)
    parts = [part for part in (nodes[:cut], nodes[cut:]) if part]
    groups = tuple(
        GroupSpec(id=gid, members=tuple(part), planner=rng.choice(("ring", "tree")))
        for gid, part in enumerate(parts)
    )
    return NetworkSpec(name="s", network=network, groups=groups)


def _groups(rng: random.Random, nodes: Any, planners: tuple[str, ...]) -> tuple[GroupSpec, ...]:
    return tuple(
        GroupSpec(
            id=gid,
            members=tuple(rng.sample(list(nodes), rng.randint(2, min(12, len(nodes))))),
            planner=rng.choice(planners),
        )
        for gid in range(rng.randint(1, 3))
    )


def draw_dead(rng: random.Random, spec: NetworkSpec) -> tuple[list[str], set[Crossing], set[Place]]:
    """Draw one to three dead links and nodes: their names, crossings that are gone, dead nodes."""
    names: list[str] = []
    gone: set[Crossing] = set()
    nodes: set[Place] = set()
    topology = spec.network.topology
    for _ in range(rng.randint(1, 3)):
        if isinstance(topology, Irregular):
            _draw_on_irregular(rng, topology, names, gone, nodes)
            continue
        (x, y), port = rng.choice(topology.nodes), Port(rng.randrange(4))
        other = topology.neighbour((x, y), port)
        if rng.random() < 0.2:
            names.append(f"{x},{y}")
            nodes.add((x, y))
            for side in list(Port)[:4]:
                dx, dy = STEP[side]
                gone |= {((x, y), (x + dx, y + dy)), ((x + dx, y + dy), (x, y))}
        elif other is not None:
            names.append(f"{x},{y}-{other[0]},{other[1]}")
            gone |= {((x, y), other), (other, (x, y))}
    return names, gone, nodes


def _draw_on_irregular(
    rng: random.Random,
    topology: Irregular,
    names: list[str],
    gone: set[Crossing],
    nodes: set[Place],
) -> None:
    draw = rng.random()
    if draw < 0.2:
        switch = rng.randrange(topology.switches)
        names.append(str(switch))
        gone |= {((switch, port), None) for port in range(topology.ports)}
        gone |= {(end, None) for link in topology.links for end in link if switch in dict(link)}
        nodes |= {node for node in topology.nodes if node[0] == switch}
    elif draw < 0.4:
        node = rng.choice(topology.nodes)
        names.append(f"{node[0]},{node[1]}")
        gone.add((node, None))
        nodes.add(node)
    else:
        a, b = rng.choice(topology.links)
        names.append(f"{a[0]},{a[1]}-{b[0]},{b[1]}")
        gone |= {(a, None), (b, None)}


def crossings(plan: BarrierPlan) -> Iterator[tuple[int, Crossing]]:
    """Yield every group with every directed link that its entries or routes send over."""
    for group in plan.groups:
        if group.static:
            for switch, port in group.routes():
                if port != Port.LOCAL:
                    (x, y), (dx, dy) = group.graph.member(switch), STEP[Port(port)]
                    yield group.id, ((x, y), (x + dx, y + dy))
            continue
        shown = group.to_json()
        if isinstance(plan.spec.network, MeshSpec):
            for child, parent in shown["edges"]:
                (x, y), (a, b) = child, parent
                yield group.id, ((x, y), (a, b))
                yield group.id, ((a, b), (x, y))
            continue
        topology = plan.spec.network.topology
        assert isinstance(topology, Irregular)
        for switch in shown["switches"]:
            up = switch["parent"]
            ports = [*switch["children"], *([] if up is None else [up])]
            yield from ((group.id, ((switch["switch"], port), None)) for port in ports)
