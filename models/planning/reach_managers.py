"""Which manager can ask which router when links are dead, and hear its reply."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import Turn
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, RegisterSpec
from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.updown import UpDown, routing_tables

__all__ = ["Reach", "reaches"]


@dataclass(frozen=True)
class Reach:
    """What one manager can do.

    Parameters
    ----------
    node : int
        The manager's.
    headers : dict of int to int
        By router or switch that it can ask and hear, the first word of a request.
    hears : frozenset of int
        Routers whose replies it would hear, whether it can ask them or not.
    """

    node: int
    headers: dict[int, int]
    hears: frozenset[int]


def reaches(
    network: RegisterSpec, dead: Dead, nodes: Sequence[Place] | None = None
) -> tuple[Reach, ...]:
    """Return what each manager can reach, in their order; a dead one reaches nothing.

    On a mesh requests and replies go X-Y. On an irregular network both go by the tables; but where
    a request would come upon a dead link it brings a route along, if one route flit holds it.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
    dead : Dead
    nodes : sequence of (int, int), optional
        What these could reach in place of the managers.
    """
    places = network.manager_nodes if nodes is None else nodes
    if isinstance(network, IrregularSpec):
        return _of_switches(network, dead, places)
    return tuple(_of_mesh(network, network.mesh.index(place), dead) for place in places)


def _of_mesh(network: MeshSpec, manager: int, dead: Dead) -> Reach:
    mesh, pack = network.mesh, network.layout.header.pack
    if manager in dead.nodes:
        return Reach(manager, {}, frozenset())
    here = mesh.node(manager)
    headers, hears = {}, set()
    for index, (x, y) in enumerate(mesh.nodes):
        if index in dead.routers:
            continue
        back = mesh.path((x, y), here, Turn.X_FIRST)
        if any((mesh.index(node), port) in dead.links for node, port in back):
            continue
        hears.add(index)
        way = mesh.path(here, (x, y), Turn.X_FIRST)
        if not any((mesh.index(node), port) in dead.links for node, port in way):
            headers[index] = pack({"x": x, "y": y})
    return Reach(manager, headers, frozenset(hears))


def _of_switches(network: IrregularSpec, dead: Dead, places: Sequence[Place]) -> tuple[Reach, ...]:
    topology = network.topology
    tables = routing_tables(network)
    direction = UpDown.of(SwitchGraph.of(topology)) if network.tables is None else None
    pack, found = network.layout.header.pack, []
    for place in places:
        manager = topology.index(place)
        if manager in dead.nodes:
            found.append(Reach(manager, {}, frozenset()))
            continue
        routes = _routes(topology, direction, place[0], dead)
        headers, hears = {}, set()
        for switch in range(topology.switches):
            if switch in dead.routers or not _is_alive(topology, tables, switch, place[0], dead):
                continue
            hears.add(switch)
            if _is_alive(topology, tables, place[0], switch, dead):
                headers[switch] = pack({"switch": switch, "port": network.ports})
            elif switch in routes and len(routes[switch]) < network.layout.route_ports:
                ports = [*routes[switch], network.ports]
                numbered = {f"port_{i}": port for i, port in enumerate(ports)}
                route = {"by_route": 1, "count": len(ports), **numbered}
                headers[switch] = network.layout.route.pack(route)
        found.append(Reach(manager, headers, frozenset(hears)))
    return tuple(found)


def _is_alive(
    topology: Irregular, tables: Sequence[Sequence[int]], start: int, end: int, dead: Dead
) -> bool:
    """Return whether the tables' way from one switch to another lives."""
    here = start
    while here != end:
        port = tables[here][end]
        if (here, port) in dead.links:
            return False
        far = topology.across(here, port)
        assert far is not None
        here = far[0]
    return True


def _routes(
    topology: Irregular, direction: UpDown | None, start: int, dead: Dead
) -> dict[int, list[int]]:
    """Return the ports of a shortest way to every switch that packets may take, up and then down.

    So these packets and those that the tables route cannot wait for each other in a cycle. With
    tables of the user's own nothing is known of them, and no packet brings a route.
    """
    if direction is None:
        return {}
    up, down = direction.ways(up=True), direction.ways(up=False)
    seen: dict[tuple[int, bool], list[int]] = {(start, True): []}
    routes: dict[int, list[int]] = {start: []}
    queue = deque([(start, True)])
    while queue:
        here, rises = state = queue.popleft()
        ways = [(port, there, True) for port, there in (up[here] if rises else ())]
        ways += [(port, there, False) for port, there in down[here]]
        for port, there, still in ways:
            if (here, port) in dead.links or (there, still) in seen:
                continue
            seen[there, still] = [*seen[state], port]
            routes.setdefault(there, seen[there, still])
            queue.append((there, still))
    return routes
